/** Whatever of the service listens to a socket or sends to other hosts: DNS, HTTP, NOTIFY, questions to secondaries. */
import { Notifier } from '../background/notify.ts';
import { NotifyAnswers } from '../background/notify-answers.ts';
import { Prober, type ProberServices } from '../background/prober.ts';
import { Propagation } from '../background/propagation.ts';
import { SecondaryWatch } from '../background/secondary-watch.ts';
import { systemClock } from '../base/clock.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import { exchangesWith } from '../dns/wire/tsig-exchange.ts';
import type { Zone } from '../domain/zone.ts';
import { catalogZone, catalogZoneId } from '../domain/catalog.ts';
import type { WriterClient } from '../writer/client.ts';
import { Journal } from '../journal/journal.ts';
import { createTsigKeys, type TsigKeys } from '../nameserver/authenticate.ts';
import { createNameserver, type Nameserver } from '../nameserver/nameserver.ts';
import type { UpdateServices } from '../nameserver/update.ts';
import { canonicalAddress, reachableAddress } from '../outbound/address.ts';
import { createNotifySender, type NotifySender } from '../outbound/notify.ts';
import type { Outbound } from '../outbound/policy.ts';
import type { TransferLog } from '../projection/activity-log.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { NodeReader } from '../query/node-reader.ts';
import { SnapshotPool } from '../query/snapshot.ts';
import type { Log } from '../telemetry/log.ts';
import type { Parts } from './compose.ts';
import type { Config } from './config.ts';
import type { Foundation } from './foundation.ts';
import { type HttpListener, listenLocally, listenOnNetwork } from './http-listeners.ts';

/** What the service is made of. */
export interface Running extends Foundation {
  readonly config: Config;
  readonly log: Log;
  readonly writer: WriterClient;
  readonly workers: WorkerPool;
  readonly outbound: Outbound;
  readonly parts: Parts;
}

export interface Listeners {
  readonly network: HttpListener;
  readonly dnsPort: number;
  readonly sender: NotifySender;
  readonly notifier: Notifier;
  /** Tells all secondaries of all zones. */
  announceAll(): void;
  /** Takes no more, and finishes what is in work; tells how many requests it cut off. */
  close(): Promise<number>;
}

export async function startListeners(
  running: Running,
  socket: string,
  started: AsyncDisposableStack,
): Promise<Listeners> {
  const { config, log, keystore, outbound, parts, reader } = running;
  const { dns, api } = config;
  const { rights } = parts;
  const tsigKeys = createTsigKeys({ keyOf: (name) => rights.tsigKey(name), keystore });
  const queries = new CatalogQueries(reader.connection);
  const catalog = () => catalogZone(dns.catalogZoneName, queries.state());
  const notifyAnswers = new NotifyAnswers(systemClock);
  const telling = { catalog, tsigKeys, answers: notifyAnswers };
  const { sender, notifier } = startNotifying(running, telling, started);
  // Made once the nameserver has its port, and answers.
  let asking: ReturnType<typeof startAsking> | undefined;
  const transferLog: Pick<TransferLog, 'record'> = {
    record(entry) {
      parts.transferLog.record(entry);
      asking?.propagation.transferred(entry);
      asking?.watch.transferred(entry);
    },
  };
  const stopping = new AbortController();
  const withinMs = dns.updateWaitSecs * 1000;
  const reached = async (zone: Zone) => {
    const wait = { withinMs, signal: stopping.signal, owner: 'updates' };
    // It is done either way: where too many wait, its answer does not.
    await asking?.propagation.reach(zone, zone.serial, wait).catch(() => {});
  };
  const neighbours = { tsigKeys, transferLog, reached: withinMs === 0 ? undefined : reached };
  const nameserver = nameserverOf(running, queries, neighbours, started);
  const { udp: dnsPort } = await nameserver.start();
  outbound.policy.addListener({ address: dns.listenAddr, port: dnsPort });
  started.defer(() => nameserver.stop());
  asking = startAsking(running, dnsPort, { catalog, notifier, notifyAnswers }, started);
  const { watch, prober, propagation } = asking;
  const app = parts.createHttp({ notifier, prober, propagation });
  const network = await listenOnNetwork(app, api);
  started.defer(async () => void (await network.close()));
  outbound.policy.addListener({ address: api.listenAddr, port: network.port });
  const local = await listenLocally(app, socket);
  started.defer(async () => void (await local.close()));
  watch.start();
  return {
    network,
    dnsPort,
    sender,
    notifier,
    announceAll() {
      // A secondary that can not be notified now asks by itself after the refresh of the SOA.
      const failed = (error: unknown) => log.error('notify.lost', { error });
      notifier.notifyNow(dns.catalogZoneName).catch(failed);
      notifier.notifyNow(undefined).catch(failed);
    },
    async close() {
      stopping.abort();
      // All listeners at once: nobody is let in by one while another is being closed.
      const [cutAtNetwork, cutAtSocket] = await Promise.all([
        network.close(),
        local.close(),
        nameserver.stop(),
      ]);
      return cutAtNetwork + cutAtSocket;
    },
  };
}

