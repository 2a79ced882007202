/** How a zone is signed, as the operations on it answer (interface 2.11). */
import type { KeyAction } from '../../dnssec/key-roll.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';
import type { ZoneSigning } from '../../domain/signing.ts';
import type { Zone } from '../../domain/zone.ts';

/** A zone, and what its parents said. */
export interface Delegated {
  /** As it is now. */
  readonly zone: Zone;
  readonly signing: ZoneSigning;
  readonly delegation: {
    /** Milliseconds since 1970. */
    readonly checkedAt: number;
    readonly answers: readonly ParentAnswer[];
  };
}

/** What somebody has to do next for the signing of a zone, or that there is nothing. */
export interface ToDo {
  readonly text: string;
  /** What helps now: to ask the parent servers, to make all signatures again, to let the published keys take over. */
  readonly action: 'ask-parent' | 'sign' | 'promote' | null;
}

export interface DnssecStatus extends Omit<Delegated, 'delegation'> {
  /** Null unless the parents were asked for this. */
  readonly delegation: Delegated['delegation'] | null;
  /** Null for a zone that is not signed. */
  readonly policy: DnssecPolicy | null;
  readonly signatures: {
    readonly total: number;
    readonly expired: number;
    /** Before their time: the clock was ahead when they were made. */
    readonly future: number;
    /** Milliseconds since 1970; null when there are none. */
    readonly earliestExpiresAt: number | null;
    /** How many run out on each day (UTC), by days since 1970. */
    readonly expirations: ReadonlyMap<number, number>;
    /** When the earliest of them enters the refresh window; at once where one is before its time. */
    readonly nextResignAt: number | null;
  };
  /** What happens to the keys next, by time, and what blocked it when it was last tried. */
  readonly phases: readonly {
    readonly action: KeyAction;
    readonly blockedBy: string | null;
    /** Names of secondaries that were last seen to serve a serial too old for it. */
    readonly secondariesBehind: readonly string[];
  }[];
  /** What somebody has to do next; null for a zone that is not signed. */
  readonly toDo: ToDo | null;
  readonly warnings: readonly string[];
  /** What a change would do, of its dry run: all else is as it is without it. */
  readonly effects?: readonly string[];
  /** The same: what may turn bogus by it, and until when. */
  readonly risks?: readonly string[];
  /** Milliseconds since 1970: when all this is so. */
  readonly at: number;
}
