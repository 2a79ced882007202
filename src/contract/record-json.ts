/**
 * Records as JSON (interface 2.3 to 2.5): the one place that writes them, in answers, versions and diffs.
 *
 * They are written as text, for an answer may have a million of them. Threads that read or plan what takes long write
 * by it too, so it imports nothing but names and values of records.
 */
import { Memory } from '../base/memory.ts';
import { type NameKey, printAbsoluteName, printLabels, printOwner } from '../dns/name.ts';
import { showRdata } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { dnssecTypes, printType } from '../dns/rrtype.ts';

type Data = Pick<ResourceRecord, 'type' | 'ttl' | 'rdata'>;

/** Actions on a record that an answer lists, where its caller holds them. */
export const readableActions = ['record:read', 'record:update', 'record:delete'] as const;

/** Names and most values need no escapes; making sure costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

const apexTexts = new Memory<NameKey, string>(1000);

/** The absolute text of an owner. */
export function absoluteName(owner: NameKey, apex: NameKey): string {
  const apexText = apexTexts.of(apex, printAbsoluteName);
  return owner === '' ? apexText : `${printLabels(owner)}.${apexText}`;
}

function dataText({ type, ttl, rdata }: Data): string {
  const { value, priority } = showRdata(type, rdata);
  const valueText = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  return `"value":${valueText},"ttl":${ttl},"priority":${priority}`;
}

/**
 * A record of an answer; `tail` is what stands behind its priority. A DNSSEC record has no id, and nobody can do
 * anything with it (interface 4.3 rule 2).
 */
export function recordText(
  record: ResourceRecord & { readonly id: number },
  apex: NameKey,
  tail: string,
): string {
  const { id, owner, type } = record;
  const idText = dnssecTypes.has(type) ? '' : `"id":${id},`;
  const name = quoted(absoluteName(owner, apex));
  return `{${idText}"name":${name},"type":"${printType(type)}",${dataText(record)},${tail}`;
}

/** What stands behind the priority of a record: its zone, and what the caller may do. */
export function tailText(
  { id, name }: { readonly id: number; readonly name: string },
  actions: readonly string[],
): string {
  return JSON.stringify({ zone_id: id, zone_name: name, actions }).slice(1);
}

/** A record of a version: without an id, its name relative to the zone. */
export function versionRecordText(record: ResourceRecord, apex: NameKey): string {
  return `{"name":${quoted(printOwner(record.owner, apex))}${versionDataText(record)}`;
}

/** What stands behind the name of a record of a version. */
export function versionDataText(data: Data): string {
  return `,"type":"${printType(data.type)}",${dataText(data)}}`;
}

interface DiffEntry {
  readonly change: string;
  readonly owner: NameKey;
  readonly type: number;
  readonly from: readonly Data[];
  readonly to: readonly Data[];
}

export function diffEntryText({ change, owner, type, from, to }: DiffEntry, apex: NameKey): string {
  const name = quoted(absoluteName(owner, apex));
  return `{"change":"${change}","name":${name},${diffValuesText(type, from, to)}`;
}

/** What stands behind the name of an entry of a diff: its type, and its values before and after. */
export function diffValuesText(type: number, from: readonly Data[], to: readonly Data[]): string {
  return `"type":"${printType(type)}","from":[${valuesText(from)}],"to":[${valuesText(to)}]}`;
}

function valuesText(records: readonly Data[]): string {
  return records.map((record) => `{${dataText(record)}}`).join(',');
}
