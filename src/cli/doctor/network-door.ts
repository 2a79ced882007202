/**
 * The door of the HTTP interface to the network, as the configuration of this host has it, with the
 * certificate that it shows. Whether that convinces a client is the client's to say; it has to be in force.
 */
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { connect } from 'node:tls';
import { formatTime, systemClock } from '../../base/clock.ts';
import { reachableAddress } from '../../outbound/address.ts';
import { exchange } from '../http-exchange.ts';
import type { LoadedConfig } from '../services.ts';
import { type Finding, fail, ok, skip } from './finding.ts';

const check = 'api network';

/** Milliseconds that an answer may take. */
const answerMs = 5000;
/** Milliseconds before its end at which a certificate has to be renewed. */
const renewalMs = 7 * 24 * 3600 * 1000;

export async function checkNetworkDoor({ settings }: LoadedConfig): Promise<Finding> {
  const port = Number(settings['api.listen_port']);
  if (port === 0) return skip(check, 'api.listen_port is 0: any free port');
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
    if (!secure) return ok(check, `${url} is healthy`);
    const endsAt = await certificateEnd(address, port);
    const end = `the certificate of ${url} is good until ${formatTime(endsAt)}`;
    if (endsAt - systemClock() > renewalMs) return ok(check, `${url} is healthy, ${end}`);
    return fail(check, end, 'renew api.tls_cert_file and restart the service');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice =
      'compare api.listen_addr, its port and its TLS files with what the service runs with';
    return fail(check, `${url} does not answer: ${code ?? message}`, advice);
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
