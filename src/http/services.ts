/**
 * What the HTTP door needs from the rest of the service, as the daemon hands it in.
 *
 * Reads are named method by method, so that a test can stand in for them with a few lines.
 */
import type { Clock } from '../base/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { AccessQueries } from '../projection/access-queries.ts';
import type { Reader } from '../projection/long-reads.ts';
import type { RightsReader } from '../projection/rights-reader.ts';
import type { SecondaryQueries } from '../projection/secondary-queries.ts';
import type { TokenUse } from '../projection/token-use.ts';
import type { ZoneQueries } from '../projection/zone-queries.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** A secondary that was not told, and why. */
export interface NotifyFailure {
  readonly secondary: string;
  readonly error: string;
}

export interface Notifier {
  /**
   * Sends NOTIFY to every enabled secondary, for one zone (or the catalog) or for all, and waits for
   * the answers. The caller has made sure that the zone exists and is enabled.
   */
  notifyNow(zoneName: string | undefined): Promise<readonly NotifyFailure[]>;
}

export interface HttpOptions {
  readonly authenticationRequired: boolean;
  readonly metricsEnabled: boolean;
  readonly openapiEnabled: boolean;
  /** Name of the catalog zone, which can be notified like a stored one. */
  readonly catalogZoneName: string;
  /** Octets of an import body at most. */
  readonly maxImportBytes: number;
  /** Unknown secrets a client address may try in a minute; 0 is no limit. */
  readonly authFailuresPerMinute: number;
}

export interface Services {
  readonly engine: Pick<Engine, 'submit'>;
  readonly zones: Pick<ZoneQueries, 'byName' | 'byId' | 'list'>;
  readonly records: Pick<Reader, 'byId' | 'list'>;
  readonly secondaries: Pick<SecondaryQueries, 'byName' | 'list'>;
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
  readonly metrics: Pick<
    Metrics,
    'httpRequests' | 'httpRequestDuration' | 'render' | 'contentType'
  >;
  readonly log: Log;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly options: HttpOptions;
  readonly version: string;
}
