/**
 * The DNSSEC records of stored zones as the open commit has them: what its steps read and change is
 * held by owner, and handed to the blocks once, by `flush`. Many steps of one commit change the same
 * few owners, the apex first of all: what one adds and the next removes never comes to a block.
 *
 * Records are compared as the objects and bytes that were passed, so RDATA may be shared with whoever
 * made them until then.
 */
import type { NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { dnssecTypes } from '../dns/rrtype.ts';
import type { BlockStore } from './block-store.ts';
import { changesByOwner } from './owner-changes.ts';

/** DNSSEC records of one owner, in canonical order: as the blocks have them, and as they are by now. */
interface HeldOwner {
  readonly before: readonly ResourceRecord[];
  after: readonly ResourceRecord[];
}

/**
 * Owners held at most, each with the block that it was read from; those of a larger commit are handed on
 * as it goes.
 */
const maxHeld = 4096;

export class DnssecChanges {
  readonly #blocks: BlockStore;
  readonly #beforePacking: () => void;
  readonly #zones = new Map<number, Map<NameKey, HeldOwner>>();
  #held = 0;
  #isChanged = false;

  /** The callback is called before records are packed: from then on their bytes have to stay. */
  constructor(blocks: BlockStore, beforePacking: () => void) {
    this.#blocks = blocks;
    this.#beforePacking = beforePacking;
  }

  /** The DNSSEC records at an owner, in canonical order. */
  at(zoneId: number, owner: NameKey): readonly ResourceRecord[] {
    return this.#hold(zoneId, owner).after;
  }

  /** Takes in the DNSSEC records that a step removed and added, each in canonical order. */
  apply(
    zoneId: number,
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
  ): void {
    for (const change of changesByOwner(removed, added)) {
      if (this.#held > maxHeld) this.flush();
      const held = this.#hold(zoneId, change.owner);
      held.after = [...without(held.after, change.removed), ...change.added].sort(compareRecords);
      this.#isChanged = true;
    }
  }

  /** For a step that goes to the blocks at once: one of very many records is quicker there. */
  flushForLarge(): void {
    this.#beforePacking();
    this.flush();
  }

  /** For those who read the blocks themselves: they have everything from now on. */
  handOver(): void {
    if (this.#isChanged) this.flush();
  }

  /** Hands what has changed to the blocks. */
  flush(): void {
    if (!this.#isChanged) {
      this.forget();
      return;
    }
    this.#beforePacking();
    for (const [zoneId, owners] of this.#zones) {
      const removed: ResourceRecord[] = [];
      const added: ResourceRecord[] = [];
      for (const owner of [...owners.keys()].sort()) {
        const { before, after } = owners.get(owner)!;
        if (before === after) continue;
        for (const record of before) if (!after.includes(record)) removed.push(record);
        for (const record of after) if (!before.includes(record)) added.push(record);
      }
      if (removed.length + added.length > 0) this.#blocks.apply(zoneId, removed, added);
    }
    this.forget();
  }

  forget(): void {
    this.#zones.clear();
    this.#held = 0;
    this.#isChanged = false;
  }

  #hold(zoneId: number, owner: NameKey): HeldOwner {
    let owners = this.#zones.get(zoneId);
    if (owners === undefined) {
      owners = new Map();
      this.#zones.set(zoneId, owners);
    }
    let held = owners.get(owner);
    if (held === undefined) {
      const stored = this.#blocks.allRecordsAt(zoneId, owner);
      const before = stored.filter(({ type }) => dnssecTypes.has(type));
      held = { before, after: before };
      owners.set(owner, held);
      this.#held++;
    }
    return held;
  }
}

/** Records without some that a change removes. Each of these must be there: anything else is a bug. */
function without(
  records: readonly ResourceRecord[],
  removed: readonly ResourceRecord[],
): ResourceRecord[] {
  const kept = records.slice();
  for (const old of removed) {
    const at = kept.findIndex((each) => each === old || compareRecords(each, old) === 0);
    if (at < 0) throw new Error('a zone does not hold a DNSSEC record that a change removes');
    kept.splice(at, 1);
  }
  return kept;
}
