/**
 * Commands: everything that can be asked to change, as a closed union of values.
 *
 * A command's fields have the right shape (the API saw to it) but are not yet judged: names,
 * ranges and rules are the business of decisions. `undefined` means not given.
 */

import type { Warning } from '../base/warning.ts';
import type { NameKey } from '../dns/name.ts';
import type { RecordValue } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { FileRecord } from '../dns/zonefile/zone-file.ts';
import type { AccessCommand, AccessOutcome } from './access/model.ts';
import type { RecordDiff } from './diff.ts';
import type { PolicyCommand, PolicyOutcome } from './dnssec-policy.ts';
import type { DynamicUpdate, UpdateOutcome } from './dynamic-update.ts';
import type { BeginEpoch, EpochOutcome, RecoverZone } from './epoch.ts';
import type { StagedDelta, StandIn, ZoneDelta } from './event.ts';
import type { ApplyExternalDns, ExternalDnsOutcome } from './external-dns.ts';
import type { ImportMode, ImportSummary } from './file-node.ts';
import type { ImportedZone, SoaOverrides } from './imported-zone.ts';
import type { RecordInput, ZoneRecord } from './record.ts';
import type { SecondaryCommand, SecondaryOutcome } from './secondary.ts';
import type { SigningCommand, SigningOutcome, ZoneSigning } from './signing.ts';
import type { GivenSettings, Zone, ZoneSettings } from './zone.ts';

export type { FileRecord } from '../dns/zonefile/zone-file.ts';
export type { ImportMode, ImportSummary } from './file-node.ts';
export type { ImportedZone, SoaOverrides } from './imported-zone.ts';

type Optional<T> = T | undefined;

export interface CreateZone extends Omit<GivenSettings, 'name' | 'mname' | 'rname' | 'enabled'> {
  readonly kind: 'create-zone';
  readonly name: string;
  readonly mname: string;
  readonly rname: string;
  /** Start with an apex NS record naming mname; default true. */
  readonly apexNs?: Optional<boolean>;
}

/** A different name renames the zone; a serial is accepted only when equal to the current one. */
export interface UpdateZone extends GivenSettings {
  readonly kind: 'update-zone';
  readonly zoneName: string;
}

export interface DeleteZone {
  readonly kind: 'delete-zone';
  readonly zoneName: string;
}

/** A step of the serial without any other change, so that secondaries transfer again. */
export interface BumpSerial {
  readonly kind: 'bump-serial';
  readonly zoneName: string;
  /** The greatest serial that a secondary was seen to serve: when the zone never had it, it is passed. */
  readonly seenSerial?: Optional<number>;
}

interface OfDeletedZone {
  readonly name: string;
  /** One of several deleted zones of that name; without it the one deleted last. */
  readonly id?: Optional<number>;
}

/** Brings a deleted zone back as it was, under a serial above all its name was served under. */
export interface RestoreZone extends OfDeletedZone {
  readonly kind: 'restore-zone';
}

/** Deletes a deleted zone for good: its records, its versions, all but that it existed. */
export interface PurgeZone extends OfDeletedZone {
  readonly kind: 'purge-zone';
}

/** Writes down a whole zone, so that what came before can be deleted. The zone does not change. */
export interface CheckpointZone {
  readonly kind: 'checkpoint-zone';
  readonly zoneId: number;
  /** All of the zone as it was read in one state of the database. */
  readonly settings: ZoneSettings;
  readonly signing?: Optional<ZoneSigning>;
  readonly standIn: StandIn;
  /** Adds all records, unless these were staged. */
  readonly delta: ZoneDelta;
  readonly staged?: StagedDelta;
}

/** The user records at an owner at some serial, with the ids, times and TTLs of then. */
export interface NodeVersion {
  readonly owner: NameKey;
  readonly records: readonly ZoneRecord[];
}

interface OfVersion {
  readonly zoneName: string;
  readonly targetSerial: number;
  /** The serial of the zone at which it was compared with the version. */
  readonly atSerial: number;
  /** Of the target version. */
  readonly settings: ZoneSettings;
}

/** Records and SOA return to an earlier version, under a new serial. */
export interface RollbackZone extends OfVersion {
  readonly kind: 'rollback-zone';
  /** Owners whose user records differ between now and the target, as they were then. */
  readonly nodes: readonly NodeVersion[];
}

/** The same, where the difference was staged before. */
export interface PublishRollback extends OfVersion {
  readonly kind: 'publish-rollback';
  readonly zoneId: number;
  readonly staged: StagedDelta;
}

