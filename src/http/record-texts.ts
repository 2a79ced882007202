/**
 * Records and diffs in answers: what contract/record-json.ts and query/record-writer.ts write, put together.
 *
 * An answer of hundreds of thousands of records is written while it is sent: made at once it would hold up everybody
 * else for as long as it takes.
 */
import type { DiffText } from '../background/import/requests.ts';
import { diffEntryText } from '../contract/record-json.ts';
import type { Rights } from '../domain/access/rights.ts';
import { countDiff, type RecordDiff } from '../domain/diff.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { FoundRecord } from '../query/record-queries.ts';
import { diffText, recordWriter } from '../query/record-writer.ts';
import {
  type Answer,
  arrayPieces,
  bracketed,
  json,
  JsonText,
  objectPieces,
  type Piece,
  streamed,
} from './answer.ts';

export function recordJson({ zone, record }: FoundRecord, rights: Rights): JsonText {
  return new JsonText(recordWriter(zone, rights)(record));
}

/** Bytes of RDATA whose text is made at once: some milliseconds. */
const bytesAtOnce = 256 * 1024;

/** An answer with a page of records as one of its values. */
export async function answerRecords(
  found: readonly FoundRecord[],
  rights: Rights,
  bodyWith: (records: JsonText) => object,
): Promise<Answer> {
  let last: Zone | undefined;
  let write: ((record: ZoneRecord) => string) | undefined;
  const textOf = ({ zone, record }: FoundRecord) => {
    if (write === undefined || zone !== last) write = recordWriter(zone, rights);
    last = zone;
    return write(record);
  };
  const rdataBytes = found.reduce((sum, { record }) => sum + record.rdata.length, 0);
  if (rdataBytes <= bytesAtOnce) {
    return json(200, bodyWith(new JsonText(`[${found.map(textOf).join(',')}]`)));
  }
  const heldBytes = rdataBytes + recordBytes * found.length;
  return streamed(200, bodyWith(new JsonText(arrayPieces([found], textOf), heldBytes)));
}

/** About what a record takes in memory beside its RDATA. */
const recordBytes = 300;

export function bytesOfRecords(records: readonly ResourceRecord[]): number {
  return records.reduce((sum, { rdata }) => sum + rdata.length + recordBytes, 0);
}

export function bytesOfDiffs(diffs: readonly (Pick<RecordDiff, 'entries'> | null)[]): number {
  let bytes = 0;
  for (const diff of diffs) {
    for (const { from, to } of diff?.entries ?? []) {
      bytes += bytesOfRecords(from) + bytesOfRecords(to);
    }
  }
  return bytes;
}

/** A record diff (interface 2.4). */
export function diffJson(diff: RecordDiff): JsonText {
  return new JsonText(diffText(diff));
}

/** The same for one of very many entries. */
export function longDiffJson(diff: RecordDiff): JsonText {
  const entries = arrayPieces([diff.entries], (entry) => diffEntryText(entry, diff.apex));
  return diffOfEntries(entries, countDiff(diff), bytesOfDiffs([diff]));
}

/** One that is here, or that comes as a text. */
export function anyDiffJson(diff: RecordDiff | DiffText): JsonText {
  if ('apex' in diff) return longDiffJson(diff);
  return diffOfEntries(bracketed(diff.entries), diff.summary);
}

/** A diff whose entries are texts; `summary` is printed behind them. */
export function diffOfEntries(
  entries: AsyncIterable<Piece>,
  summary: object,
  heldBytes = 0,
): JsonText {
  return new JsonText(objectPieces({ entries: new JsonText(entries), summary }), heldBytes);
}
