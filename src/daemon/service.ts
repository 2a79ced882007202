/**
 * Starts and stops the whole service: its foundation, the thread that writes, the parts (compose.ts), then what works
 * by itself, and at last whatever listens to a socket.
 */
import { readFileSync } from 'node:fs';
import { askParents } from '../background/dnssec/parents.ts';
import { askSecondaries } from '../background/dnssec/secondaries.ts';
import { applyEpochs } from '../background/apply-epochs.ts';
import { logEvents } from '../background/event-log.ts';
import { Repairer } from '../background/repair/repairer.ts';
import { openWorkers } from '../background/workers.ts';
import { systemClock } from '../base/clock.ts';
import { certificatesIn } from '../base/certificates.ts';
import { Problem } from '../base/problem.ts';
import { Outbound, OutboundPolicy } from '../outbound/policy.ts';
import { openEpoch } from '../query/epoch-queries.ts';
import { SecondaryQueries } from '../query/named-queries.ts';
import { ZoneQueries } from '../query/zone-queries.ts';
import type { Log } from '../telemetry/log.ts';
import { bySystem } from '../writer/submission.ts';
import { compose, jobsOf, type Parts } from './compose.ts';
import type { Config } from './config.ts';
import { requireNoZoneNamed } from './config-examination.ts';
import { beginEpoch, type StartChoice } from './epoch.ts';
import { openFoundation } from './foundation.ts';
import { localSocketPath } from './http-listeners.ts';
import { type Listeners, type Running, startListeners } from './listeners.ts';
import { startWriter } from './writing.ts';

export interface Service {
  readonly apiUrl: string;
  readonly apiPort: number;
  readonly dnsPort: number;
  readonly socket: string;
  /** True when the network listener needs a token and there is none yet. */
  readonly needsToken: boolean;
  /** Takes what a running service can: logging, NOTIFY, defaults of zones. */
  reconfigure(config: Config): void;
  /** Hears of an error that nobody's call was there for; false when it is no fault of the storage. */
  reportRead(error: unknown): boolean;
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
  const foundation = openFoundation(config, log, choice, started);
  const { zoneDefaults, catalogZoneName, guard: guardDefaults } = config.dns;
  requireNoZoneNamed(catalogZoneName, new ZoneQueries(foundation.reader.connection));
  const workers = openWorkers(foundation.database.file, config.dataDir);
  started.defer(() => workers.close());
  const writer = await startWriter(
    {
      file: foundation.database.file,
      checkpoints: config.database.checkpoints,
      checkpointsHeld: foundation.checkpointer.held,
      erasures: foundation.checkpointer.erasures,
      commits: foundation.storage.commits,
      keyFile: config.dnssec.keyEncryptionFile,
      insecureKeyFile: choice.insecureKeyFile ?? false,
      options: { zoneDefaults, catalogZoneName, guardDefaults },
    },
    foundation,
    log,
  );
  started.defer(() => writer.close());
  const outbound = new Outbound(new OutboundPolicy({ ...config.outbound, listeners: [] }));
  const ground = { ...foundation, config, log, workers, writer, outbound };
  const running: Running = { ...ground, parts: composeParts(ground) };
  const recovered = await startWork(running, started);
  const listeners = await startListeners(running, socket, started);
  startJobs(running);
  if (recovered > 0) listeners.announceAll();
  return serviceOf(running, socket, listeners, started.move());
}

function composeParts(running: Omit<Running, 'parts'>): Parts {
  const { config, database, reader, outbound } = running;
  const { connection } = reader;
  const secondaries = new SecondaryQueries(connection);
  return compose(
    {
      ...running,
      connection,
      file: database.file,
      clock: systemClock,
      outbound: outbound.policy,
      authorities: authoritiesOf(config.outbound),
      askParents: (zoneName, parents) => askParents(zoneName, parents, { outbound }),
      askSecondaries: (zoneName, skipped) =>
        askSecondaries(zoneName, { secondaries, outbound }, skipped),
    },
    config,
  );
}

/** Whom webhooks trust besides the authorities that Node brings along. */
function authoritiesOf({ caFile }: Config['outbound']): readonly string[] {
  return caFile === undefined ? [] : certificatesIn(readFileSync(caFile, 'utf8'));
}

/**
 * Brings the database to where it can be served, and starts what works by itself; returns how many zones took
 * their step into a new epoch.
 */
async function startWork(running: Running, started: AsyncDisposableStack): Promise<number> {
  const { log, writer, workers, parts, reader, metrics } = running;
  const { connection } = reader;
  // A disk that can not be written keeps nobody from starting.
  await writer.operate({ kind: 'forget-token-uses' }).catch(requireProblem);
  parts.notes.start();
  started.defer(() => parts.notes.stop());
  logEvents(writer, log);
  if (running.plannedEpoch !== undefined) {
    const { dataDir, dns } = running.config;
    const { secondaries } = parts;
    const services = { ...running, connection, secondaries, dataDir };
    await beginEpoch(running.plannedEpoch, { ...services, catalogName: dns.catalogZoneName });
  }
  await writer.submit({ kind: 'ensure-admin-role' }, bySystem);
  await writer.submit({ kind: 'ensure-default-policy' }, bySystem);
  const repairer = new Repairer({ writer, connection, workers, metrics, log });
  started.defer(() => repairer.stop());
  for (const job of jobsOf(parts)) started.defer(() => job.stop());
  // Before the jobs, one of which may wait for a pass.
  started.defer(() => parts.signing.wholePasses.stop());
  // Before anything is served, and again where a start was cut short.
  const epoch = openEpoch(connection);
  const recovered = epoch === undefined ? 0 : await applyEpochs(epoch, { writer, log });
  running.epochKeeper.start();
  return recovered;
}

/** Jobs write too: they go on at once when a disk that failed can be written again. */
function startJobs({ storage, parts }: Running): void {
  const jobs = jobsOf(parts);
  for (const job of jobs) job.start();
  storage.onReturn(() => {
    for (const job of jobs) job.resume?.();
  });
}

function requireProblem(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

function serviceOf(
  { config, log, writer, storage, parts }: Running,
  socket: string,
  listeners: Listeners,
  running: AsyncDisposableStack,
): Service {
  const { network, dnsPort, sender, notifier } = listeners;
  const noTokens = parts.access.listTokens(undefined, { limit: 1, offset: 0 }).total === 0;
  return {
    apiUrl: network.url,
    apiPort: network.port,
    dnsPort,
    socket,
    needsToken: config.api.authenticationRequired && noTokens,
    reconfigure(next) {
      log.setLevel(next.logging.level);
      log.setFormat(next.logging.format);
      sender.setTimeouts(next.dns.notify.retries, next.dns.notify.timeoutSecs * 1000);
      notifier.setBatchMs(next.dns.notify.batchMs);
      writer.configure({ zoneDefaults: next.dns.zoneDefaults });
      parts.importer.configure({ defaultTtl: next.dns.zoneDefaults.defaultTtl });
    },
    reportRead: (error) => storage.reportRead(error),
    async stop() {
      const cut = await listeners.close();
      await running.disposeAsync();
      return cut;
    },
  };
}
