/**
 * Makes net changes (projection/net-change-store.ts) of the changes of a span of serials, or of the net changes of
 * shorter spans: range by range of a zone, in a bounded amount of memory.
 */
import { limits } from '../base/limits.ts';
import type { NameKey } from '../dns/name.ts';
import { compareRecords, packedBytes, rdataKey } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import {
  type NetChangePart,
  netChangePart,
  type SerialSpan,
} from '../projection/net-change-store.ts';
import { allOwners } from './key-range.ts';
import type { RecordCursor } from './record-cursor.ts';
import type { VersionChanges } from './version-changes.ts';
import {
  bytesPerEntry,
  bytesPerRange,
  detached,
  Gathering,
  type CollectedRange,
} from './version-undo.ts';

/** One record, by its owner, type and RDATA, at the two ends of a span. */
interface Ends {
  readonly before: ZoneRecord | undefined;
  after: ZoneRecord | undefined;
}

type OwnerEnds = Map<string, Ends>;

function take(owner: OwnerEnds, cursor: RecordCursor, wasThere: boolean): number {
  const key = rdataKey(cursor.type, cursor.rdata);
  const record = detached(cursor.zoneRecord());
  const known = owner.get(key);
  if (known !== undefined) {
    known.after = wasThere ? undefined : record;
    return 0;
  }
  const ends = wasThere
    ? { before: record, after: undefined }
    : { before: undefined, after: record };
  owner.set(key, ends);
  return bytesPerEntry + 2 * key.length;
}

/** The parts of the net change of a span, of all of whose changes the journal has the content. */
export function* partsOfNetChange(
  changes: VersionChanges,
  zoneId: number,
  { from, to }: SerialSpan,
  memoryBytes = bytesPerRange,
): Generator<NetChangePart> {
  let start = allOwners.from;
  while (true) {
    const range = { from: start, to: undefined };
    const gathering = new Gathering<OwnerEnds>(range, memoryBytes, 'user', () => new Map());
    const wants = (first: NameKey, last: NameKey) => gathering.reaches(first, last);
    for (const part of changes.parts(zoneId, from, to, wants)) gathering.take(part, take);
    const collected = gathering.finish();
    yield* partsOfRange(collected);
    if (collected.range.to === undefined) return;
    start = collected.range.to;
  }
}

function* partsOfRange({ owners }: CollectedRange<OwnerEnds>): Generator<NetChangePart> {
  const removed = new Run('removed');
  const added = new Run('added');
  for (const [, ends] of owners) {
    const differing = [...ends.values()].filter(differ);
    yield* removed.take(differing.flatMap(({ before }) => before ?? []));
    // A record that was there in another form is removed before it is added.
    if (added.isFull) yield* removed.end();
    yield* added.take(differing.flatMap(({ after }) => after ?? []));
  }
  yield* removed.end();
  yield* added.end();
}

/** A TTL may have moved, or the record may be another one by its id. */
function differ({ before, after }: Ends): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.ttl !== after.ttl || before.id !== after.id;
}

/** Records of one half that become a part when they are many enough. */
class Run {
  readonly #set: 'removed' | 'added';
  #records: ZoneRecord[] = [];
  #bytes = 0;

  constructor(set: 'removed' | 'added') {
    this.#set = set;
  }

  get isFull(): boolean {
    return this.#bytes >= limits.deltaPartBytes;
  }

  /** All of one owner, and the part before them where that is full. */
  *take(records: ZoneRecord[]): Generator<NetChangePart> {
    if (records.length === 0) return;
    if (this.isFull) yield* this.end();
    for (const record of records.sort(compareRecords)) {
      this.#records.push(record);
      this.#bytes += packedBytes(record);
    }
  }

  *end(): Generator<NetChangePart> {
    if (this.#records.length > 0) yield netChangePart(this.#set, this.#records);
    this.#records = [];
    this.#bytes = 0;
  }
}
