/**
 * Serials that others say: secondaries, and the database that a restore replaces. They may say anything, and zones and
 * the catalog go on beyond it. So each is judged by itself before the greatest is taken: one that is ignored hides no
 * other.
 */
import { limits } from '../base/limits.ts';

/** What somebody serves: a name may come several times, as of a secondary with several addresses. */
export type Said = readonly [name: string, serial: number];

export interface SerialSource {
  /** Null for what is no secondary. */
  readonly name: string | null;
  readonly serials: Iterable<Said>;
}

export interface IgnoredSerial {
  /** The name of the secondary that says it; null where none does. */
  readonly source: string | null;
  readonly zone: string;
  readonly serial: number;
  /** Where the zone is. */
  readonly own: number;
}

export interface JudgedSerials {
  /** By name, the greatest that counts. */
  readonly greatest: ReadonlyMap<string, number>;
  readonly ignored: readonly IgnoredSerial[];
}

/**
 * Whether what is at the serial `own` may go on beyond `seen`. What others say is no reason to use up serials: as many
 * are kept as a new zone has at least, or half of those that are left.
 */
export function isPassable(seen: number, own: number): boolean {
  const last = own < limits.maxSerial ? limits.maxSerial : limits.serial;
  const middle = own + Math.floor((last - own) / 2);
  return seen <= own || seen < Math.max(limits.startingSerial, middle);
}

/** `ownOf`: the serial that a name is at, 0 where it is unknown. */
export function judgeSerials(
  sources: Iterable<SerialSource>,
  ownOf: (name: string) => number,
): JudgedSerials {
  const greatest = new Map<string, number>();
  const ignored: IgnoredSerial[] = [];
  for (const { name: source, serials } of sources) {
    for (const [zone, serial] of serials) {
      const own = ownOf(zone);
      if (isPassable(serial, own)) greatest.set(zone, Math.max(serial, greatest.get(zone) ?? 0));
      else ignored.push({ source, zone, serial, own });
    }
  }
  return { greatest, ignored };
}
