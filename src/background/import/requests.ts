/** What is asked of an import, a bulk of records and a rollback that may be large, and what comes of it. */
import type { Warning } from '../../base/warning.ts';
import type { ScannedRecords } from '../../contract/scanned-bulk.ts';
import type { TsigKeyFields } from '../../dns/wire/tsig-key.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { CommandOf, ImportMode, ImportSummary, SoaOverrides } from '../../domain/command.ts';
import type { RecordDiff } from '../../domain/diff.ts';
import type { RecordInput } from '../../domain/record.ts';
import type { Reach } from '../../domain/reach.ts';
import type { Zone, ZoneSettings } from '../../domain/zone.ts';
import type { RollbackTarget } from '../../query/rollback-target.ts';
import type { SubmitOptions } from '../../writer/submission.ts';

export interface ImportRequest {
  readonly zoneName: string;
  readonly mode: ImportMode;
  /** Makes the zone from the file's SOA when there is none. */
  readonly create: boolean;
  /** It is only read, in a dry run: the name may be that of the own catalog. */
  readonly readsCatalog?: boolean | undefined;
  /** In place of what that SOA says; only with `create`. */
  readonly overrides: SoaOverrides | undefined;
  readonly skipUnsupported: boolean;
  /** A master file, a large one as UTF-8 in a buffer of its own. This or `fromServer` is given. */
  readonly source: string | Uint8Array | undefined;
  /** host[:port] as the caller wrote it. */
  readonly fromServer: string | undefined;
  /** How far that may be. */
  readonly reach: Reach;
  /** Whose the import is: each has half of the room for transfers at most. */
  readonly owner: string;
  /** Ends the transfer: the caller has left, or the service stops. */
  readonly ended: AbortSignal | undefined;
  /** Signs the transfer. */
  readonly tsigKey: TsigKeyFields | undefined;
  /** Of the caller, whose report holds only what it may read. */
  readonly rights: Rights;
  /** Asked when its turn comes, for what is true then; throws where the caller may not import any more. */
  readonly askAgain?: () => Pick<ImportRequest, 'reach' | 'tsigKey' | 'rights'>;
  /** A dry run is said here. */
  readonly options: SubmitOptions;
}

/** A diff too large to be kept: its entries as JSON in UTF-8, with commas between them. */
export interface DiffText {
  readonly summary: { readonly added: number; readonly changed: number; readonly removed: number };
  readonly entries: AsyncIterable<Uint8Array>;
}

export interface ImportResult {
  /** False in a dry run, and when there are errors. */
  readonly applied: boolean;
  /** What is wrong with the file; then nothing was applied. */
  readonly errors: readonly string[];
  readonly skipped: readonly string[];
  readonly summary: ImportSummary & { readonly skipped: number };
  /** Undefined when the zone keeps the serial that it has, or is not made. */
  readonly newSerial: number | undefined;
  readonly diff: RecordDiff | DiffText;
  readonly warnings: readonly Warning[];
}

/** Very many records for a zone. */
export interface BulkRecords {
  readonly zoneName: string;
  readonly records: ScannedRecords | readonly RecordInput[];
  /** True when the answer has neither diff nor records. */
  readonly isMinimal?: boolean;
  readonly rightsNow?: RightsNow;
}

/** The rights of the caller once its turn comes, in place of those that it came with. */
export type RightsNow = () => Rights;

export interface RollbackRequest {
  readonly zone: Zone;
  readonly targetSerial: number;
  /** Of the target version. */
  readonly settings: ZoneSettings;
  /** Only some names or types. */
  readonly scope?: Pick<RollbackTarget, 'names' | 'types'> | undefined;
  /** Of the caller, who is warned only of what it may know. */
  readonly rights: Rights;
  readonly rightsNow?: RightsNow;
  /** A dry run is said here. */
  readonly options: SubmitOptions;
}

/** What was prepared beside the zone: its difference is there in a dry run alone, as it was planned. */
export type Prepared<Outcome> = Omit<Outcome, 'diff'> & { readonly diff: DiffText | undefined };

/** One change that is undone. */
export interface RevertRequest
  extends Pick<RollbackRequest, 'zone' | 'rights' | 'rightsNow' | 'options'> {
  readonly target: RollbackTarget;
  readonly settings: CommandOf<'revert-change'>['settings'];
}
