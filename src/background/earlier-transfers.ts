/** When secondaries got to serials lately, in memory: the log has only the latest transfer of each. */
import { keyOf, type TransferEntry } from '../projection/activity-log.ts';

export type Transferred = Pick<TransferEntry, 'zoneName' | 'address' | 'at' | 'result' | 'serial'>;

/** A transfer of a zone to an address. */
export interface EarlierTransfer {
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Zones and addresses at most: those unheard of for the longest go first. */
const keptPairs = 20_000;
/** Of a zone and an address. Of more than this those stay that are farthest apart. */
const keptEach = 16;

export class EarlierTransfers {
  /** By zone and address, the longest unheard of first. */
  readonly #kept = new Map<string, readonly EarlierTransfer[]>();

  note(entry: Transferred): void {
    const { result, serial, at } = entry;
    if (result !== 'ok' || serial === null) return;
    const key = keyOf(entry);
    const all = [...(this.#kept.get(key) ?? []), { serial, at }];
    this.#kept.delete(key);
    this.#kept.set(key, all.length > keptEach ? withoutOne(all) : all);
    if (this.#kept.size <= keptPairs) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }

  /** Those that are known, oldest first. */
  of(of: Pick<TransferEntry, 'zoneName' | 'address'>): readonly EarlierTransfer[] {
    return this.#kept.get(keyOf(of)) ?? [];
  }
}

/** Without the one that was soonest followed by another. */
function withoutOne(all: readonly EarlierTransfer[]): readonly EarlierTransfer[] {
  let dropped = 0;
  const restOf = (index: number) => all[index + 1]!.at - all[index]!.at;
  for (let index = 1; index < all.length - 1; index++) {
    if (restOf(index) < restOf(dropped)) dropped = index;
  }
  return all.toSpliced(dropped, 1);
}