export interface ImportZone {
  readonly kind: 'import-zone';
  readonly zoneName: string;
  readonly mode: ImportMode;
  /**
   * Given when a missing zone is to be created: what the file says about it, or null when the file
   * has no SOA. An existing zone keeps its settings.
   */
  readonly create?: Optional<ImportedZone | null>;
  /** Only with `create`, and only for a zone that does not exist. */
  readonly overrides?: Optional<SoaOverrides>;
  /** Whether the file has an SOA: one with neither that nor a record comes of an empty source. */
  readonly hasSoa?: Optional<boolean>;
  /** Of storable types, in any order; equal ones count once. Line 0 when they came by transfer. */
  readonly records: readonly FileRecord[];
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

export type ZoneCommand =
  | CreateZone
  | UpdateZone
  | DeleteZone
  | BumpSerial
  | RecoverZone
  | RestoreZone
  | PurgeZone
  | CheckpointZone;
export type RecordCommand = CreateRecords | UpdateRecord | DeleteRecord | DeleteRecords;
export type Command =
  | ZoneCommand
  | RecordCommand
  | DynamicUpdate
  | ApplyExternalDns
  | ImportZone
  | PublishImport
  | PublishRecords
  | RollbackZone
  | PublishRollback
  | SecondaryCommand
  | BeginEpoch
  | PolicyCommand
  | SigningCommand
  | AccessCommand;

/** What a zone command did or, in a dry run, would do. */
export interface ZoneOutcome {
  readonly zone: Zone;
  readonly warnings: readonly Warning[];
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
  readonly warnings: readonly Warning[];
}

/** An import whose records were judged and written ahead, against the zone at `atSerial`. */
export interface PublishImport {
  readonly kind: 'publish-import';
  readonly zoneName: string;
  readonly mode: ImportMode;
  /** Whether a missing zone is to be created: of what the file says, null when it has no SOA. */
  readonly isCreating: boolean;
  readonly file: ImportedZone | null;
  /** Only when creating, and only for a zone that does not exist. */
  readonly overrides?: Optional<SoaOverrides>;
  /** Records of the file, the SOA not counted. */
  readonly fileRecords: number;
  readonly zoneId: number;
  /** Null when the zone is new. */
  readonly atSerial: number | null;
  readonly staged: StagedDelta;
}

/** New records of a zone that were judged and written ahead, against the zone at `atSerial`. */
export interface PublishRecords {
  readonly kind: 'publish-records';
  readonly zoneName: string;
  readonly zoneId: number;
  readonly atSerial: number;
  /**
   * All of them: whether their maker may still create them is asked again. Left out, their maker must be
   * one who may create any.
   */
  readonly records?: readonly Pick<ResourceRecord, 'owner' | 'type'>[];
  readonly staged: StagedDelta;
}

export interface PublishOutcome {
  /** The zone is no longer as it was when the import was prepared: nothing was done. */
  readonly moved: boolean;
  /** Of the SOA of a new zone; when there are any, nothing was done. */
  readonly errors: readonly string[];
}

export interface PublishRecordsOutcome {
  /** The zone is no longer as it was when the records were prepared: nothing was done. */
  readonly moved: boolean;
  /** As it is then. */
  readonly zone: Zone;
}

/** What an import did or, in a dry run, would do. */
export interface ImportOutcome {
  /** Undefined when the zone was to be created and `errors` kept it from that. */
  readonly zone: Zone | undefined;
  /** `line 12: ...`; when there are any, nothing was applied. */
  readonly errors: readonly string[];
  readonly summary: ImportSummary;
  readonly diff: RecordDiff;
  readonly warnings: readonly Warning[];
}

export interface RollbackSummary {
  readonly added: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly soaChanged: boolean;
}

/** What a rollback did or, in a dry run, would do. The diff of what was prepared ahead has no entries. */
export interface RollbackOutcome {
  /** The zone is no longer at the serial that the command was made at: nothing was done. */
  readonly moved: boolean;
  readonly zone: Zone;
  readonly targetSerial: number;
  readonly newSerial: number;
  readonly summary: RollbackSummary;
  readonly diff: RecordDiff;
  /** None of what was prepared ahead: who prepared it has them. */
  readonly warnings: readonly Warning[];
}

/** What each kind of command answers. */
export type OutcomeOf<C extends Command> = C extends RecordCommand
  ? RecordOutcome
  : C extends ZoneCommand
    ? ZoneOutcome
    : C extends { readonly kind: keyof OwnOutcomes }
      ? OwnOutcomes[C['kind']]
      : C extends SigningCommand
        ? SigningOutcome
        : C extends SecondaryCommand
          ? SecondaryOutcome
          : C extends PolicyCommand
            ? PolicyOutcome
            : AccessOutcome;

interface OwnOutcomes {
  readonly 'dynamic-update': UpdateOutcome;
  readonly 'apply-external-dns': ExternalDnsOutcome;
  readonly 'import-zone': ImportOutcome;
  readonly 'publish-import': PublishOutcome;
  readonly 'publish-records': PublishRecordsOutcome;
  readonly 'rollback-zone': RollbackOutcome;
  readonly 'publish-rollback': RollbackOutcome;
  readonly 'begin-epoch': EpochOutcome;
}
