/** `serve`, `status` and `openapi`: the service itself. */
import { formatTime } from '../../base/clock.ts';
import type { Listing } from '../answers.ts';
import type { Client } from '../client.ts';
import { defineCommand } from '../command.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { flag } from '../field.ts';

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
    ['zonebook serve', 'with ./zonebook.toml if there is one, data in ./data'],
    ['zonebook serve --config /etc/zonebook.toml', 'with another configuration'],
    ['zonebook serve --recover', 'after an older copy of the database was put back'],
  ],
  options: {
    recover: flag('the database was taken back: begin a new epoch'),
    new: flag('make a new database where one is missing'),
    'insecure-key-file': flag('start although others can read the key file'),
  },
  where: 'host',
  run: ({ recover, new: isNew, 'insecure-key-file': insecureKeyFile }, { services, location }) =>
    services.serve({
      configFile: location.file,
      dataDir: location.dataDir,
      recover,
      isNew,
      insecureKeyFile,
    }),
});

/** Milliseconds after which a service that does not answer is not healthy. */
const answerMs = 10_000;

export const status = defineCommand({
  usage: 'status',
  summary: 'Show whether the service is healthy and what it holds',
  examples: [['zonebook status', 'health, version and totals']],
  async run(_, context) {
    const client = await context.client();
    const { body } = await client.send('GET', '/health', {}, undefined, { withinMs: answerMs });
    const health = (body as { status?: unknown } | null)?.status;
    if (health !== 'healthy') {
      const message = `the service at ${client.address} is ${health ?? 'not zonebook'}`;
      throw new CliFailure(exitCode.failure, message, 'the log of the service tells more');
    }
    const metrics = await metricsOf(client);
    const answer = {
      status: health,
      address: client.address,
      version: /^zonebook_build_info\{.*?version="([^"]*)"/m.exec(metrics)?.[1] ?? null,
      zones: await totalOf(client, '/zones'),
      records: await totalOf(client, '/records'),
      secondaries: await totalOf(client, '/secondaries'),
      verified_at: verifiedAt(metrics),
      verify_findings: verifyFindings(metrics),
      checksum_failures: metricOf(metrics, 'zonebook_block_checksum_failures_total'),
    };
    await context.output.show(answer, () => context.output.fields(Object.entries(answer)));
  },
});

/** When the database was last verified; null where that was not yet, or is not told. */
function verifiedAt(metrics: string): string | null {
  const seconds = metricOf(metrics, 'zonebook_database_verify_timestamp_seconds') ?? 0;
  return seconds === 0 ? null : formatTime(seconds * 1000);
}

function verifyFindings(metrics: string): number | null {
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
    ['zonebook openapi > openapi.json', 'as JSON'],
    ['zonebook openapi -o yaml', 'as YAML'],
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
