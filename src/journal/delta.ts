/**
 * Deltas as rows: the records of a step in packed form, cut into parts of at most 64 KiB, removed
 * before added and user before DNSSEC records, each set in canonical order: what an IXFR sends
 * (RFC 1995 4).
 */
import { limits } from '../base/limits.ts';
import { packedBytes, packRecords, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import type { ZoneDelta } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { createdAt, idAt, packIdentities } from './identity.ts';

export const removedSet = 0;
export const addedSet = 1;
export const userLayer = 0;
const dnssecLayer = 1;

/** Parts an event can have: 65,536 of 64 KiB. */
export const partsPerEvent = 65_536;

/** The key of a part: those of one delta stand together, in order. */
export function partNumberOf(delta: number, part: number): number {
  return delta * partsPerEvent + part;
}

/** The first place of a delta and the last. */
export function rangeOfDelta(delta: number): readonly [first: number, last: number] {
  return [partNumberOf(delta, 0), partNumberOf(delta + 1, -1)];
}

/** Deltas from here on were staged: no sequence number of an event is that great. */
export const firstStage = 2 ** 36;

export interface DeltaPart {
  readonly part: number;
  readonly change: number;
  readonly layer: number;
  readonly count: number;
  readonly records: Buffer;
  readonly ids: Buffer | null;
}

/** Cuts a delta, whose halves stand in canonical order, into parts. */
export function encodeDelta(delta: ZoneDelta): DeltaPart[] {
  const parts: DeltaPart[] = [];
  const cut = (change: number, layer: number, records: readonly ResourceRecord[]) => {
    for (const run of runsOf(records)) {
      const ids = layer === userLayer ? packIdentities(run) : null;
      const part = parts.length;
      parts.push({ part, change, layer, count: run.length, records: packRecords(run), ids });
    }
  };
  cut(removedSet, userLayer, delta.removed);
  cut(removedSet, dnssecLayer, delta.dnssecRemoved);
  cut(addedSet, userLayer, delta.added);
  cut(addedSet, dnssecLayer, delta.dnssecAdded);
  return parts;
}

/** Runs of records that fit a part; a larger record is a run of its own. */
function runsOf(records: readonly ResourceRecord[]): readonly (readonly ResourceRecord[])[] {
  if (records.length === 0) return [];
  if (records.length === 1) return [records];
  const runs: (readonly ResourceRecord[])[] = [];
  let start = 0;
  let bytes = 0;
  for (let index = 0; index < records.length; index++) {
    const size = packedBytes(records[index]!);
    if (bytes > 0 && bytes + size > limits.deltaPartBytes) {
      runs.push(records.slice(start, index));
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  runs.push(start === 0 ? records : records.slice(start));
  return runs;
}

export function decodeDelta(parts: Iterable<DeltaPart>): ZoneDelta {
  const removed: ZoneRecord[] = [];
  const added: ZoneRecord[] = [];
  const dnssecRemoved: ResourceRecord[] = [];
  const dnssecAdded: ResourceRecord[] = [];
  for (const part of parts) {
    if (part.ids === null) {
      const target = part.change === removedSet ? dnssecRemoved : dnssecAdded;
      target.push(...unpackRecords(part.records));
      continue;
    }
    const target = part.change === removedSet ? removed : added;
    let index = 0;
    for (const { owner, type, ttl, rdata } of unpackRecords(part.records)) {
      const id = idAt(part.ids, index);
      target.push({ owner, type, ttl, rdata, id, createdAt: createdAt(part.ids, index) });
      index++;
    }
  }
  return { removed, added, dnssecRemoved, dnssecAdded };
}
