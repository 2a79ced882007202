/**
 * The service itself: `serve` runs it, `status` and `doctor` look at it, `openapi` prints what it speaks, and
 * `external-dns` runs the adapter between an external DNS controller and a service (interface 4.9).
 */
import { formatTime } from '../../base/clock.ts';
import { adapterFlags, type FlagName } from '../../externaldns/flags.ts';
import type { Health, Listing } from '../answers.ts';
import type { Client } from '../client.ts';
import { defineCommand } from '../command.ts';
import type { CheckResult, Result } from '../doctor/check-result.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { flag, text, whole } from '../field.ts';
import { onOneLine, type Paint } from '../terminal.ts';

export const serve = defineCommand({
  usage: 'serve',
  summary: 'Run the service in the foreground',
  notes:
    'SIGTERM and SIGINT stop it, SIGHUP re-reads logging, notify and zone defaults. It ends with exit\n' +
    'code 70 when the thread that writes is lost: start it again, what was acknowledged is there.\n' +
    'A database that was taken back (copied, or reset with its machine) is refused with exit code 6:\n' +
    'secondaries may hold serials that it never saw. --recover begins a new epoch: every zone and the\n' +
    'catalog go on 65,536 serials beyond what is known to have been served, enabled secondaries being\n' +
    'asked, and secondaries transfer whole zones. It begins one at each start, so give it once.\n' +
    'A missing or empty database beside its key file or epoch file is refused too; --new makes one, and\n' +
    'does nothing where there is a database.\n' +
    'A key file that others than its owner and group can read is refused unless --insecure-key-file is given.',
  examples: [
    ['$0', 'with ./zonebook.toml if there is one, data in ./data'],
    ['$0 --config /etc/zonebook.toml', 'with another configuration'],
    ['$0 --recover', 'after an older copy of the database was put back'],
  ],
  options: {
    recover: flag('the database was taken back: begin a new epoch'),
    new: flag('make a new database where one is missing'),
    insecureKeyFile: flag('start although others can read the key file'),
  },
  where: 'host',
  journals: ({ recover = false }) => recover,
  run: (
    { new: isNew, ...options },
    { services, author, location: { file: configFile, dataDir } },
  ) =>
    services.serve({
      configFile,
      dataDir,
      isNew,
      ...options,
      author: options.recover ? author() : undefined,
      notifySocket: services.env.NOTIFY_SOCKET,
      calledAs: services.env.ZONEBOOK_COMMAND,
    }),
});

/** Milliseconds after which a service that does not answer is not healthy. */
const answerMs = 10_000;

export const status = defineCommand({
  usage: 'status',
  summary: 'Show whether the service is healthy and what it holds',
  examples: [['$0', 'health, version and totals']],
  async run(_, context) {
    const client = await context.client();
    const { body } = await client.send('GET', '/health', {}, undefined, { withinMs: answerMs });
    const { status: health, reason, what_to_do } = (body ?? {}) as Health;
    if (health !== 'healthy') {
      const why = reason === undefined ? '' : `: ${reason}`;
      const message = `the service at ${client.address} is ${health ?? 'not zonebook'}${why}`;
      const hint = what_to_do ?? 'the log of the service tells more';
      throw new CliFailure(exitCode.failure, message, hint);
    }
    const metrics = await metricsOf(client);
    const holds = {
      status: health,
      address: client.address,
      version: /^zonebook_build_info\{.*?version="([^"]*)"/m.exec(metrics)?.[1] ?? null,
      zones: await totalOf(client, '/zones'),
      records: await totalOf(client, '/records'),
      secondaries: await totalOf(client, '/secondaries'),
      verified_at: verifiedAt(metrics),
      verify_findings: verifyResults(metrics),
      checksum_failures: metricOf(metrics, 'zonebook_block_checksum_failures_total'),
    };
    const troubles = await troublesOf(client);
    await context.output.show({ ...holds, troubles }, () => {
      const warnings = (troubles ?? []).map(
        ({ text: what, what_to_do: advice }) => `warning: ${what} ${advice}`,
      );
      return [context.output.fields(Object.entries(holds)), ...warnings].join('\n');
    });
  },
});

interface Trouble {
  readonly text: string;
  readonly what_to_do: string;
}

/** What the service knows to be wrong with itself; null when api.metrics_enabled is off. */
async function troublesOf(client: Client): Promise<readonly Trouble[] | null> {
  const { status: code, body } = await client.send('GET', '/health/troubles', {});
  return code === 200 ? (body as { readonly items: readonly Trouble[] }).items : null;
}

/** When the database was last verified; null where that was not yet, or is not reported. */
function verifiedAt(metrics: string): string | null {
  const seconds = metricOf(metrics, 'zonebook_database_verify_timestamp_seconds') ?? 0;
  return seconds === 0 ? null : formatTime(seconds * 1000);
}

function verifyResults(metrics: string): number | null {
  if (verifiedAt(metrics) === null) return null;
  return metricOf(metrics, 'zonebook_database_verify_findings');
}

function metricOf(metrics: string, name: string): number | null {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1];
  return value === undefined ? null : Number(value);
}

/** Empty when api.metrics_enabled is off. */
async function metricsOf(client: Client): Promise<string> {
  const { status: code, body } = await client.send('GET', '/metrics', {});
  return code === 200 && typeof body === 'string' ? body : '';
}

