/** The HTTP interface: that it answers where the command line asks it, and over the network. */
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { connect } from 'node:tls';
import { formatTime, monotonicMs, systemClock } from '../../base/clock.ts';
import { reachableAddress } from '../../outbound/address.ts';
import type { Client } from '../client.ts';
import type { Context } from '../command.ts';
import { CliFailure } from '../failure.ts';
import { exchange } from '../../base/http-exchange.ts';
import type { LoadedConfig } from '../environment.ts';
import { fail, type CheckResult, type CheckResults, ok, skip } from './check-result.ts';

/** Milliseconds that an answer may take. */
const answerMs = 5000;

export interface ApiFacts {
  readonly client: Client;
  /** How far the clock of the service is ahead of ours, in milliseconds; null when it does not say. */
  readonly aheadMs: number | null;
}

export async function* checkApi(context: Context): CheckResults<ApiFacts | undefined> {
  const client = await context.client();
  const sentMs = monotonicMs();
  const { body, date } = await client.send('GET', '/health', {}, undefined, {
    withinMs: answerMs,
  });
  const tookMs = monotonicMs() - sentMs;
  const health = (body as { status?: unknown } | null)?.status;
  if (health !== 'healthy') {
    const advice = 'look at the log of the service, and at its database';
    yield fail('api', `${client.address} says ${String(health ?? 'nothing of zonebook')}`, advice);
    return undefined;
  }
  try {
    // Whether the caller is let in at all; what its role allows shows in the checks that need it.
    await client.get('/zones', { limit: 1 });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    yield fail('api', error.message, error.hint ?? 'the log of the service may tell more');
    return undefined;
  }
  yield ok('api', `${client.address} is healthy, answered in ${Math.round(tookMs)} ms`);
  const said = Date.parse(date);
  // The header has whole seconds, cut off: on the average it is half a second behind.
  const aheadMs = Number.isNaN(said) ? null : said + 500 - (systemClock() - tookMs / 2);
  return { client, aheadMs };
}

/** Milliseconds before its end at which a certificate has to be renewed. */
const renewalMs = 7 * 24 * 3600 * 1000;

/**
 * The listener of the HTTP interface on the network, as the configuration of this host has it, with the
 * certificate that it shows. Whether that convinces a client is the client's to say; it has to be in force.
 */
export async function checkNetwork({ settings }: LoadedConfig): Promise<CheckResult> {
  const port = Number(settings['api.listen_port']);
  if (port === 0) return skip('api network', 'api.listen_port is 0: any free port');
  const address = reachableAddress(String(settings['api.listen_addr']));
  const secure = typeof settings['api.tls_cert_file'] === 'string';
  const host = isIPv6(address) ? `[${address}]` : address;
  const url = `${secure ? 'https' : 'http'}://${host}:${port}`;
  const options = { host: address, port, path: '/health', rejectUnauthorized: false, agent: false };
  try {
    const { status } = await exchange(secure ? tlsRequest : request, options, undefined, {
      withinMs: answerMs,
    });
    if (status !== 200) throw new Error(`it answers status ${status}`);
    if (!secure) return ok('api network', `${url} is healthy`);
    const endsAt = await certificateEnd(address, port);
    const end = `the certificate of ${url} is good until ${formatTime(endsAt)}`;
    if (endsAt - systemClock() > renewalMs) return ok('api network', `${url} is healthy, ${end}`);
    return fail('api network', end, 'renew api.tls_cert_file and restart the service');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice =
      'compare api.listen_addr, its port and its TLS files with what the service runs with';
    return fail('api network', `${url} does not answer: ${code ?? message}`, advice);
  }
}

/** When the certificate that is shown ends, in milliseconds since 1970. */
function certificateEnd(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: answerMs });
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer in TLS')));
    socket.once('error', reject);
  });
}
