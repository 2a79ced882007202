/**
 * What the HTTP API needs from the rest of the service; the daemon passes it in.
 *
 * Reads are named method by method, so that a test can replace them with a few lines.
 */
import type { Clock } from '../base/clock.ts';
import type { Warning } from '../base/warning.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { PlainRecords } from '../contract/plain-bulk.ts';
import type { TsigKeyFields } from '../dns/wire/tsig-key.ts';
import type { Rights } from '../domain/access/rights.ts';
import type {
  CreateRecords,
  ImportMode,
  ImportSummary,
  RecordOutcome,
  RollbackOutcome,
  SoaOverrides,
} from '../domain/command.ts';
import type { NodeChange, RecordDiff } from '../domain/diff.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { Reach } from '../domain/reach.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone, ZoneSettings } from '../domain/zone.ts';
import type { Engine } from '../engine/engine.ts';
import type { SubmitOptions } from '../engine/submission.ts';
import type { Storage } from '../journal/storage.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { AccessQueries } from '../projection/access-queries.ts';
import type { DeletedZoneQueries } from '../projection/deleted-zone-queries.ts';
import type { Listed, Page } from '../projection/page.ts';
import type { PolicyQueries } from '../projection/policy-queries.ts';
import type { Reader, RollbackReading } from '../projection/reader.ts';
import type { RightsReader } from '../projection/rights-reader.ts';
import type { SecondaryQueries } from '../projection/secondary-queries.ts';
import type { TokenUse } from '../projection/token-use.ts';
import type { TransferEntry } from '../projection/transfer-log.ts';
import type { TransferQueries, TransferSummary } from '../projection/transfer-queries.ts';
import type {
  EverRecord,
  HistoryEntry,
  HistoryFilter,
  VersionFilter,
  ZoneVersion,
} from '../projection/version-queries.ts';
import type { Forgetting } from '../projection/zone-past.ts';
import type { ZoneQueries } from '../projection/zone-queries.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Piece } from './answer.ts';
import type { DnssecDoor } from './dnssec-door.ts';

/** A secondary that was not notified, and why. */
export interface NotifyFailure {
  readonly secondary: string;
  readonly error: string;
}

export interface Notifier {
  /**
   * Sends NOTIFY to every enabled secondary, for one zone (or the catalog) or for all zones, the
   * catalog left out, and waits for the answers. The caller has made sure that the zone exists and is enabled.
   */
  notifyNow(zoneName: string | undefined): Promise<readonly NotifyFailure[]>;
}

/** What a secondary serves of a zone, compared with us. */
export interface Probe {
  /** As it is registered. */
  readonly address: string;
  readonly status: 'in_sync' | 'lagging' | 'ahead' | 'reachable' | 'unreachable';
  readonly visibleSerial: number | null;
  /** The greatest serial that any of its addresses serves, when it is ahead of ours. */
  readonly aheadSerial?: number;
  readonly error: string | null;
  readonly lastTransfer: TransferEntry | null;
}

export interface SecondaryCheck {
  /** Resolved, without port. */
  readonly addresses: readonly string[];
  readonly resolveError: string | null;
  readonly catalogZoneName: string;
  readonly catalogSerial: number;
  readonly catalog: Probe;
  /** What is wrong with our own DNS listener. */
  readonly listenerError: string | null;
  readonly notifies: readonly { readonly address: string; readonly error: string | null }[];
  readonly transfers: TransferSummary;
}

/** Asks secondaries, live; every answer may take some seconds. */
export interface Prober {
  /** Asks every enabled secondary for a zone. */
  status(zone: Zone): Promise<readonly Probe[]>;
  /** Tries everything that a secondary needs; a disabled one is tried too. */
  check(secondary: Secondary): Promise<SecondaryCheck>;
  /**
   * The greatest serials that enabled secondaries serve, by the names of zones; what nobody says within the
   * time is left out.
   */
  seenSerials(zoneNames: readonly string[], withinMs: number): Promise<ReadonlyMap<string, number>>;
  /** Its addresses in canonical spelling; none when its host does not resolve. */
  addressesOf(secondary: Secondary): Promise<readonly string[]>;
}

