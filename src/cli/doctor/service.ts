/**
 * The service itself, as it is reached: the HTTP interface where the command line asks it and over the network, and the
 * DNS listener over UDP and TCP, for the SOA of a zone, whose serial has to be the one that the API tells, and for the
 * SOA of the catalog.
 *
 * The catalog is for secondaries only, so its answer may be a refusal; what is certain of it stands in the
 * database: a serial, and as many members as there are enabled zones.
 */
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { connect } from 'node:tls';
import { formatTime, monotonicMs, systemClock } from '../../base/clock.ts';
import { exchange } from '../../base/http-exchange.ts';
import { reachableAddress } from '../../outbound/address.ts';
import { OutboundPolicy } from '../../outbound/policy.ts';
import {
  ProbeError,
  type ProbeOptions,
  type ProbeTarget,
  probeSoa,
  probeSoaOverTcp,
  type SoaResult,
} from '../../outbound/soa-probe.ts';
import type { Health, Listing, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import type { Context } from '../command.ts';
import type { LoadedConfig } from '../environment.ts';
import { CliFailure, exitCode } from '../failure.ts';
import type { DatabaseFacts } from './database.ts';
import { type CheckResult, type CheckResults, fail, ok, skip } from './check-result.ts';

/** Milliseconds that an answer may take. */
const answerMs = 5000;

export interface ApiFacts {
  readonly client: Client;
  /** How far the clock of the service is ahead of ours, in milliseconds; null when it does not say. */
  readonly aheadMs: number | null;
}

/** `canStart`: whether the configuration lets a service start, where that is known. */
export async function* checkApi(
  context: Context,
  canStart: boolean,
): CheckResults<ApiFacts | undefined> {
  const sentMs = monotonicMs();
  const { client, body, date } = await healthOf(context).catch((error: unknown) => {
    if (canStart || !(error instanceof CliFailure)) throw error;
    if (error.exitCode !== exitCode.serviceNotReachable) throw error;
    const hint = 'put right what is said of the configuration above, then start the service';
    throw new CliFailure(error.exitCode, error.message, hint);
  });
  const tookMs = monotonicMs() - sentMs;
  const { status: health, reason, what_to_do } = (body ?? {}) as Health;
  const isHealthy = health === 'healthy';
  if (!isHealthy) {
    const advice = what_to_do ?? 'look at the log of the service, and at its database';
    const why = reason === undefined ? '' : `: ${reason}`;
    yield fail('api', `${client.address} says ${health ?? 'nothing of zonebook'}${why}`, advice);
    // One that is not healthy may answer all the same, over DNS too.
    if (health !== 'unhealthy') return undefined;
  }
  try {
    // Whether the caller is let in at all; what its role allows shows in the checks that need it.
    await client.get('/zones', { limit: 1 });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (isHealthy)
      yield fail('api', error.message, error.hint ?? 'the log of the service may tell more');
    return undefined;
  }
  if (isHealthy)
    yield ok('api', `${client.address} is healthy, answered in ${Math.round(tookMs)} ms`);
  const said = Date.parse(date);
  // The header has whole seconds, cut off: on the average it is half a second behind.
  const aheadMs = Number.isNaN(said) ? null : said + 500 - (systemClock() - tookMs / 2);
  return { client, aheadMs };
}

async function healthOf(context: Context) {
  const client = await context.client();
  const options = { withinMs: answerMs };
  return { client, ...(await client.send('GET', '/health', {}, undefined, options)) };
}

const compareNetwork =
  'compare api.listen_addr, its port and its TLS files with what the service runs with';

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
    if (status !== 200) {
      const advice = status === 503 ? "'zonebook status' tells more" : compareNetwork;
      return fail('api network', `${url} answers status ${status}`, advice);
    }
    if (!secure) return ok('api network', `${url} is healthy`);
    return validityResult(url, await validityOf(address, port), systemClock());
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail('api network', `${url} does not answer: ${code ?? message}`, compareNetwork);
  }
}

/** When a certificate is valid, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** Whether the certificate of a listener that is healthy is in force, and for how long. */
export function validityResult(url: string, { from, until }: Validity, now: number): CheckResult {
  const certificate = `the certificate of ${url} is`;
  if (from > now) {
    const message = `${certificate} not valid before ${formatTime(from)}, and it is ${formatTime(now)}`;
    const advice =
      'set the clock if that is wrong; else renew api.tls_cert_file and restart the service';
    return fail('api network', message, advice);
  }
  const isOver = until <= now;
  const end = `${certificate} ${isOver ? 'not valid since' : 'good until'} ${formatTime(until)}`;
  if (until - now > renewalMs) return ok('api network', `${url} is healthy, ${end}`);
  return fail('api network', end, 'renew api.tls_cert_file and restart the service');
}

