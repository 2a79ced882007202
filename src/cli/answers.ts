/**
 * Types of the API's answers, taken from the contract: types only, so that a file which names one of them
 * loads no schema.
 */
import type * as access from '../contract/access.ts';
import type * as webhooks from '../contract/webhooks.ts';
import type * as sessions from '../contract/sessions.ts';
import type * as changes from '../contract/changes.ts';
import type * as dnssec from '../contract/dnssec-status.ts';
import type * as policy from '../contract/dnssec-policies.ts';
import type * as events from '../contract/events.ts';
import type * as explain from '../contract/explain.ts';
import type * as history from '../contract/history.ts';
import type * as desired from '../contract/desired.ts';
import type * as imports from '../contract/exchange.ts';
import type * as records from '../contract/records.ts';
import type * as search from '../contract/search.ts';
import type * as secondaries from '../contract/secondaries.ts';
import type * as service from '../contract/service.ts';
import type * as tags from '../contract/tags.ts';
import type * as versions from '../contract/versions.ts';
import type * as warnings from '../contract/warning.ts';
import type * as zones from '../contract/zones.ts';

/** What a schema lets through. */
type OutputOf<Schema extends { readonly '~types'?: { readonly output: unknown } | undefined }> =
  NonNullable<Schema['~types']>['output'];

export type Zone = OutputOf<typeof zones.zone>;
export type ZoneUpdate = OutputOf<typeof zones.zoneUpdate>;
export type ZoneDeletion = OutputOf<typeof zones.zoneDeletion>;
export type DeletedZone = OutputOf<typeof zones.deletedZone>;
export type Warning = OutputOf<typeof warnings.warning>;
export type ZoneVersion = OutputOf<typeof versions.zoneVersion>;
export type VersionWithRecords = OutputOf<typeof versions.versionAnswer>;
export type VersionDiff = OutputOf<typeof versions.versionDiff>;
export type ZoneDiff = OutputOf<typeof versions.zoneDiff>;
export type Rollback = OutputOf<typeof versions.rollbackAnswer>;
export type Event = OutputOf<typeof events.event>;
export type Reversion = OutputOf<typeof events.reversion>;
export type HistoryEntry = OutputOf<typeof history.historyEntry>;
export type JournalEvent = OutputOf<typeof events.event>;
export type EventAnswer = OutputOf<typeof events.eventAnswer>;
export type EventPage = OutputOf<typeof events.pageOfEvents>;
export type ZoneTag = OutputOf<typeof tags.zoneTag>;
export type TagChange = OutputOf<typeof tags.tagChange>;
export type Blame = OutputOf<typeof history.blame>;
export type Activity = OutputOf<typeof history.activity>;
export type ImportReport = Required<OutputOf<typeof imports.importReport>>;
export type ForgottenHistory = OutputOf<typeof history.forgetAnswer>;
export type Changes = OutputOf<typeof changes.changesAnswer>;
export type DnsRecord = OutputOf<typeof records.record>;
export type RecordChange = OutputOf<typeof records.recordChange>;
export type RecordDeletion = OutputOf<typeof records.recordDeletion>;
export type RecordBulk = Required<OutputOf<typeof records.recordBulk>>;
export type RecordDiff = OutputOf<typeof records.recordDiff>;
export type DiffEntry = OutputOf<typeof records.diffEntry>;
export type DiffValue = OutputOf<typeof records.diffValue>;
export type Secondary = OutputOf<typeof secondaries.secondary>;
export type Webhook = OutputOf<typeof webhooks.webhook>;
export type WebhookCreation = OutputOf<typeof webhooks.webhookCreation>;
export type WebhookTest = OutputOf<typeof webhooks.webhookTest>;
export type SecondaryCheck = OutputOf<typeof secondaries.secondaryCheck>;
export type ServedCheck = OutputOf<typeof secondaries.servedCheck>;
export type SecondaryTransfers = OutputOf<typeof secondaries.secondaryTransfers>;
export type TransferSummary = OutputOf<typeof secondaries.transferSummary>;
export type Desired = OutputOf<typeof desired.desiredAnswer>;
export type Drift = OutputOf<typeof desired.driftAnswer>;
export type Propagation = OutputOf<typeof secondaries.propagation>;
export type ZoneStatus = OutputOf<typeof secondaries.zoneStatus>;
export type SearchAnswer = OutputOf<typeof search.searchAnswer>;
export type Role = OutputOf<typeof access.role>;
export type Grant = OutputOf<typeof access.roleGrant>;
export type Permissions = OutputOf<typeof access.permissions>;
export type Explanation = OutputOf<typeof explain.explainAnswer>;
export type Token = OutputOf<typeof access.token>;
export type Session = OutputOf<typeof sessions.session>;
export type LoginCode = OutputOf<typeof sessions.loginCode>;
export type TokenCreation = OutputOf<typeof access.tokenCreation>;
export type TsigKey = OutputOf<typeof access.tsigKey>;
export type TsigKeyWithSecret = OutputOf<typeof access.tsigKeyAnswer>;
export type DnssecPolicy = OutputOf<typeof policy.dnssecPolicy>;
export type DnssecStatus = OutputOf<typeof dnssec.dnssecStatus>;

/** What is not a service of ours may answer anything. */
export type Health = Partial<OutputOf<typeof service.health>>;

/** A page of a list. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
  readonly next_cursor: string | null;
}

export interface Message {
  readonly message: string;
}
