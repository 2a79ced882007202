/**
 * The composition root: makes every room's parts, hands them to each other, starts and stops them.
 *
 *   database -> thread that writes, reading connection -> HTTP doors, nameserver, notifier
 */
import { logEvents } from '../background/event-log.ts';
import { askParents } from '../background/dnssec/parents.ts';
import { askSecondaries } from '../background/dnssec/secondaries.ts';
import { createSigning } from '../background/dnssec/signing.ts';
import { startClearing } from '../background/import/clearing.ts';
import { Importer } from '../background/import/importer.ts';
import { takeEpochSteps } from '../background/epoch-steps.ts';
import { createProber } from '../background/prober.ts';
import { startRepairer } from '../background/repair/repairer.ts';
import { Retention } from '../background/retention/retention.ts';
import { watchWal } from '../background/wal-watch.ts';
import { Verifier } from '../background/verify/verifier.ts';
import { SecondaryWatch } from '../background/secondary-watch.ts';
import { systemClock } from '../base/clock.ts';
import { catalogZone, catalogZoneId } from '../domain/catalog.ts';
import { createApp } from '../http/app.ts';
import { openDatabase } from '../journal/database.ts';
import { createEpochKeeper } from '../journal/epoch-keeper.ts';
import { Journal } from '../journal/journal.ts';
import { openTurnReader } from '../journal/turn-reader.ts';
import { Keystore } from '../keystore/keystore.ts';
import { createTsigKeys } from '../nameserver/authenticate.ts';
import { createNameserver } from '../nameserver/nameserver.ts';
import { reachableAddress } from '../outbound/address.ts';
import { Outbound, OutboundPolicy } from '../outbound/policy.ts';
import { AccessQueries } from '../query/access-queries.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { openEpoch } from '../query/epoch-queries.ts';
import { DeletedZoneQueries, ZoneQueries } from '../query/zone-queries.ts';
import { NodeReader } from '../query/node-reader.ts';
import { PolicyQueries, SecondaryQueries } from '../query/named-queries.ts';
import { Reader } from '../query/reader.ts';
import { RightsReader } from '../query/rights-reader.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { SnapshotPool } from '../query/snapshot.ts';
import { TransferQueries } from '../query/transfer-queries.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { requireNoZoneNamed } from './config-examination.ts';
import {
  type HttpListener,
  listenLocally,
  listenOnNetwork,
  localSocketPath,
} from './http-listeners.ts';
import { beginEpoch, examineEpoch, reasonAgainstNew, type StartChoice } from './epoch.ts';
import { startNotifying } from './notifying.ts';
import { createStorage } from './storage.ts';
import { version } from './version.ts';
import { startWriting } from './writing.ts';

/** Provenance of what the service does by itself. */
const bySystem = { source: 'system', actor: null, requestId: null, dryRun: false } as const;

export interface Service {
  readonly apiUrl: string;
  readonly apiPort: number;
  readonly dnsPort: number;
  readonly socket: string;
  /** True when the network door needs a token and there is none yet. */
  readonly needsToken: boolean;
  /** Takes what a running service can: logging, NOTIFY, defaults of zones. */
  reconfigure(config: Config): void;
  /** Hears of an error that nobody's call was there for; false when it is no fault of the storage. */
  noted(error: unknown): boolean;
  /** Stops accepting, finishes what is in work, closes the database; tells how many requests it cut off. */
  stop(): Promise<number>;
}

