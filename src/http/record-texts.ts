/**
 * Records and diffs in answers: what contract/record-json.ts and query/record-writer.ts write, put together.
 *
 * An answer of hundreds of thousands of records is written while it is sent: made at once it would hold up everybody
 * else for as long as it takes.
 */
import { diffEntryText } from '../contract/record-json.ts';
import type { Rights } from '../domain/access/rights.ts';
import { countDiff, type RecordDiff } from '../domain/diff.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { FoundRecord } from '../query/record-queries.ts';
import { diffText, recordWriter } from '../query/record-writer.ts';
import { arrayPieces, JsonText, objectPieces, type Piece } from './answer.ts';

export function recordJson({ zone, record }: FoundRecord, rights: Rights): JsonText {
  return new JsonText(recordWriter(zone, rights)(record));
}

export function recordsJson(found: readonly FoundRecord[], rights: Rights): JsonText {
  let last: Zone | undefined;
  let write: ((record: ZoneRecord) => string) | undefined;
  const texts = found.map(({ zone, record }) => {
    if (write === undefined || zone !== last) write = recordWriter(zone, rights);
    last = zone;
    return write(record);
  });
  return new JsonText(`[${texts.join(',')}]`);
}

/** A record diff (interface 2.4). */
export function diffJson(diff: RecordDiff): JsonText {
  return new JsonText(diffText(diff));
}

/** The same for one of very many entries. */
export function longDiffJson(diff: RecordDiff): JsonText {
  const entries = arrayPieces([diff.entries], (entry) => diffEntryText(entry, diff.apex));
  return diffOfEntries(entries, countDiff(diff));
}

/** A diff whose entries are texts; `summary` is printed behind them. */
export function diffOfEntries(entries: AsyncIterable<Piece>, summary: object): JsonText {
  return new JsonText(objectPieces({ entries: new JsonText(entries), summary }));
}
