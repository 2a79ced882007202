/**
 * Epochs: what the service does with a database that was taken back (restored from a backup, copied from
 * elsewhere, reset with its machine). Secondaries may hold serials that this database never saw, with
 * other records. So a new epoch begins, and everything that counts goes on beyond what may have been
 * served before: serials, the serial of the catalog, identifiers.
 *
 * ```
 *   epoch n --service.recovered {epoch: n + 1}--> zone.recovered, once for each zone --> served again
 * ```
 */
import { limits } from '../base/limits.ts';

/** Kinds of identifiers; each counts on its own. */
export const identifiers = [
  'zone',
  'record',
  'secondary',
  'policy',
  'signing_key',
  'role',
  'grant',
  'token',
  'tsig_key',
  'webhook',
] as const;
export type CounterName = (typeof identifiers)[number];

/** Why an epoch began. */
export const epochReasons = ['restore', 'recover', 'new'] as const;
export type EpochReason = (typeof epochReasons)[number];

/** A serial of a name that was seen elsewhere, and never in this database. */
export interface SeenSerial {
  readonly name: string;
  readonly serial: number;
}

/** What is known of the database that was replaced, and of what secondaries serve. */
export interface SeenElsewhere {
  /** At most one of each name; those that are no greater than ours, or not passable, do no harm. */
  readonly serials: readonly SeenSerial[];
  /** Of the catalog; 0 when nobody knows. */
  readonly catalogSerial: number;
  /** The greatest identifiers of the database that was replaced. */
  readonly counters: Readonly<Partial<Record<StoredCounter, number>>>;
  /** Events that were served and are not in this database, as far as that is known. */
  readonly lostEvents: number;
  /** How far epochs that this database never saw may have moved anything. */
  readonly missedJumps: number;
}

/** Begins a new epoch of the service. */
export interface BeginEpoch {
  readonly kind: 'begin-epoch';
  readonly epoch: number;
  readonly reason: EpochReason;
  readonly seen: SeenElsewhere;
}

/** The step of a zone into the epoch that began. */
export interface RecoverZone {
  readonly kind: 'recover-zone';
  readonly zoneName: string;
  /** That of the event which began the epoch. */
  readonly jump: number;
}

export interface EpochOutcome {
  readonly epoch: number;
}

/**
 * Identifiers count on their own. `lost_serial` is the greatest serial that a zone may have been served
 * under which no table remembers: new names start above it. `jumped` is how far epochs have moved anything
 * in all: of two states of a service, the later one counts no further beyond the earlier one than the
 * difference, besides what was changed.
 */
export type StoredCounter = CounterName | 'lost_serial' | 'jumped';

/** The event that begins an epoch. The step of each zone follows as an event of the zone. */
export interface ServiceRecovered {
  readonly kind: 'service.recovered';
  readonly epoch: number;
  readonly reason: EpochReason;
  /** How far everything moves that this database knows. */
  readonly jump: number;
  /** Names that were served under greater serials than this database knows. */
  readonly serials: readonly SeenSerial[];
  /** The serial of the catalog from now on. */
  readonly catalogSerial: number;
  /** The values of counters from now on. */
  readonly counters: Readonly<Partial<Record<StoredCounter, number>>>;
}

export const noneSeen: SeenElsewhere = {
  serials: [],
  catalogSerial: 0,
  counters: {},
  lostEvents: 0,
  missedJumps: 0,
};

/**
 * The serial to go on with after `last` may have been served with other records; undefined when no serial
 * is greater. It is 65,536 further unless more is asked for, but never takes more than half of what is left
 * before the last serials, which are kept for renewing signatures: there it is the next one.
 */
export function serialBeyond(last: number, jump: number = limits.epochJump): number | undefined {
  if (last >= limits.serial) return undefined;
  const middle = Math.floor((limits.maxSerial - last) / 2);
  return last + Math.max(1, Math.min(jump, middle));
}

/** The same of identifiers: an id that is left over from the end stays the last. */
export function idBeyond(last: number, jump: number = limits.epochJump): number {
  return last + Math.min(jump, Math.floor((limits.id - last) / 2));
}
