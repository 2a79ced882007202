/**
 * The nameserver: UDP and TCP on one port, answering from the projections.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { apexOf } from '../domain/zone.ts';
import { createResolver, type Resolver } from '../outbound/resolver.ts';
import type { Log } from '../telemetry/log.ts';
import type { NodeSource } from './answer.ts';
import { type Catalog, openCatalogSource, withCatalog } from './catalog.ts';
import { Cookies } from './cookies.ts';
import { Dispatcher, type DispatchServices } from './dispatch.ts';
import { nameserverLimits } from './limits.ts';
import { cacheNodes } from './node-cache.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';
import { SlowTransfers } from './slow-transfers.ts';
import { listenTcp, type TcpServer } from './tcp.ts';
import { createTransferAcl, type KeyMayTransfer, type SecondarySource } from './transfer-acl.ts';
import { openZoneSource, type ZoneSnapshot } from './transfer-source.ts';
import { listenUdp, type UdpServer } from './udp.ts';
import { UpdateHandler, type UpdateServices } from './update.ts';

export interface NameserverServices
  extends Pick<DispatchServices, 'transferLog' | 'metrics' | 'findKey' | 'storage'> {
  readonly nodes: NodeSource;
  readonly secondaries: SecondarySource;
  /** Opens the state of this moment; throws Problem OVERLOADED when too many are open. */
  readonly snapshots: { open(): ZoneSnapshot };
  /** The zone that lists the zones; there is none when left out. */
  readonly catalog?: Catalog | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** Resolves host names of secondaries; the system's resolver when left out. */
  readonly resolver?: Resolver | undefined;
  readonly keyMayTransfer?: KeyMayTransfer | undefined;
  /** What applies dynamic updates; without it they are refused. */
  readonly updates?: Omit<UpdateServices, 'log' | 'clock'> | undefined;
}

/** The section `dns` of the configuration, as far as it is about the nameserver, and what tests set beside it. */
export interface NameserverOptions {
  readonly listenAddr: string;
  /** 0 takes any port that is free for UDP and TCP. */
  readonly listenPort: number;
  readonly answerQueries: boolean;
  readonly ixfrCondense: boolean;
  readonly tcpMaxConnections: number;
  readonly tcpIdleTimeoutSecs: number;
  /** Queries in work on one connection. */
  readonly tcpQueriesInWork: number;
  /** Where transfers to slow clients are kept, without a name. */
  readonly spoolFolder: string;
  /** The limit of answers over UDP to a prefix; there is none when left out, or at 0. */
  readonly rrl?: RateLimitOptions | undefined;
  /** Whether DNS cookies are served; not when left out. */
  readonly cookies?: boolean | undefined;
  /** Names this server to clients that ask. */
  readonly nsid?: string | undefined;
  /** Milliseconds a transfer may keep its snapshot; the limit of snapshots when left out. */
  readonly snapshotMs?: number | undefined;
}

export interface Nameserver {
  start(): Promise<{ udp: number; tcp: number }>;
  /** Takes no further requests, finishes what is in work and closes the sockets. */
  stop(): Promise<void>;
}

function createDispatcher(services: NameserverServices, options: NameserverOptions): Dispatcher {
  const { catalog, updates, clock, log } = services;
  const { rrl } = options;
  const catalogApex = catalog && apexOf(catalog);
  const stored = cacheNodes(services.nodes);
  const resolver = services.resolver ?? createResolver();
  return new Dispatcher({
    server: {
      tcpIdleSeconds: options.tcpIdleTimeoutSecs,
      nsid: options.nsid === undefined ? undefined : Buffer.from(options.nsid, 'utf8'),
      cookies: options.cookies ? new Cookies(clock) : undefined,
    },
    nodes: catalog === undefined ? stored : withCatalog(stored, catalog),
    catalogApex,
    acl: createTransferAcl(services.secondaries, resolver, services.keyMayTransfer),
    slow: new SlowTransfers(options.spoolFolder),
    openSource: (apex) =>
      catalog !== undefined && apex === catalogApex
        ? openCatalogSource(catalog)
        : openZoneSource(services.snapshots.open(), apex),
    metrics: services.metrics,
    transferLog: services.transferLog,
    log,
    clock,
    findKey: services.findKey,
    updates: updates && new UpdateHandler({ ...updates, log, clock }),
    storage: services.storage,
    rateLimit: rrl && rrl.responsesPerSecond > 0 ? new RateLimit(rrl) : undefined,
    answerQueries: options.answerQueries,
    ixfrCondense: options.ixfrCondense,
    snapshotMs: options.snapshotMs ?? limits.snapshotMs,
  });
}

export function createNameserver(
  services: NameserverServices,
  options: NameserverOptions,
): Nameserver {
  const dispatcher = createDispatcher(services, options);
  const tcpOptions = {
    maxConnections: options.tcpMaxConnections,
    idleMs: options.tcpIdleTimeoutSecs * 1000,
    queriesInWork: options.tcpQueriesInWork,
  };
  let udp: UdpServer | undefined;
  let tcp: TcpServer | undefined;

  /** Binds both; TCP goes first, because its free ports are the scarcer ones. */
  async function bind(port: number): Promise<void> {
    const { listenAddr } = options;
    const first = await listenTcp(listenAddr, port, dispatcher, tcpOptions, services.log);
    try {
      const { log } = services;
      udp = await listenUdp(dispatcher, { address: listenAddr, port: first.port, log });
      tcp = first;
    } catch (error) {
      await first.stop(0);
      throw error;
    }
  }

  return {
    async start() {
      for (let tries = 1; ; tries++) {
        try {
          await bind(options.listenPort);
          return { udp: udp!.port, tcp: tcp!.port };
        } catch (error) {
          // Any port will do, so one that another program holds for UDP is not the end.
          const retry = options.listenPort === 0 && isPortTaken(error);
          if (!retry || tries >= nameserverLimits.portTries) throw error;
        }
      }
    },
    async stop() {
      await Promise.all([udp?.stop(nameserverLimits.stopMs), tcp?.stop(nameserverLimits.stopMs)]);
      udp = undefined;
      tcp = undefined;
    },
  };
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
