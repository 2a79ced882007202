/** Proves the chain: every event's hash, digests and links, from the first event to the last. */
import {
  decodeStandIn,
  digestOfContent,
  type EventRow,
  genesisHash,
  hasRightHash,
  isStandIn,
} from './event-row.ts';
import { checksumOfPayload } from './checksum.ts';
import { StoredDamage } from './damage.ts';
import { type VerifyResult, type VerifyCode, verifyResult } from './verify-result.ts';
import type { Journal } from './journal.ts';

export interface ChainReport {
  readonly events: number;
  readonly findings: readonly VerifyResult[];
}

/** Reads the whole journal. Findings name the event and what does not fit; none means intact. */
export function verifyChain(journal: Journal): ChainReport {
  const check = new ChainCheck(journal);
  for (const row of journal.events()) check.add(row);
  return check.finish();
}

/** The same for whoever reads events in his own time: all of them, from the first one on. */
export class ChainCheck {
  readonly #journal: Pick<Journal, 'parts'>;
  readonly #results: VerifyResult[] = [];
  readonly #lastSerialOf = new Map<number, number>();
  readonly #dropped = new DroppedContents();
  /** Its hash is undefined where it is not looked at. */
  #previous: { seq: number; at: number; hash: Buffer | undefined };
  #events = 0;

  /** `afterSeq`: the event before the first one that is looked at, of which nothing else is known. */
  constructor(journal: Pick<Journal, 'parts'>, afterSeq = 0) {
    this.#journal = journal;
    this.#previous = { seq: afterSeq, at: 0, hash: afterSeq === 0 ? genesisHash : undefined };
  }

  /** What was found in the events so far. */
  get findings(): readonly VerifyResult[] {
    return this.#results;
  }

  /** The number of the last event that was looked at. */
  get lastSeq(): number {
    return this.#previous.seq;
  }

  add(row: EventRow): void {
    const previous = this.#previous;
    this.#previous = row;
    this.#events++;
    const found = (code: VerifyCode, problem: string) =>
      this.#results.push(verifyResult(code, problem, { seq: row.seq }));
    const altered = (problem: string) => found('EVENT_ALTERED', problem);
    if (row.seq !== previous.seq + 1) {
      found('EVENTS_MISSING', `follows event ${previous.seq}: events are missing`);
    }
    const isNext = previous.hash === undefined || row.prevHash.equals(previous.hash);
    if (!isNext) altered('does not name the hash of its predecessor');
    if (!hasRightHash(row)) altered('its hash is not that of its header');
    if (row.payload === null) this.#dropped.add(row);
    else if (isEventIntact(row, row.payload, this.#journal)) {
      this.#dropped.allowBy(row, row.payload);
    } else altered('its payload or its records are not those that were hashed');
    if (row.at < previous.at) altered('is dated before its predecessor');
    if (row.serial === null) return;
    const last = this.#lastSerialOf.get(row.stream) ?? 0;
    if (row.serial <= last) altered(`takes serial ${row.serial} after ${last}`);
    this.#lastSerialOf.set(row.stream, row.serial);
  }

  finish(): ChainReport {
    const problem = 'its content is deleted, and no later checkpoint or purge replaces it';
    const missing = this.#dropped
      .unexplained()
      .map((seq) => verifyResult('CONTENT_MISSING', problem, { seq }));
    return { events: this.#events, findings: [...this.#results, ...missing] };
  }
}

/** Whether the payload and the records of an event are those that were hashed, and fit their checksums. */
export function isEventIntact(
  row: EventRow,
  payload: string,
  journal: Pick<Journal, 'parts'>,
): boolean {
  try {
    const parts = journal.parts(row);
    const isServed =
      row.partCount === parts.length &&
      row.payloadChecksum === checksumOfPayload(payload, parts.length);
    const digest = digestOfContent(payload, parts, row.delta !== row.seq);
    return isServed && digest.equals(row.contentDigest);
  } catch (error) {
    if (error instanceof StoredDamage) return false;
    throw error;
  }
}

/** Events whose content is deleted, until a checkpoint or purge is found that replaces them. */
class DroppedContents {
  /** The last one of each stream: what replaces it replaces all before it. */
  readonly #last = new Map<number, number>();

  add({ stream, seq }: EventRow): void {
    this.#last.set(stream, seq);
  }

  allowBy({ stream, seq, kind }: EventRow, payload: string): void {
    if (!isStandIn(kind)) return;
    const upToSeq = Math.min(seq, decodeStandIn(payload).upToSeq);
    if ((this.#last.get(stream) ?? Number.POSITIVE_INFINITY) <= upToSeq) this.#last.delete(stream);
  }

  unexplained(): number[] {
    return [...this.#last.values()].sort((a, b) => a - b);
  }
}
