/**
 * Commands of signing. What takes time comes with them: keys are made, and parents asked, before.
 * An outcome is the zone with how it is signed after the step.
 */
import type { NameKey } from '../dns/name.ts';
import type { ParentAnswer } from '../dnssec/parent-ds.ts';
import type { SecondaryAnswer } from '../dnssec/secondary-serials.ts';
import type { MadeKey, ZoneSigning } from './signing.ts';
import type { Zone } from './zone.ts';

type Optional<T> = T | undefined;

interface OfZone {
  readonly zoneName: string;
  /**
   * The largest TTL of the zone's records, in seconds, where it was looked up; waits are made of it.
   */
  readonly largestTtl?: Optional<number>;
}

export interface EnableSigning extends OfZone {
  readonly kind: 'enable-signing';
  /** The built-in policy when not given. */
  readonly policyName?: Optional<string>;
  readonly parentNsAddrs: readonly string[];
  readonly keys: readonly MadeKey[];
  /** The largest refresh of an SOA that secondaries may still go by, in seconds, where it was looked up. */
  readonly largestRefresh?: Optional<number>;
}

export interface DisableSigning extends OfZone {
  readonly kind: 'disable-signing';
  readonly skipDsCheck: boolean;
  /** Empty when they were not asked. */
  readonly answers: readonly ParentAnswer[];
}

/** At least one of the two settings is given. */
export interface ConfigureSigning extends OfZone {
  readonly kind: 'configure-signing';
  readonly policyName?: Optional<string>;
  readonly parentNsAddrs?: Optional<readonly string[]>;
  /** Of a policy with another algorithm. */
  readonly keys: readonly MadeKey[];
  /** What the enabled secondaries serve before the keys are published, where they were asked. */
  readonly secondaries?: Optional<readonly SecondaryAnswer[]>;
}

export interface StartKeyRoll extends OfZone {
  readonly kind: 'start-key-roll';
  readonly role: string | null;
  readonly keys: readonly MadeKey[];
  /** What the enabled secondaries serve before the keys are published, where they were asked. */
  readonly secondaries?: Optional<readonly SecondaryAnswer[]>;
}

export interface PromoteKeys extends OfZone {
  readonly kind: 'promote-keys';
  readonly skipDsCheck: boolean;
  readonly skipHolddown: boolean;
  readonly answers: readonly ParentAnswer[];
  /** What the enabled secondaries said; empty when they were not asked. */
  readonly secondaries: readonly SecondaryAnswer[];
  /** Secondaries that are late keep nobody waiting, at the promotion and until the replaced key is gone. */
  readonly skipSecondaries: boolean;
  /** By the scheduler, which promotes a ZSK that rolls alone too: the keys whose time has come. */
  readonly scheduledKeyIds?: Optional<readonly number[]>;
}

/** Published keys leave as if they had never come. */
export interface AbortRoll extends OfZone {
  readonly kind: 'abort-roll';
  readonly role: string | null;
  readonly skipDsCheck: boolean;
  /** Empty when they were not asked. */
  readonly answers: readonly ParentAnswer[];
}

/** Retired keys whose time is over go; those that a parent still relies on stay. */
export interface RemoveKeys extends OfZone {
  readonly kind: 'remove-keys';
  readonly answers: readonly ParentAnswer[];
  readonly secondaries: readonly SecondaryAnswer[];
}

/** A signer step: signatures are made again, all of them or those at some owners; due CDS appear. */
export interface SignZone extends OfZone {
  readonly kind: 'sign-zone';
  readonly reason: 're-signed' | 'signatures-refreshed' | 'cds-published';
  readonly revisit?: Optional<readonly NameKey[]>;
}

/** Asks the parent, by CDS and CDNSKEY, to remove the DS; or no more. */
export interface WithdrawDs extends OfZone {
  readonly kind: 'withdraw-ds' | 'cancel-withdrawal';
}

/** What was seen of the DS at the parents: no step. */
export interface NoteParents extends OfZone {
  readonly kind: 'note-parents';
  readonly answers: readonly ParentAnswer[];
}

/** What is dated after now, since the clock was set back, is dated now: no step. */
export interface SetClockBack extends OfZone {
  readonly kind: 'set-clock-back';
}

/** What the enabled secondaries serve while keys come and go: no step. */
export interface NoteSecondaries extends OfZone {
  readonly kind: 'note-secondaries';
  readonly secondaries: readonly SecondaryAnswer[];
}

export type SigningCommand =
  | EnableSigning
  | DisableSigning
  | ConfigureSigning
  | StartKeyRoll
  | PromoteKeys
  | AbortRoll
  | RemoveKeys
  | SignZone
  | WithdrawDs
  | NoteParents
  | SetClockBack
  | NoteSecondaries;

export interface SigningOutcome {
  readonly zone: Zone;
  readonly signing: ZoneSigning;
}
