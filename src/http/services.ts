/**
 * What the HTTP API needs from the rest of the service; the daemon passes it in. Methods are named one by one, so
 * that a test can replace them with a few lines.
 */
import type { Signing } from '../background/dnssec/signing.ts';
import type { SigningService } from '../background/dnssec/signing-service.ts';
import type { Importer } from '../background/import/importer.ts';
import type { Jobs } from '../background/jobs.ts';
import type { Notifier } from '../background/notify.ts';
import type { Prober } from '../background/prober.ts';
import type { Propagation } from '../background/propagation.ts';
import type { Clock } from '../base/clock.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { Writer } from '../writer/writer.ts';
import type { Storage } from '../journal/storage.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { AccessQueries } from '../query/access-queries.ts';
import type { PolicyQueries, SecondaryQueries, WebhookQueries } from '../query/named-queries.ts';
import type { Reader } from '../query/reader.ts';
import type { RightsReader } from '../query/rights-reader.ts';
import type { TokenUse } from '../projection/activity-log.ts';
import type { TransferQueries } from '../query/transfer-queries.ts';
import type { DeletedZoneQueries, ZoneQueries } from '../query/zone-queries.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Cursors } from './cursor.ts';
import type { Logins } from './login.ts';

export interface HttpOptions {
  readonly authenticationRequired: boolean;
  readonly metricsEnabled: boolean;
  readonly openapiEnabled: boolean;
  readonly externalDnsEnabled: boolean;
  /** Name of the catalog zone, which can be notified like a stored one. */
  readonly catalogZoneName: string;
  /** Bytes of an import body at most. */
  readonly maxImportBytes: number;
  /** Bytes of all request bodies together. */
  readonly maxBodiesBytes: number;
  /** The name by which the service is reached where no token is needed, besides its addresses. */
  readonly hostName: string | undefined;
  /** Unknown secrets a client address may try in a minute; 0 is no limit. */
  readonly authFailuresPerMinute: number;
  /** Whether the console is served. */
  readonly consoleEnabled: boolean;
  /** Where it is served. */
  readonly consolePath: string;
}

/**
 * What is stored, whoever asks. Only a view reads here (view/view.ts), and it is made of the rights of one caller.
 */
export interface Stored {
  readonly zones: Pick<ZoneQueries, 'byName' | 'byId' | 'list'>;
  readonly records: Pick<Reader, 'byId' | 'list' | 'listThen' | 'drift' | 'search'>;
  readonly deletedZones: Pick<DeletedZoneQueries, 'list' | 'byId'>;
  readonly versions: Reader['versions'];
  readonly events: Reader['events'];
  readonly lint: Pick<Reader['lint'], 'page'>;
  readonly exporter: Pick<Reader, 'exportText'>;
  readonly externalDns: Reader['externalDns'];
  readonly secondaries: Pick<SecondaryQueries, 'byName' | 'list'>;
  readonly webhooks: Pick<WebhookQueries, 'byName' | 'list'>;
  readonly policies: Pick<PolicyQueries, 'byName' | 'list'>;
  readonly access: Pick<
    AccessQueries,
    | 'roleByName'
    | 'tokenByName'
    | 'grantsOf'
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
  readonly tokenUse: Pick<TokenUse, 'stamp' | 'buffered'>;
  readonly transfers: Pick<TransferQueries, 'list' | 'summary'>;
}

/** What handlers have besides the view of their caller. */
export interface HandlerServices {
  readonly writer: Pick<Writer, 'submit'>;
  /** What works by itself, by name. */
  readonly jobs: Jobs;
  readonly importer: Pick<
    Importer,
    'expect' | 'create' | 'compare' | 'maxSmallChange' | 'rollBack' | 'revert' | 'run'
  >;
  readonly dnssec: Omit<
    SigningService,
    'noteBlocks' | 'noteAnswers' | 'noteSecondaries' | 'blocked'
  >;
  readonly zonesBySigning: Signing['zonesBySigning'];
  readonly storage: Pick<Storage, 'problem' | 'reportRead'>;
  readonly workers: Pick<WorkerPool, 'open' | 'expect'>;
  readonly metrics: Pick<
    Metrics,
    'httpRequests' | 'httpRequestDuration' | 'render' | 'values' | 'contentType'
  >;
  readonly log: Log;
  readonly clock: Clock;
  readonly logins: Logins;
  readonly cursors: Cursors;
  readonly notifier: Pick<Notifier, 'notifyNow'>;
  readonly prober: Omit<Prober, 'ask'>;
  readonly propagation: Pick<Propagation, 'reach' | 'allReach'>;
  readonly options: HttpOptions;
  readonly version: string;
}

export interface Services extends Stored, HandlerServices {}

/** What a view is made of, besides the rights of its caller. */
export type ViewSources = Stored & Pick<HandlerServices, 'options' | 'prober'>;