/** What asks secondaries which serials they serve. */
function startAsking(
  { config: { dns }, parts, outbound, metrics, log }: Running,
  dnsPort: number,
  neighbours: Pick<ProberServices, 'catalog' | 'notifyAnswers'> & { readonly notifier: Notifier },
  started: AsyncDisposableStack,
) {
  const clock = systemClock;
  const watch = new SecondaryWatch({ ...parts, ...neighbours, outbound, clock, log });
  started.defer(() => watch.stop());
  metrics.collectFrom(() => ({ zonesAhead: watch.count() }));
  const ownAddress = { address: reachableAddress(dns.listenAddr), port: dnsPort };
  const listener = outbound.policy.admitListener(ownAddress);
  const listens = { address: canonicalAddress(dns.listenAddr), port: dnsPort };
  const prober = new Prober({ ...parts, ...neighbours, outbound, watch, listener, listens });
  const { secondaries } = parts;
  return { watch, prober, propagation: new Propagation({ secondaries, prober, clock }) };
}

/** What tells secondaries of changes: the notifier, its sender and the keys that sign for it. */
function startNotifying(
  { config, writer, parts, outbound, metrics, log }: Running,
  telling: {
    readonly catalog: () => ReturnType<typeof catalogZone>;
    readonly tsigKeys: Pick<TsigKeys, 'byText'>;
    readonly answers: NotifyAnswers;
  },
  started: AsyncDisposableStack,
): { readonly sender: NotifySender; readonly notifier: Notifier } {
  const { notify, listenAddr } = config.dns;
  const sender = createNotifySender({
    retries: notify.retries,
    timeoutMs: notify.timeoutSecs * 1000,
    listenAddress: listenAddr,
  });
  started.defer(() => sender.close());
  const { secondaries, zones } = parts;
  const notifier = new Notifier(
    {
      ...telling,
      secondaries,
      zones,
      sender,
      outbound,
      metrics,
      log,
      onCommit: (listener) => writer.onCommit(listener),
      signerFor: (keyName) => {
        const known = telling.tsigKeys.byText(keyName);
        return known && exchangesWith(known.key, systemClock);
      },
    },
    { batchMs: notify.batchMs },
  );
  started.defer(() => notifier.stop());
  return { sender, notifier };
}

function nameserverOf(
  { config, writer, parts, outbound, metrics, log, storage, reader, database }: Running,
  queries: CatalogQueries,
  neighbours: {
    readonly tsigKeys: TsigKeys;
    readonly transferLog: Pick<TransferLog, 'record'>;
    readonly reached: UpdateServices['reached'];
  },
  started: AsyncDisposableStack,
): Nameserver {
  const { connection } = reader;
  const { dns } = config;
  const { rights, secondaries } = parts;
  const { tsigKeys, transferLog, reached } = neighbours;
  const snapshots = new SnapshotPool(database.file);
  started.defer(() => snapshots.close());
  const journal = new Journal(connection);
  return createNameserver(
    {
      secondaries,
      snapshots,
      transferLog,
      metrics,
      log,
      storage,
      nodes: new NodeReader(connection),
      catalog: { name: dns.catalogZoneName, now: queries, open: () => snapshots.open() },
      clock: systemClock,
      resolver: outbound.resolver,
      findKey: tsigKeys.byName,
      updates: {
        writer,
        appliedSince: (sinceMs) => journal.requestsSince('nsupdate', sinceMs),
        tsigRequired: dns.nsupdateTsigRequired,
        reached,
      },
      keyMayTransfer({ roleId }, zone) {
        const held = rights.ofRole(roleId);
        // The catalog names every zone there is.
        return zone.id === catalogZoneId
          ? held.everywhere('zone:transfer')
          : held.inZone('zone:transfer', zone.id);
      },
    },
    { ...dns, spoolFolder: config.dataDir },
  );
}