type OrPromise<T> = T | Promise<T>;

/** Earlier states of zones. What takes long is read in a thread, so every answer may be a promise. */
export interface Versions {
  list(zone: Zone, filter: VersionFilter, page: Page): OrPromise<Listed<ZoneVersion>>;
  get(zone: Zone, serial: number): OrPromise<ZoneVersion | undefined>;
  serialAt(zone: Zone, timeMs: number): OrPromise<number | undefined>;
  /** User records at a serial in canonical order, as JSON text with commas between them. */
  recordsText(zone: Zone, serial: number): AsyncIterable<Uint8Array>;
  /** Owners whose user records differ between two serials, in canonical order. */
  changedNodes(zone: Zone, from: number, to: number): AsyncIterable<readonly NodeChange[]>;
  /** Undefined when there is no such version; without nodes when those hold more than `most` records. */
  forRollback(
    zone: Zone,
    targetSerial: number,
    most: number,
  ): OrPromise<RollbackReading | undefined>;
  /** Of records only what the caller may read. */
  history(
    rights: Rights,
    zone: Zone,
    filter: HistoryFilter,
    page: Page,
  ): OrPromise<Listed<HistoryEntry>>;
  /** Undefined also when the caller does not see it. */
  recordEver(rights: Rights, id: number): OrPromise<EverRecord | undefined>;
}

/** Deletes old versions of zones. */
export interface Retention {
  /** Of those replaced before a moment; resolves when they are deleted. */
  forget(zoneId: number, beforeMs: number, options: SubmitOptions): Promise<void>;
  /** What `forget` would delete. */
  forgetting(zone: Zone, beforeMs: number): Forgetting;
}

/** What an external DNS controller asks about; a long answer is read in a thread. */
export interface ExternalDns {
  /** Names that the caller may manage all records below of, or some. */
  domains(rights: Rights): Promise<readonly string[]>;
  records(rights: Rights): AsyncIterable<readonly StoredExternalRecord[]>;
}

export interface Exporter {
  /** A zone as a master file: at a serial when one is given, else as it is. */
  exportText(
    zone: Zone,
    what: { readonly serial: number | undefined; readonly signed: boolean },
  ): AsyncIterable<string>;
}

export interface ImportRequest {
  readonly zoneName: string;
  readonly mode: ImportMode;
  /** Makes the zone from the file's SOA when there is none. */
  readonly create: boolean;
  /** In place of what that SOA says; only with `create`. */
  readonly overrides: SoaOverrides | undefined;
  readonly skipUnsupported: boolean;
  /** A master file, a large one as UTF-8 in a buffer of its own. This or `fromServer` is given. */
  readonly content: string | Uint8Array | undefined;
  /** host[:port] as the caller wrote it. */
  readonly fromServer: string | undefined;
  /** How far that may be. */
  readonly reach: Reach;
  /** Signs the transfer. */
  readonly tsigKey: TsigKeyFields | undefined;
  /** Of the caller, who is shown only what it may read. */
  readonly rights: Rights;
  /** A dry run is said here. */
  readonly options: SubmitOptions;
}

/** A diff too large to be kept: its entries as JSON in UTF-8, with commas between them. */
export interface DiffText {
  readonly summary: { readonly added: number; readonly changed: number; readonly removed: number };
  readonly entries: AsyncIterable<Piece>;
}

export interface ImportResult {
  /** False in a dry run, and when there are errors. */
  readonly applied: boolean;
  /** What is wrong with the file; then nothing was applied. */
  readonly errors: readonly string[];
  readonly skipped: readonly string[];
  readonly summary: ImportSummary & { readonly skipped: number };
  readonly diff: RecordDiff | DiffText;
  readonly warnings: readonly Warning[];
}