/** How many there are for the caller; null when it may not know. */
async function totalOf(client: Client, path: string): Promise<number | null> {
  try {
    return (await client.get<Listing<unknown>>(path, { limit: 1 })).pagination.total;
  } catch (error) {
    if (error instanceof CliFailure && error.exitCode === exitCode.denied) return null;
    throw error;
  }
}

/**
 * The specification is the one of this program, which needs no service; with `--url` it is that service's
 * own, which may be of another version and has it only when api.openapi_enabled is set.
 */
export const openapi = defineCommand({
  usage: 'openapi',
  summary: 'Print the specification of the HTTP interface (OpenAPI 3.1)',
  examples: [
    ['$0 > openapi.json', 'as JSON'],
    ['$0 -o yaml', 'as YAML'],
  ],
  async run(_, context) {
    const { output, services } = context;
    let document: unknown;
    if (context.isRemote) {
      document = await (await context.client()).get<object>('/openapi.json');
    } else {
      const { openapiJson } = await import('../../contract/openapi.ts');
      document = JSON.parse(openapiJson(services.version));
    }
    await output.show(document, () => JSON.stringify(document, undefined, 2));
  },
});

/** Zones that secondaries and parents are asked for when nothing is said. */
const usualZones = 20;

/** Columns of the names of checks: `secondary ns2` fits. */
const checkColumns = 16;

export const doctor = defineCommand({
  usage: 'doctor',
  summary: 'Look at everything the service needs, and say what to do where something is wrong',
  notes:
    'Each line is OK, WARN, FAIL or SKIP; with any FAIL the exit code is 1. Nothing is changed; secondaries\n' +
    'get a NOTIFY, and parents of signed zones are asked for their DS. On the host of the service all\n' +
    'is looked at; with --url what can be seen from outside.',
  examples: [
    ['$0', 'on the host of the service, running or not'],
    ['$0 --zones 1000', 'ask every secondary for more of the zones'],
    ['$0 -o json --url https://zonebook.example.net', 'from elsewhere, for a program'],
  ],
  options: {
    zones: whole(`zones to ask secondaries and parents for, ${usualZones} when left out`),
  },
  async run({ zones = usualZones }, context) {
    if (zones < 1) throw usageFailure('--zones is 1 or more');
    // It reads the database and asks name servers: loaded here, so that other commands start without it.
    const { examine } = await import('../doctor/examination.ts');
    const { output } = context;
    const findings: CheckResult[] = [];
    for await (const { what_to_do: advice, ...seen } of examine(context, zones)) {
      const found = { ...seen, what_to_do: advice && output.hint(advice) };
      findings.push(found);
      if (output.format === 'table') output.write(lineOf(found, output.paint));
    }
    const count = (wanted: Result) => findings.filter(({ result }) => result === wanted).length;
    const failed = count('FAIL');
    const totals = { ok: count('OK'), warned: count('WARN'), failed, skipped: count('SKIP') };
    await output.show({ healthy: failed === 0, ...totals, findings }, () => {
      const { paint } = output;
      const sum = `${totals.ok} ok, ${totals.warned} warned, ${failed} failed, ${totals.skipped} skipped`;
      return failed === 0 ? paint.green(sum) : paint.red(sum);
    });
    return failed === 0 ? exitCode.ok : exitCode.failure;
  },
});

/** One line, and below it what to do. */
function lineOf({ check, result, message, what_to_do }: CheckResult, paint: Paint): string {
  const style = { OK: paint.green, WARN: paint.yellow, FAIL: paint.red, SKIP: paint.yellow }[
    result
  ];
  const name = check.padEnd(checkColumns);
  const line = `${style(result.padEnd(4))}  ${name}  ${onOneLine(message)}`;
  return what_to_do === null
    ? line
    : `${line}\n      ${' '.repeat(checkColumns)}  -> ${onOneLine(what_to_do)}`;
}

function setting(name: FlagName, description: string) {
  const { variable, fallback } = adapterFlags[name];
  const otherwise = fallback === undefined ? '' : `; ${fallback} when left out`;
  return text(`${description}; also ${variable}${otherwise}`);
}

export const externalDns = defineCommand({
  usage: 'external-dns',
  summary: 'Run the webhook that lets ExternalDNS manage records of a service',
  notes:
    'The webhook knows no token: keep it on loopback or a private network. The service needs ' +
    'api.external_dns_enabled = true.',
  examples: [
    [
      '$0 --svc-url http://127.0.0.1:3000 --token-file /run/secrets/token',
      'beside the service, webhook on 127.0.0.1:8888, probes on port 8080',
    ],
  ],
  options: {
    svcUrl: setting('svcUrl', 'URL of the service'),
    token: setting('token', 'token for the service'),
    tokenFile: setting('tokenFile', 'file with the token, read again when it changes'),
    caFile: setting('caFile', 'PEM file of authorities to trust beside those of the system'),
    listenAddr: setting('listenAddr', 'where the controller asks'),
    healthListenAddr: setting('healthListenAddr', 'where /healthz and /metrics are'),
    timeoutSecs: setting('timeoutSecs', 'seconds the service has for one answer'),
    logLevel: setting('logLevel', 'lowest level of log lines: debug, info, warn, error'),
  },
  where: 'own',
  async run(flags, { services }) {
    try {
      // Loaded here, so that other commands start without it.
      const { runAdapter } = await import('../../externaldns/adapter.ts');
      await runAdapter(flags, services.env);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AdapterSettingsError') throw error;
      if (error.message.startsWith('--')) throw usageFailure(error.message);
      throw new CliFailure(exitCode.configurationUnusable, error.message);
    }
    return exitCode.ok;
  },
});
