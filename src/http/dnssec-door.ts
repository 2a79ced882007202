/**
 * What the HTTP API needs of signing: the state of a zone's keys, and the operations that may have to ask
 * the parent's servers or sign a whole zone first. The daemon passes it in.
 */
import type { KeyAction } from '../dnssec/key-roll.ts';
import type { ParentAnswer } from '../dnssec/parent-ds.ts';
import type { DnssecPolicy } from '../domain/dnssec-policy.ts';
import type { ZoneSigning } from '../domain/signing.ts';
import type { Zone } from '../domain/zone.ts';
import type { SubmitOptions } from '../engine/submission.ts';

/** How a zone is signed, as far as its keys alone do not show it. */
export interface DnssecStatus {
  /** As it is now. */
  readonly zone: Zone;
  /** Null for a zone that is not signed. */
  readonly policy: DnssecPolicy | null;
  readonly signing: ZoneSigning;
  readonly signatures: {
    readonly total: number;
    readonly expired: number;
    /** Before their time: the clock was ahead when they were made. */
    readonly future: number;
    /** Milliseconds since 1970; null when there are none. */
    readonly earliestExpiresAt: number | null;
    /** When the earliest of them enters the refresh window; at once where one is before its time. */
    readonly nextResignAt: number | null;
  };
  /** Null unless the parents were asked for this. */
  readonly delegation: {
    /** Milliseconds since 1970. */
    readonly checkedAt: number;
    readonly answers: readonly ParentAnswer[];
  } | null;
  /** What happens to the keys next, by time, and what blocked it when it was last tried. */
  readonly steps: readonly {
    readonly action: KeyAction;
    readonly blockedBy: string | null;
    /** Names of secondaries that were last seen to serve a serial too old for it. */
    readonly secondariesBehind: readonly string[];
  }[];
  readonly warnings: readonly string[];
  /** Milliseconds since 1970: when all this is so. */
  readonly at: number;
}

/**
 * Operations on one zone. The caller's rights have been checked; they are checked again in the writing
 * transaction. Each is refused with the Problem of the rule it breaks.
 */
export interface DnssecDoor {
  status(zone: Zone): DnssecStatus | Promise<DnssecStatus>;
  enable(
    zone: Zone,
    wanted: {
      readonly parentNsAddrs: readonly string[];
      /** The built-in policy when undefined. */
      readonly policyName: string | undefined;
    },
    options: SubmitOptions,
  ): Promise<DnssecStatus>;
  /** Refused when neither is given. */
  configure(
    zone: Zone,
    wanted: {
      readonly parentNsAddrs: readonly string[] | undefined;
      readonly policyName: string | undefined;
    },
    options: SubmitOptions,
  ): Promise<DnssecStatus>;
  /** Resolves with a message for people. */
  disable(
    zone: Zone,
    how: { readonly skipDsCheck: boolean },
    options: SubmitOptions,
  ): Promise<string>;
  /** Asks the parents; its status has the delegation. */
  checkDs(zone: Zone, options: SubmitOptions): Promise<DnssecStatus>;
  roll(
    zone: Zone,
    wanted: { readonly role: string | null },
    options: SubmitOptions,
  ): Promise<DnssecStatus>;
  promote(
    zone: Zone,
    how: {
      readonly skipDsCheck: boolean;
      readonly skipHolddown: boolean;
      readonly skipSecondaries: boolean;
    },
    options: SubmitOptions,
  ): Promise<DnssecStatus>;
  /** Takes published keys away: those of a role, or those that wait for the parent, or else the ZSK. */
  abort(
    zone: Zone,
    how: { readonly role: string | null; readonly skipDsCheck: boolean },
    options: SubmitOptions,
  ): Promise<DnssecStatus>;
  /** Resolves with a message for people. */
  sign(zone: Zone, options: SubmitOptions): Promise<string>;
  withdraw(zone: Zone, options: SubmitOptions): Promise<DnssecStatus>;
  cancelWithdraw(zone: Zone, options: SubmitOptions): Promise<DnssecStatus>;
}