/** Records for a zone as they were written. */
export interface WrittenBulk {
  readonly zoneName: string;
  readonly records: PlainRecords;
}

export interface RollbackRequest {
  readonly zone: Zone;
  readonly targetSerial: number;
  /** Of the target version. */
  readonly settings: ZoneSettings;
  /** Of the caller, who is warned only of what it may know. */
  readonly rights: Rights;
  /** A dry run is said here. */
  readonly options: SubmitOptions;
}

export interface Importer {
  /** A large file is being received. */
  expect(): void;
  /** Makes very many records, as the command does. */
  create(command: CreateRecords, rights: Rights, options: SubmitOptions): Promise<RecordOutcome>;
  /**
   * Makes very many records from what was written; gives the text of the answer, or undefined when they
   * have to be read and made as the command does.
   */
  createWritten(
    bulk: WrittenBulk,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Records of a change of a zone up to which one command makes it. */
  smallStep(zone: Zone): number;
  /** Takes a zone back to an earlier version, when that is too much for one command. */
  rollBack(request: RollbackRequest): Promise<RollbackOutcome>;
  /** The caller's rights have been checked; they are checked again when the records go in. */
  run(request: ImportRequest): Promise<ImportResult>;
}

export interface HttpOptions {
  readonly authenticationRequired: boolean;
  readonly metricsEnabled: boolean;
  readonly openapiEnabled: boolean;
  readonly externalDnsEnabled: boolean;
  /** Name of the catalog zone, which can be notified like a stored one. */
  readonly catalogZoneName: string;
  /** Octets of an import body at most. */
  readonly maxImportBytes: number;
  /** Octets of all request bodies together. */
  readonly maxBodiesBytes: number;
  /** The name by which the service is reached where no token is needed, besides its addresses. */
  readonly hostName: string | undefined;
  /** Unknown secrets a client address may try in a minute; 0 is no limit. */
  readonly authFailuresPerMinute: number;
}

/**
 * What is stored, whoever asks. Only a view reads here (view/view.ts), and it is made of the rights of one caller.
 */
export interface Stored {
  readonly zones: Pick<ZoneQueries, 'byName' | 'byId' | 'list'>;
  readonly records: Pick<Reader, 'byId' | 'list'>;
  readonly deletedZones: Pick<DeletedZoneQueries, 'list'>;
  readonly versions: Versions;
  readonly exporter: Exporter;
  readonly externalDns: ExternalDns;
  readonly secondaries: Pick<SecondaryQueries, 'byName' | 'list'>;
  readonly policies: Pick<PolicyQueries, 'byName' | 'list'>;
  readonly access: Pick<
    AccessQueries,
    | 'roleByName'
    | 'listedRole'
    | 'listRoles'
    | 'listGrants'
    | 'tokenById'
    | 'listedToken'
    | 'listTokens'
    | 'listedTsigKey'
    | 'listTsigKeys'
  >;
  readonly rights: Pick<RightsReader, 'ofRole' | 'token'>;
  readonly keystore: Pick<Keystore, 'tokenIdByHash' | 'tsigSecret'>;
  readonly tokenUse: Pick<TokenUse, 'stamp' | 'flush'>;
  readonly transfers: Pick<TransferQueries, 'list' | 'summary'>;
}

/** What handlers have besides the view of their caller. */
export interface HandlerServices {
  readonly engine: Pick<Engine, 'submit'>;
  readonly retention: Retention;
  readonly importer: Importer;
  readonly dnssec: DnssecDoor;
  readonly storage: Pick<Storage, 'isHealthy' | 'noted'>;
  readonly workers: Pick<WorkerPool, 'open' | 'expect'>;
  readonly metrics: Pick<
    Metrics,
    'httpRequests' | 'httpRequestDuration' | 'render' | 'contentType'
  >;
  readonly log: Log;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly prober: Prober;
  readonly options: HttpOptions;
  readonly version: string;
}

export interface Services extends Stored, HandlerServices {}
