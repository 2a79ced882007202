/**
 * `zonebook serve`: runs the service in the foreground until SIGTERM or SIGINT.
 *
 * Exit codes: 0 after a graceful stop, 1 when the service can not start now, 6 when the configuration or
 * the data directory can not be used, which includes a database that was taken back or is missed.
 */
import { join } from 'node:path';
import { namedAsCalled } from '../base/called-as.ts';
import { judgeError, StorageProblem, stopsWriting } from '../base/storage-problem.ts';
import { DatabaseError, databaseFile } from '../journal/database.ts';
import { KeyFileError } from '../keystore/sealing.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { servesConsole } from './compose.ts';
import { type Config, ConfigError, type ConfigRequest, loadConfig, waitingKeys } from './config.ts';
import { examineForStart } from './config-examination.ts';
import type { StartChoice } from './epoch.ts';
import { notifyManager } from './service-manager.ts';
import { type Service, startService } from './service.ts';
import { judgeStart } from './start-error.ts';
import { version } from './version.ts';

/** Milliseconds from the signal to the end, whatever is still in work. */
const stopMs = 9500;

export interface ServeOptions extends StartChoice {
  readonly configFile?: string | undefined;
  readonly dataDir?: string | undefined;
  /** Of the service manager, where there is one. */
  readonly notifySocket?: string | undefined;
  /** How the program was called, for hints. */
  readonly calledAs?: string | undefined;
}

export async function serve(options: ServeOptions): Promise<number> {
  const request: ConfigRequest = {
    file: options.configFile,
    overrides: { dataDir: options.dataDir },
  };
  const config = loadConfig(request);
  examineForStart(config);
  const log = createLog({ level: config.logging.level, format: config.logging.format });
  const service = await startedService(config, log, options);
  log.info('service.started', {
    version,
    api: service.apiUrl,
    dns: `${config.dns.listenAddr}:${service.dnsPort}`,
    dataDir: config.dataDir,
  });
  const notify = (state: 'READY=1' | 'STOPPING=1') =>
    notifyLogged(options.notifySocket, state, log);
  const hint = (text: string) => namedAsCalled(text, options.calledAs);
  const signalled = stopSignal();
  // Before systemd may send it: a SIGHUP that nobody hears ends the process.
  let reread = () => rereadConfig(request, config, service, log);
  process.on('SIGHUP', () => reread());
  process.on('uncaughtException', (error) => survive(error, service));
  await notify('READY=1');
  if (service.needsToken) {
    log.info('service.no-token', { hint: hint('zonebook token create NAME --role admin') });
  }
  if (config.logging.format === 'text') process.stdout.write(hint(welcome(config, service)));
  const signal = await signalled;
  reread = () => {};
  log.info('service.stopping', { signal });
  await endService(service, log, notify('STOPPING=1'));
  return 0;
}

/** Stops the service and logs it; after `stopMs` the process ends. `notified`: the service manager was notified. */
export async function endService(
  service: Pick<Service, 'stop'>,
  log: Pick<Log, 'info'>,
  notified: Promise<void>,
): Promise<void> {
  const late = wait(stopMs);
  try {
    // What takes longer than a stop, an import from a slow server for one, is cut off.
    const cut = await Promise.race([service.stop(), late]);
    await Promise.race([notified, late]);
    log.info('service.stopped', { graceful: cut === 0, requestsCut: cut });
  } finally {
    // Whatever still keeps the process then: all that was acknowledged is on disk.
    void late.then(() => process.exit(0));
  }
}

/** Ends the process where it does not start. What fails in a timer or a thread meanwhile ends the start, too. */
async function startedService(config: Config, log: Log, options: ServeOptions): Promise<Service> {
  const end = (error: unknown): never => {
    const judged = judgeStart(error, join(config.dataDir, databaseFile));
    log.error('service.not-started', { error: judged });
    // Parts that were cut short may keep something open.
    process.exit(isUnusable(judged) ? 6 : 1);
  };
  process.once('uncaughtException', end);
  try {
    return await startService(config, log, options);
  } catch (error) {
    // Reported on standard error by the command line, like every error in a configuration.
    if (error instanceof ConfigError) throw error;
    return end(error);
  } finally {
    process.off('uncaughtException', end);
  }
}

async function notifyLogged(
  socket: string | undefined,
  state: 'READY=1' | 'STOPPING=1',
  log: Log,
): Promise<void> {
  const error = await notifyManager(socket, state);
  if (error !== undefined) log.warn('service.not-notified', { state, error });
}

/** Whether somebody has to do something first. A disk that is full or fails may be better with the next start. */
function isUnusable(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof KeyFileError;
  const { cause } = error;
  const problem = judgeError(cause instanceof DatabaseError ? cause.cause : cause);
  return !(problem instanceof StorageProblem && stopsWriting(problem.kind));
}

/**
 * What is read or written by timers, and by work that nobody waits for, may meet a disk that fails: that is reported
 * like everywhere else, and tried again when its time comes. Anything else is a bug, and ends the process.
 */
function survive(error: Error, service: Service): void {
  if (!service.reportRead(error)) throw error;
}

/** There is no first password: whoever may open the local socket makes the first token. */
const firstToken = [
  '  There is no token yet, so the HTTP API answers 401 over the network. To make the first:',
  '',
  '    zonebook token create NAME --role admin',
  '',
];

/** What to do next, for whoever started it by hand. */
function welcome(config: Config, service: Service): string {
  const dns = `${config.dns.listenAddr} port ${service.dnsPort}`;
  const consoleLine = `    Console    ${service.apiUrl}${config.api.consolePath} (log in: zonebook console)`;
  const lines = [
    '',
    `  zonebook ${version} is running. Ctrl-C stops it.`,
    '',
    ...(servesConsole(config.api) ? [consoleLine] : []),
    `    HTTP API   ${service.apiUrl}`,
    `    DNS        ${dns} (UDP and TCP)`,
    `    data       ${config.dataDir}`,
    '',
    '  Next, in another terminal:',
    '',
    '    zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com',
    '    zonebook record create example.com www A 192.0.2.1',
    `    dig @${config.dns.listenAddr} -p ${service.dnsPort} www.example.com`,
    '',
    ...(service.needsToken ? firstToken : []),
  ];
  return `${lines.join('\n')}\n`;
}

function rereadConfig(request: ConfigRequest, running: Config, service: Service, log: Log): void {
  try {
    const read = loadConfig(request);
    service.reconfigure(read);
    const waiting = waitingKeys(running, read).join(', ');
    if (waiting === '') log.info('service.reconfigured', {});
    else log.warn('service.reconfigured', { needRestart: waiting });
  } catch (error) {
    log.error('service.not-reconfigured', { error });
  }
}

/** The first signal to stop. More do not end the stop: npm passes on the SIGINT that the terminal gave to both. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => resolve(signal));
    }
  });
}

function wait(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds).unref();
  });
}
