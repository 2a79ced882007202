/**
 * Types of the API's answers, taken from the contract: types only, so that a client starts without
 * loading the schemas.
 */
import type { permissions, token, tokenCreation } from '../contract/tokens.ts';
import type { role, roleGrant } from '../contract/roles.ts';
import type { tsigKey, tsigKeyAnswer } from '../contract/tsig-keys.ts';
import type { dnssecStatus } from '../contract/dnssec-status.ts';
import type { dnssecPolicy } from '../contract/dnssec-policies.ts';
import type { forgetAnswer, historyEntry } from '../contract/history.ts';
import type { importReport } from '../contract/exchange.ts';
import type {
  diffEntry,
  diffValue,
  record,
  recordBulk,
  recordChange,
  recordDeletion,
  recordDiff,
} from '../contract/records.ts';
import type {
  secondary,
  secondaryCheck,
  secondaryTransfers,
  transferSummary,
  zoneStatus,
} from '../contract/secondaries.ts';
import type {
  rollbackAnswer,
  versionAnswer,
  versionDiff,
  zoneVersion,
} from '../contract/versions.ts';
import type { warning } from '../contract/warning.ts';
import type {
  deletedZone,
  zone,
  zoneChange,
  zoneDeletion,
  zoneRestoration,
} from '../contract/zones.ts';

/** What a schema lets through. */
type OutputOf<Schema extends { readonly '~types'?: { readonly output: unknown } | undefined }> =
  NonNullable<Schema['~types']>['output'];

export type Zone = OutputOf<typeof zone>;
export type ZoneChange = OutputOf<typeof zoneChange>;
export type ZoneRestoration = OutputOf<typeof zoneRestoration>;
export type Warning = OutputOf<typeof warning>;
export type ZoneDeletion = OutputOf<typeof zoneDeletion>;
export type DeletedZone = OutputOf<typeof deletedZone>;
export type ZoneVersion = OutputOf<typeof zoneVersion>;
export type VersionWithRecords = OutputOf<typeof versionAnswer>;
export type VersionDiff = OutputOf<typeof versionDiff>;
export type Rollback = OutputOf<typeof rollbackAnswer>;
export type HistoryEntry = OutputOf<typeof historyEntry>;
export type ImportReport = OutputOf<typeof importReport>;
export type ForgottenHistory = OutputOf<typeof forgetAnswer>;
export type DnsRecord = OutputOf<typeof record>;
export type RecordChange = OutputOf<typeof recordChange>;
export type RecordDeletion = OutputOf<typeof recordDeletion>;
export type RecordBulk = OutputOf<typeof recordBulk>;
export type RecordDiff = OutputOf<typeof recordDiff>;
export type DiffEntry = OutputOf<typeof diffEntry>;
export type DiffValue = OutputOf<typeof diffValue>;
export type Secondary = OutputOf<typeof secondary>;
export type SecondaryCheck = OutputOf<typeof secondaryCheck>;
export type SecondaryTransfers = OutputOf<typeof secondaryTransfers>;
export type TransferSummary = OutputOf<typeof transferSummary>;
export type ZoneStatus = OutputOf<typeof zoneStatus>;
export type Role = OutputOf<typeof role>;
export type Grant = OutputOf<typeof roleGrant>;
export type Permissions = OutputOf<typeof permissions>;
export type Token = OutputOf<typeof token>;
export type TokenCreation = OutputOf<typeof tokenCreation>;
export type TsigKey = OutputOf<typeof tsigKey>;
export type TsigKeyWithSecret = OutputOf<typeof tsigKeyAnswer>;

export type DnssecPolicy = OutputOf<typeof dnssecPolicy>;
export type DnssecStatus = OutputOf<typeof dnssecStatus>;

export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
}

export interface Message {
  readonly message: string;
}