/** Starts the whole service; when a part can not start, those before it are stopped again. */
export async function startService(
  config: Config,
  log: Log,
  choice: StartChoice = {},
): Promise<Service> {
  // First of all, so that nothing is made in a folder that can not be used.
  const socket = localSocketPath(config.dataDir);
  await using started = new AsyncDisposableStack();
  const keyFile = config.dnssec.keyEncryptionFile;
  const database = openDatabase(config.dataDir, {
    ...config.database,
    refuseNew: reasonAgainstNew(config.dataDir, keyFile, choice),
  });
  started.defer(() => database.close());
  const { upgrade } = database;
  if (upgrade !== undefined) log.info('database.upgraded', { ...upgrade });
  const plannedEpoch = examineEpoch(config.dataDir, database.connection, choice);
  // Makes the key file of a new database, or finds that it is another's.
  new Keystore(database.connection, keyFile, choice.insecureKeyFile);
  // From here on only the thread that writes does so; that connection closes the database, and does nothing else.
  const reader = openTurnReader(database.file);
  started.defer(() => reader.close());
  const { connection } = reader;
  const epochKeeper = createEpochKeeper(config.dataDir, connection, (error) =>
    log.error('epoch.not-written', { error }),
  );
  started.defer(() => epochKeeper.stop());
  const journal = new Journal(connection);
  const keystore = new Keystore(connection, keyFile, choice.insecureKeyFile);
  const metrics = createMetrics({ version, startedAtMs: systemClock() });
  started.defer(() => metrics.close());
  const { storage, checkpointer } = createStorage({ database, metrics, log });
  started.defer(() => checkpointer.stop());
  started.defer(() => storage.stop());
  const zones = new ZoneQueries(connection);
  const records = new Reader(database.file, connection);
  started.defer(() => records.close());
  const secondaries = new SecondaryQueries(connection);
  metrics.collectFrom({
    zones: () => zones.counts().zones,
    records: () => zones.counts().records,
    databaseUp: () => zones.counts().zones >= 0,
    storageWritable: () => storage.isWritable,
    wal: () => database.walLength(),
    zonesAhead: () => watch.count(),
  });
  const walWatch = watchWal({ ...database, connection }, log, config.database);
  started.defer(() => walWatch.stop());
  const access = new AccessQueries(connection);
  const snapshots = new SnapshotPool(database.file);
  started.defer(() => snapshots.close());

  const { zoneDefaults, catalogZoneName } = config.dns;
  requireNoZoneNamed(catalogZoneName, zones);
  const catalogQueries = new CatalogQueries(connection);
  const catalog = () => catalogZone(catalogZoneName, catalogQueries.state());
  const rights = new RightsReader(access);
  const writing = await startWriting(
    {
      file: database.file,
      checkpoints: config.database.checkpoints,
      checkpointsHeld: checkpointer.held,
      commits: storage.commits,
      keyFile,
      insecureKeyFile: choice.insecureKeyFile ?? false,
      options: { zoneDefaults, catalogZoneName },
    },
    { reader, rights, keystore, storage, metrics, log },
  );
  started.defer(() => writing.stop());
  const { engine, transferLog, tokenUse } = writing;
  logEvents(engine, log);
  const outbound = new Outbound(new OutboundPolicy({ ...config.outbound, listeners: [] }));
  if (plannedEpoch !== undefined) {
    const { dataDir } = config;
    const catalogName = catalogZoneName;
    const services = { dataDir, connection, engine, secondaries, outbound, catalogName, log };
    await beginEpoch(plannedEpoch, services);
  }
  await engine.submit({ kind: 'ensure-admin-role' }, bySystem);
  await engine.submit({ kind: 'ensure-default-policy' }, bySystem);

  const repairer = startRepairer({ engine, connection, metrics, log });
  started.defer(() => repairer.stop());

  const verifier = new Verifier({ file: database.file, clock: systemClock, log });
  started.defer(() => verifier.stop());
  metrics.collectFrom({ verified: () => verifier.last });

  const tsigKeys = createTsigKeys({ keyOf: (name) => rights.tsigKey(name), keystore });
  const importer = new Importer(
    {
      engine,
      zones,
      outbound: outbound.policy,
      clock: systemClock,
    },
    {
      file: database.file,
      folder: config.dataDir,
      defaultTtl: zoneDefaults.defaultTtl,
      transferTimeoutMs: config.dns.import.timeoutSecs * 1000,
      transferMaxRecords: config.dns.import.maxRecords,
    },
  );
  const retention = new Retention(
    { engine, file: database.file, connection, clock: systemClock, log },
    {
      days: config.dns.zoneHistoryRetentionDays,
      signerDays: config.dns.signerHistoryRetentionDays,
      intervalSecs: config.dns.schedulerIntervalSecs,
    },
  );
  started.defer(() => retention.stop());
  const signing = createSigning({
    engine,
    zones,
    policies: new PolicyQueries(connection),
    signing: new SigningQueries(connection),
    reader: records,
    metrics,
    log,
    clock: systemClock,
    file: database.file,
    lastEventAt: () => journal.newest().at,
    askParents: (zoneName, parents) => askParents(zoneName, parents, { outbound }),
    secondaries,
    askSecondaries: (zoneName, skipped) =>
      askSecondaries(zoneName, { secondaries, outbound }, skipped),
  });
  started.defer(() => signing.scheduler.stop());
  // Before anything is served, and again where a start was cut short.
  const epoch = openEpoch(connection);
  const recovered = epoch === undefined ? 0 : await takeEpochSteps(epoch, { engine, log });
  epochKeeper.start();
  const clearing = startClearing(engine);
  started.defer(() => clearing.stop());

  const {
    sender,
    notifier,
    stop: stopNotifying,
  } = startNotifying(
    { engine, secondaries, zones, catalog, outbound, metrics, log, tsigKeys },
    config.dns,
  );
  started.defer(stopNotifying);

  const nameserver = createNameserver(
    {
      nodes: new NodeReader(connection),
      secondaries,
      snapshots,
      catalog: { name: catalogZoneName, now: catalogQueries, open: () => snapshots.open() },
      transferLog,
      metrics,
      log,
      clock: systemClock,
      resolver: outbound.resolver,
      findKey: tsigKeys.byName,
      updates: {
        engine,
        appliedSince: (sinceMs) => journal.requestsSince('nsupdate', sinceMs),
        tsigRequired: config.dns.nsupdateTsigRequired,
      },
      storage,
      keyMayTransfer({ roleId }, zone) {
        const held = rights.ofRole(roleId);
        // The catalog names every zone there is.
        return zone.id === catalogZoneId
          ? held.everywhere('zone:transfer')
          : held.inZone('zone:transfer', zone.id);
      },
    },
    { ...config.dns, spoolFolder: config.dataDir },
  );
  const { udp: dnsPort } = await nameserver.start();
  outbound.policy.addListener({ address: config.dns.listenAddr, port: dnsPort });
  started.defer(() => nameserver.stop());

  const transfers = new TransferQueries(connection, transferLog);
  const watch = new SecondaryWatch({ secondaries, zones, catalog, outbound, log });
  started.defer(() => watch.stop());
  const prober = createProber({
    secondaries,
    outbound,
    transfers,
    notifier,
    catalog,
    watch,
    listener: outbound.policy.admitListener({
      address: reachableAddress(config.dns.listenAddr),
      port: dnsPort,
    }),
  });
  const app = createApp({
    engine,
    zones,
    records,
    deletedZones: new DeletedZoneQueries(connection),
    versions: records.versions,
    exporter: records,
    externalDns: records.externalDns,
    retention,
    importer,
    secondaries,
    policies: new PolicyQueries(connection),
    dnssec: signing.desk,
    access,
    rights,
    keystore,
    tokenUse,
    storage,
    metrics,
    log,
    clock: systemClock,
    notifier,
    prober,
    transfers,
    version,
    options: { ...config.api, catalogZoneName },
  });
  const network: HttpListener = await listenOnNetwork(app, config.api);
  started.defer(async () => void (await network.close()));
  outbound.policy.addListener({ address: config.api.listenAddr, port: network.port });
  const local: HttpListener = await listenLocally(app, socket);
  started.defer(async () => void (await local.close()));

  retention.start();
  verifier.start(config.database.verifyIntervalHours);
  watch.start();
  signing.scheduler.start(config.dns.schedulerIntervalSecs);
  // What could not be written meanwhile is made up for at once, not with the next run.
  storage.onReturn(() => {
    void retention.run();
    if (config.dns.schedulerIntervalSecs > 0) void signing.scheduler.runOnce();
  });
  if (recovered > 0) {
    // Who can not be told now comes by itself after the refresh of the SOA.
    const failed = (error: unknown) => log.error('notify.lost', { error });
    notifier.notifyNow(catalogZoneName).catch(failed);
    notifier.notifyNow(undefined).catch(failed);
  }
  const running = started.move();
  return {
    apiUrl: network.url,
    apiPort: network.port,
    dnsPort,
    socket,
    needsToken:
      config.api.authenticationRequired &&
      access.listTokens(undefined, { limit: 1, offset: 0 }).total === 0,
    reconfigure(next) {
      log.setLevel(next.logging.level);
      log.setFormat(next.logging.format);
      sender.setTimeouts(next.dns.notify.retries, next.dns.notify.timeoutSecs * 1000);
      notifier.setBatchMs(next.dns.notify.batchMs);
      engine.configure({ zoneDefaults: next.dns.zoneDefaults });
      importer.configure({ defaultTtl: next.dns.zoneDefaults.defaultTtl });
    },
    noted: (error) => storage.noted(error),
    async stop() {
      // All listeners at once: nobody is let in by one while another is being closed.
      const [cutAtNetwork, cutAtSocket] = await Promise.all([
        network.close(),
        local.close(),
        nameserver.stop(),
      ]);
      await running.disposeAsync();
      return cutAtNetwork + cutAtSocket;
    },
  };
}
