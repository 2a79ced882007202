/** What an import asks of its worker (import-job.ts), and what it gets back. */
import type { Warning } from '../../base/warning.ts';
import type { NameKey } from '../../dns/name.ts';
import type { TsigAlgorithm } from '../../dns/wire/tsig-key.ts';
import type { RightsMessage } from '../../domain/access/rights.ts';
import type {
  FileRecord,
  ImportedZone,
  ImportMode,
  ImportSummary,
  SoaOverrides,
} from '../../domain/command.ts';
import type { DiffEntry } from '../../domain/diff.ts';
import type { Deletions } from '../../domain/event.ts';
import type { Reach } from '../../domain/reach.ts';
import type { Zone } from '../../domain/zone.ts';
import type { OutboundRules } from '../../outbound/policy.ts';
import type { RollbackTarget } from '../../query/rollback-target.ts';
import type { RrsetKey } from '../../query/rrset-cursor.ts';
import type { EntryPage, WantedPart } from '../../query/version-page.ts';
import type { DiffSpool } from './diff-spool.ts';

/** Where the records come from. */
export type ImportSource =
  | { readonly kind: 'content'; readonly text: string | Uint8Array }
  | {
      readonly kind: 'server';
      readonly server: string;
      readonly timeoutMs: number;
      readonly totalMs: number;
      readonly maxRecords: number;
      readonly maxBytes: number;
      /** Bytes after each of which the import needs one more share. */
      readonly shareBytes: number;
      readonly tsigKey: TransferKey | undefined;
      readonly outbound: OutboundRules;
      readonly reach: Reach;
    };

export interface TransferKey {
  readonly name: NameKey;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

export interface ReadJob {
  readonly zoneName: string;
  readonly source: ImportSource;
  readonly mode: ImportMode;
  readonly create: boolean;
  readonly skipUnsupported: boolean;
  /** Seconds for records of a file that says none. */
  readonly defaultTtl: number;
  /** Records up to which they come back to be imported by one command. */
  readonly smallRecords: number;
}

/** The stage to prepare; none in a dry run. */
export interface PlanJob {
  readonly zoneId: number;
  /** True when the zone is made by this import. */
  readonly isNew: boolean;
  /** In place of what the SOA of the file says about the new zone. */
  readonly overrides: SoaOverrides | undefined;
  readonly firstId: number;
  readonly now: number;
  /** Of the caller, who gets only what it may read. */
  readonly rights: RightsMessage;
  readonly dryRun: boolean;
}

/** A zone as it was at a serial. */
export interface ZoneThen {
  readonly zone: Zone;
  readonly serial: number;
}

/** Two states to compare; the second one is the file, where there is one. */
export interface CompareJob {
  readonly from: ZoneThen;
  readonly to: ZoneThen | undefined;
  readonly file: string | Uint8Array | undefined;
  readonly part: WantedPart;
  readonly isSummary: boolean;
}

export interface CompareReport {
  /** What is wrong with the file; then nothing was compared. */
  readonly errors: readonly string[];
  readonly summary: EntryPage['summary'];
  readonly next: RrsetKey | null;
}

/** A zone to take back, as a whole or in part. */
export interface RollbackJob {
  readonly zoneName: string;
  readonly zoneId: number;
  readonly target: RollbackTarget;
  readonly dryRun: boolean;
  /** Of the caller, who is warned only of what it may know. */
  readonly rights: RightsMessage;
}

export interface FileReport {
  readonly errors: readonly string[];
  readonly skipped: readonly string[];
  readonly skippedCount: number;
  readonly parsed: number;
}

/** What a stage has come to; in a dry run only its counts. */
export interface StageReport {
  readonly removed: number;
  readonly added: number;
  readonly partCount: number;
  readonly partsDigest: Uint8Array;
  /** Whether the apex has a DNAME then. */
  readonly hasApexDname: boolean;
  /** Names that NSEC3 has no room for. */
  readonly longOwners: readonly NameKey[];
  readonly deletions?: Deletions | undefined;
}

export interface RollbackReport extends StageReport {
  /** Of the difference, which only a dry run keeps. */
  readonly diffSummary: DiffSpool['summary'];
  readonly warnings: readonly Warning[];
  /** The serial of the zone that was planned for. */
  readonly atSerial: number;
  /** What changed since, the first of it. */
  readonly conflicts: readonly DiffEntry[];
}

export interface PlanReport extends StageReport {
  /** The serial of the zone that was planned for; null for a new one. */
  readonly atSerial: number | null;
  readonly errors: readonly string[];
  readonly warnings: readonly Warning[];
  readonly summary: ImportSummary;
  readonly greatestId: number;
  readonly diffSummary: DiffSpool['summary'];
}

/** `records` are there when they are few enough for one command. */
export interface FileRead {
  readonly report: FileReport;
  readonly soa: ImportedZone | undefined;
  readonly count: number;
  /** How many of the first records have the TTL of the zone. */
  readonly withoutTtl: number;
  readonly records: readonly FileRecord[] | undefined;
}
