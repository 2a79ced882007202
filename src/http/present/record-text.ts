/**
 * Records and diff entries as JSON text, for answers of very many of them: the same text as the objects of
 * record.ts and diff.ts would give, without the objects.
 */
import { diffValuesText, quoted, valueText } from '../../contract/record-text.ts';
import type { NameKey } from '../../dns/name.ts';
import { showRdata } from '../../dns/rdata/rdata.ts';
import { printType } from '../../dns/rrtype.ts';
import type { DiffEntry } from '../../domain/diff.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { Zone } from '../../domain/zone.ts';
import type { Caller } from '../authenticate.ts';
import { absoluteName, heldActions } from './record.ts';

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
    return recordText(record, this.#apex, this.#tail ?? this.#tailOf(record));
  }

  #tailOf(record: ZoneRecord | undefined): string {
    return tailText(this.#zone, heldActions(this.#caller.rights, this.#zone, record));
  }

  diffEntry(entry: DiffEntry): string {
    return diffEntryText(entry, this.#apex);
  }
}

/** A record of an answer; `tail` is what stands behind its priority. */
export function recordText(
  { id, owner, type, ttl, rdata }: Omit<ZoneRecord, 'createdAt'>,
  apex: NameKey,
  tail: string,
): string {
  const { value, priority } = showRdata(type, rdata);
  const name = quoted(absoluteName(owner, apex));
  return `{"id":${id},"name":${name},"type":"${printType(type)}","value":${valueText(value)},"ttl":${ttl},"priority":${priority},${tail}`;
}

/** What stands behind the priority of a record: its zone, and what the caller may do. */
export function tailText(
  { id, name }: Pick<Zone, 'id' | 'name'>,
  actions: readonly string[],
): string {
  return JSON.stringify({ zone_id: id, zone_name: name, actions }).slice(1);
}

export function diffEntryText({ change, owner, type, from, to }: DiffEntry, apex: NameKey): string {
  const name = quoted(absoluteName(owner, apex));
  return `{"change":"${change}","name":${name},${diffValuesText(type, from, to)}`;
}
