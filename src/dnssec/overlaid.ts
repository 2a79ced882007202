/** A zone with the user records of a step laid over it, as a pass over the whole of it reads it. */
import type { NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import type { WholeZone } from './sign-whole.ts';

/** User records that a step takes and gives, each half in canonical order. */
export interface StepRecords {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

/** `records` gives all of a zone in canonical order, anew each time. */
export function overlaidZone(
  records: () => Iterable<ResourceRecord>,
  step: StepRecords,
): WholeZone {
  const changed = new Set<string>();
  for (const { type, owner } of step.removed) changed.add(`${type} ${owner}`);
  for (const { type, owner } of step.added) changed.add(`${type} ${owner}`);
  const isMoved = changed.size > 0;
  return {
    records: isMoved ? () => overlaid(records(), step) : records,
    changed: (owner: NameKey, type: number) => isMoved && changed.has(`${type} ${owner}`),
  };
}

/** The records of a zone after a step. Those removed are found by owner, type and RDATA. */
function* overlaid(
  records: Iterable<ResourceRecord>,
  { removed, added }: StepRecords,
): Generator<ResourceRecord> {
  let nextRemoved = 0;
  let nextAdded = 0;
  for (const record of records) {
    const gone = removed[nextRemoved];
    if (gone !== undefined && compareRecords(gone, record) === 0) {
      nextRemoved++;
      continue;
    }
    while (nextAdded < added.length && compareRecords(added[nextAdded]!, record) < 0) {
      yield added[nextAdded++]!;
    }
    yield record;
  }
  yield* added.slice(nextAdded);
}
