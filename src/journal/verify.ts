/** Proves the chain: every event's hash, digests and links, from the first event to the last. */
import {
  decodeStandIn,
  digestOfContent,
  type EventRow,
  genesisHash,
  hasRightHash,
  isStandIn,
} from './event-row.ts';
import type { Journal } from './journal.ts';

export interface ChainFinding {
  readonly seq: number;
  readonly problem: string;
}

export interface ChainReport {
  readonly events: number;
  readonly findings: readonly ChainFinding[];
}

/** Reads the whole journal. Findings name the event and what does not fit; none means intact. */
export function verifyChain(journal: Journal): ChainReport {
  const findings: ChainFinding[] = [];
  const lastSerialOf = new Map<number, number>();
  const dropped = new DroppedContents();
  let previous = { seq: 0, at: 0, hash: genesisHash };
  let events = 0;
  for (const row of journal.events()) {
    events++;
    const found = (problem: string) => findings.push({ seq: row.seq, problem });
    if (row.seq !== previous.seq + 1) found(`follows event ${previous.seq}: events are missing`);
    if (!row.prevHash.equals(previous.hash)) found('does not name the hash of its predecessor');
    if (!hasRightHash(row)) found('its hash is not that of its header');
    if (row.payload === null) {
      dropped.add(row);
    } else {
      const digest = digestOfContent(row.payload, journal.parts(row), row.delta !== row.seq);
      if (digest.equals(row.contentDigest)) dropped.allowBy(row, row.payload);
      else found('its payload or its records are not those that were hashed');
    }
    if (row.at < previous.at) found('is dated before its predecessor');
    if (row.serial !== null) {
      const last = lastSerialOf.get(row.stream) ?? 0;
      if (row.serial <= last) found(`takes serial ${row.serial} after ${last}`);
      lastSerialOf.set(row.stream, row.serial);
    }
    previous = row;
  }
  for (const seq of dropped.unexplained()) {
    findings.push({ seq, problem: 'its content is gone, and no later event stands in for it' });
  }
  return { events, findings };
}

/** Events whose content is gone, until one is found that stands in for them. */
class DroppedContents {
  /** The last one of each stream: what stands in for it stands in for all before it. */
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
