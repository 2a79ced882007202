/**
 * Records and diff entries as JSON text, for answers of very many of them: the same text as the objects of
 * record.ts and diff.ts would give, without the objects.
 */
import { type NameKey, printRelativeName } from '../../dns/name.ts';
import { showRdata } from '../../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import { printType } from '../../dns/rrtype.ts';
import type { DiffEntry } from '../../domain/diff.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { Zone } from '../../domain/zone.ts';
import type { Caller } from '../authenticate.ts';
import { absoluteName, heldActions } from './record.ts';

/** Items joined before the text is handed on. */
const itemsPerText = 64;

/** The texts of items with commas between them, some at a time. */
export function* joined<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): Generator<string> {
  let text = '';
  for (const [index, item] of items.entries()) {
    text += index === 0 ? textOf(item) : `,${textOf(item)}`;
    if (index % itemsPerText !== itemsPerText - 1) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Names and most values need no escapes; making sure costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

function valueText(value: string | readonly string[]): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** A record of a version: without an id, its name relative to the zone. */
export function versionRecordText({ owner, type, ttl, rdata }: ResourceRecord): string {
  const { value, priority } = showRdata(type, rdata);
  const name = quoted(printRelativeName(owner));
  return `{"name":${name},"type":"${printType(type)}","value":${valueText(value)},"ttl":${ttl},"priority":${priority}}`;
}

export class RecordTexts {
  readonly #zone: Pick<Zone, 'id' | 'name'>;
  readonly #apex: NameKey;
  readonly #caller: Pick<Caller, 'rights'>;
  /** What stands behind the priority, when the caller holds every action everywhere. */
  readonly #tail: string | undefined;

  constructor(zone: Pick<Zone, 'id' | 'name'>, apex: NameKey, caller: Pick<Caller, 'rights'>) {
    this.#zone = zone;
    this.#apex = apex;
    this.#caller = caller;
    if (caller.rights.isFull) this.#tail = this.#tailOf(undefined);
  }

  record(record: ZoneRecord): string {
    const { id, owner, type, ttl, rdata } = record;
    const { value, priority } = showRdata(type, rdata);
    const name = quoted(absoluteName(owner, this.#apex));
    const tail = this.#tail ?? this.#tailOf(record);
    return `{"id":${id},"name":${name},"type":"${printType(type)}","value":${valueText(value)},"ttl":${ttl},"priority":${priority},${tail}`;
  }

  #tailOf(record: ZoneRecord | undefined): string {
    const { id, name } = this.#zone;
    const actions = heldActions(this.#caller.rights, this.#zone, record);
    return JSON.stringify({ zone_id: id, zone_name: name, actions }).slice(1);
  }

  diffEntry(entry: DiffEntry): string {
    return diffEntryText(entry, this.#apex);
  }
}

export function diffEntryText({ change, owner, type, from, to }: DiffEntry, apex: NameKey): string {
  const name = quoted(absoluteName(owner, apex));
  return `{"change":"${change}","name":${name},${diffValuesText(type, from, to)}`;
}

/** What stands behind the name of an entry: its type, and its values before and after. */
export function diffValuesText(
  type: number,
  from: readonly DiffRecord[],
  to: readonly DiffRecord[],
): string {
  return `"type":"${printType(type)}","from":[${diffValues(from)}],"to":[${diffValues(to)}]}`;
}

type DiffRecord = Pick<ResourceRecord, 'type' | 'ttl' | 'rdata'>;

function diffValues(records: readonly DiffRecord[]): string {
  const texts = records.map(({ type, ttl, rdata }) => {
    const { value, priority } = showRdata(type, rdata);
    return `{"value":${valueText(value)},"ttl":${ttl},"priority":${priority}}`;
  });
  return texts.join(',');
}
