/** `status`: whether the service answers, which one it is, and how much it holds. */
import { formatTime } from '../../../base/clock.ts';
import type { Listing } from '../../answers.ts';
import type { Client } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';

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
  const { status, body } = await client.send('GET', '/metrics', {});
  return status === 200 && typeof body === 'string' ? body : '';
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