/** When the certificate that is presented is valid. */
function validityOf(host: string, port: number): Promise<Validity> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: answerMs });
    socket.once('secureConnect', () => {
      const { valid_from, valid_to } = socket.getPeerCertificate();
      resolve({ from: Date.parse(valid_from), until: Date.parse(valid_to) });
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer in TLS')));
    socket.once('error', reject);
  });
}

const probeOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

const compareAdvice =
  'compare dns.listen_addr and dns.listen_port with what the service was started with, ' +
  'and look for a firewall';
const otherServerAdvice = 'is another server on that port? Else restart the service';

function listenerOf({ settings }: LoadedConfig): ProbeTarget {
  const address = reachableAddress(String(settings['dns.listen_addr']));
  const listener = { address, port: Number(settings['dns.listen_port']) };
  return new OutboundPolicy({ deny: [], allow: [], listeners: [listener] }).admitListener(listener);
}

export async function checkListener(config: LoadedConfig, client: Client): Promise<CheckResult> {
  const listener = listenerOf(config);
  const { address, port } = listener;
  if (port === 0) return skip('dns', 'dns.listen_port is 0: any free port');
  const { items } = await client.get<Listing<Zone>>('/zones', { enabled: true, limit: 1 });
  const name = items[0]?.name ?? String(config.settings['dns.catalog_zone_name']);
  const answers = await answered('dns', ask(listener, name));
  if ('check' in answers) return answers;
  const where = `${address} port ${port} answers over UDP and TCP`;
  // Without a zone there is nothing to compare; that it answers is all there is to know.
  if (items.length === 0) return ok('dns', `${where}; there is no enabled zone to ask for`);
  return compared(client, listener, name, answers, where);
}

async function compared(
  client: Client,
  listener: ProbeTarget,
  name: string,
  answers: readonly SoaResult[],
  where: string,
): Promise<CheckResult> {
  const refused = answers.find(({ serial }) => serial === null);
  if (refused !== undefined) {
    const advice = `dig @${listener.address} -p ${listener.port} ${name} SOA shows more`;
    return fail('dns', `no SOA of ${name}: ${refused.reason}`, advice);
  }
  // Asked for after the answers: a zone that moves meanwhile is ahead here, and asked once more.
  for (let tried = 1, said = answers; ; tried++, said = await ask(listener, name)) {
    const { zone } = await client.get<{ zone: Zone }>(`/zones/${segment(name)}`);
    const other = said.find(({ serial }) => serial !== zone.serial);
    if (other === undefined) return ok('dns', `${where}: ${name} at serial ${zone.serial}`);
    if (tried === 2) {
      const message = `${name} is at serial ${other.serial} over DNS and ${zone.serial} in the API`;
      return fail('dns', message, otherServerAdvice);
    }
  }
}

function ask(listener: ProbeTarget, name: string): Promise<SoaResult[]> {
  return Promise.all([
    probeSoa(listener, name, probeOptions),
    probeSoaOverTcp(listener, name, probeOptions),
  ]);
}

/** What a question brought, or the result of a check whose question nobody answered. */
async function answered<Answer>(
  check: string,
  question: Promise<Answer>,
): Promise<Answer | CheckResult> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    return fail(check, error.message, compareAdvice);
  }
}

export async function checkCatalog(
  config: LoadedConfig,
  { catalog, enabledZones }: DatabaseFacts,
  isRunning: boolean,
): Promise<CheckResult> {
  const name = String(config.settings['dns.catalog_zone_name']);
  const { serial, memberCount } = catalog;
  if (memberCount !== enabledZones) {
    const message = `${name} lists ${memberCount} zones, but ${enabledZones} are enabled`;
    return fail('catalog', message, "stop the service and run 'zonebook journal rebuild'");
  }
  const state = `${name} is at serial ${serial} with ${memberCount} zones`;
  const listener = listenerOf(config);
  if (!isRunning || listener.port === 0) return ok('catalog', state);
  const answer = await answered('catalog', probeSoaOverTcp(listener, name, probeOptions));
  if ('check' in answer) return answer;
  if (answer.serial === null) return ok('catalog', `${state}, served to secondaries only`);
  // A zone may have come or gone since the database was read: then it is further on, never behind.
  if (answer.serial >= serial) return ok('catalog', `${state}, the same over DNS`);
  const message = `${state} in the database, but at ${answer.serial} over DNS`;
  return fail('catalog', message, otherServerAdvice);
}
