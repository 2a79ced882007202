/** The HTTP interface: that it answers where the command line asks it, and lets it in. */
import { monotonicMs, systemClock } from '../../base/clock.ts';
import type { Client } from '../client.ts';
import type { Context } from '../command.ts';
import { CliFailure } from '../exit-code.ts';
import { type Findings, fail, ok } from './finding.ts';

const check = 'api';

/** Milliseconds that an answer may take. */
const answerMs = 5000;

export interface ApiFacts {
  readonly client: Client;
  /** How far the clock of the service is ahead of ours, in milliseconds; null when it does not say. */
  readonly aheadMs: number | null;
}

export async function* checkApi(context: Context): Findings<ApiFacts | undefined> {
  const client = await context.client();
  const sentMs = monotonicMs();
  const { body, date } = await client.send('GET', '/health', {}, undefined, {
    withinMs: answerMs,
  });
  const tookMs = monotonicMs() - sentMs;
  const health = (body as { status?: unknown } | null)?.status;
  if (health !== 'healthy') {
    const advice = 'look at the log of the service, and at its database';
    yield fail(check, `${client.address} says ${String(health ?? 'nothing of zonebook')}`, advice);
    return undefined;
  }
  try {
    // Whether the caller is let in at all; what its role allows shows in the checks that need it.
    await client.get('/zones', { limit: 1 });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    yield fail(check, error.message, error.hint ?? 'the log of the service may tell more');
    return undefined;
  }
  yield ok(check, `${client.address} is healthy, answered in ${Math.round(tookMs)} ms`);
  const said = Date.parse(date);
  // The header has whole seconds, cut off: on the average it is half a second behind.
  const aheadMs = Number.isNaN(said) ? null : said + 500 - (systemClock() - tookMs / 2);
  return { client, aheadMs };
}
