/**
 * Commands: everything that can be asked to change, as a closed union of values.
 *
 * A command's fields have the right shape (the door saw to it) but are not yet judged: names,
 * ranges and rules are the law's business. `undefined` means not given.
 */

import type { RecordValue } from '../dns/rdata/rdata.ts';
import type { AccessCommand, AccessOutcome } from './access/command.ts';
import type { RecordDiff } from './diff.ts';
import type { RecordInput, ZoneRecord } from './record.ts';
import type { Secondary } from './secondary.ts';
import type { Zone } from './zone.ts';

type Optional<T> = T | undefined;

export interface ZoneTimers {
  readonly defaultTtl?: Optional<number>;
  readonly minimumTtl?: Optional<number>;
  readonly refresh?: Optional<number>;
  readonly retry?: Optional<number>;
  readonly expire?: Optional<number>;
}

export interface CreateZone extends ZoneTimers {
  readonly kind: 'create-zone';
  readonly name: string;
  readonly mname: string;
  readonly rname: string;
  /** Start with an apex NS record naming mname; default true. */
  readonly apexNs?: Optional<boolean>;
  readonly serial?: Optional<number>;
  readonly description?: Optional<string>;
}

export interface UpdateZone extends ZoneTimers {
  readonly kind: 'update-zone';
  readonly zoneName: string;
  /** A different name renames the zone. */
  readonly name?: Optional<string>;
  readonly mname?: Optional<string>;
  readonly rname?: Optional<string>;
  /** Accepted only when equal to the current serial. */
  readonly serial?: Optional<number>;
  /** The empty string clears it. */
  readonly description?: Optional<string>;
  readonly enabled?: Optional<boolean>;
}

export interface DeleteZone {
  readonly kind: 'delete-zone';
  readonly zoneName: string;
}

/** A step of the serial without any other change, so that secondaries transfer again. */
export interface BumpSerial {
  readonly kind: 'bump-serial';
  readonly zoneName: string;
}

/** One record or many: all or none, one serial step. */
export interface CreateRecords {
  readonly kind: 'create-records';
  readonly zoneName: string;
  readonly records: readonly RecordInput[];
}

export interface UpdateRecord {
  readonly kind: 'update-record';
  readonly id: number;
  readonly name?: Optional<string>;
  readonly type?: Optional<string>;
  readonly value?: Optional<RecordValue>;
  readonly ttl?: Optional<number>;
  readonly priority?: Optional<number>;
}

export interface DeleteRecord {
  readonly kind: 'delete-record';
  readonly id: number;
}

/** Narrowing follows RFC 2136 2.5: a name, a type at it, or one record of that type. */
export interface DeleteRecords {
  readonly kind: 'delete-records';
  readonly zoneName: string;
  readonly name: string;
  readonly type?: Optional<string>;
  readonly value?: Optional<RecordValue>;
  readonly priority?: Optional<number>;
}

export interface CreateSecondary {
  readonly kind: 'create-secondary';
  readonly name: string;
  readonly address: string;
  readonly notifyKeyName?: Optional<string>;
}

export interface UpdateSecondary {
  readonly kind: 'update-secondary';
  readonly name: string;
  readonly address?: Optional<string>;
  readonly enabled?: Optional<boolean>;
  /** The empty string sends unsigned again. */
  readonly notifyKeyName?: Optional<string>;
}

export interface DeleteSecondary {
  readonly kind: 'delete-secondary';
  readonly name: string;
}

export type ZoneCommand = CreateZone | UpdateZone | DeleteZone | BumpSerial;
export type RecordCommand = CreateRecords | UpdateRecord | DeleteRecord | DeleteRecords;
export type SecondaryCommand = CreateSecondary | UpdateSecondary | DeleteSecondary;
export type Command = ZoneCommand | RecordCommand | SecondaryCommand | AccessCommand;

/** What a zone command did or, in a dry run, would do. */
export interface ZoneOutcome {
  readonly zone: Zone;
  readonly recordsDeleted: number;
  readonly versionsDeleted: number;
}

/** What a record command did or, in a dry run, would do. */
export interface RecordOutcome {
  readonly zone: Zone;
  /** Records created, updated or deleted. */
  readonly count: number;
  /** Created or updated records as they are now; deleted ones that the caller may read, as they were. */
  readonly records: readonly ZoneRecord[];
  /** Of RRsets that the caller may not read only what it wrote. */
  readonly diff: RecordDiff;
}

export interface SecondaryOutcome {
  readonly secondary: Secondary;
}

export type OutcomeOf<C extends Command> = C extends RecordCommand
  ? RecordOutcome
  : C extends ZoneCommand
    ? ZoneOutcome
    : C extends SecondaryCommand
      ? SecondaryOutcome
      : AccessOutcome;
