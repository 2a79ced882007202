/**
 * The service's own DNS listener, asked from this host over UDP and TCP: for the SOA of a zone, whose
 * serial has to be the one that the API tells, and for the SOA of the catalog.
 *
 * The catalog is shown to secondaries only, so its answer may be a refusal; what is certain of it stands
 * in the database: a serial, and as many members as there are enabled zones.
 */
import { reachableAddress } from '../../outbound/address.ts';
import { OutboundPolicy } from '../../outbound/policy.ts';
import {
  ProbeError,
  type ProbeOptions,
  type ProbeTarget,
  probeSoa,
  probeSoaOverTcp,
  type SoaFinding,
} from '../../outbound/soa-probe.ts';
import type { Listing, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import type { LoadedConfig } from '../environment.ts';
import type { DatabaseFacts } from './database.ts';
import { type CheckResult, type CheckResults, fail, ok, skip } from './check-result.ts';

const check = 'dns';

const probeOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

const compareAdvice =
  'compare dns.listen_addr and dns.listen_port with what the service was started with, ' +
  'and look for a firewall';

function listenerOf({ settings }: LoadedConfig): ProbeTarget {
  const address = reachableAddress(String(settings['dns.listen_addr']));
  const listener = { address, port: Number(settings['dns.listen_port']) };
  return new OutboundPolicy({ deny: [], allow: [], listeners: [listener] }).admitListener(listener);
}

export async function* checkListener(config: LoadedConfig, client: Client): CheckResults {
  const listener = listenerOf(config);
  const { address, port } = listener;
  if (port === 0) {
    yield skip(check, 'dns.listen_port is 0: any free port');
    return;
  }
  const { items } = await client.get<Listing<Zone>>('/zones', { enabled: true, limit: 1 });
  const name = items[0]?.name ?? String(config.settings['dns.catalog_zone_name']);
  let answers: readonly SoaFinding[];
  try {
    answers = await ask(listener, name);
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    yield fail(check, error.message, compareAdvice);
    return;
  }
  const where = `${address} port ${port} answers over UDP and TCP`;
  // Without a zone there is nothing to compare; that it answers is all there is to know.
  if (items.length === 0) {
    yield ok(check, `${where}; there is no enabled zone to ask for`);
    return;
  }
  yield await compared(client, listener, name, answers, where);
}

async function compared(
  client: Client,
  listener: ProbeTarget,
  name: string,
  answers: readonly SoaFinding[],
  where: string,
): Promise<CheckResult> {
  const refused = answers.find(({ serial }) => serial === null);
  if (refused !== undefined) {
    const advice = `dig @${listener.address} -p ${listener.port} ${name} SOA shows more`;
    return fail(check, `no SOA of ${name}: ${refused.reason}`, advice);
  }
  // Asked for after the answers: a zone that moves meanwhile is ahead here, and asked once more.
  for (let tried = 1, said = answers; ; tried++, said = await ask(listener, name)) {
    const { zone } = await client.get<{ zone: Zone }>(`/zones/${segment(name)}`);
    const other = said.find(({ serial }) => serial !== zone.serial);
    if (other === undefined) return ok(check, `${where}: ${name} at serial ${zone.serial}`);
    if (tried === 2) {
      const message = `${name} is at serial ${other.serial} over DNS and ${zone.serial} in the API`;
      return fail(check, message, 'is another server on that port? Else restart the service');
    }
  }
}

function ask(listener: ProbeTarget, name: string): Promise<SoaFinding[]> {
  return Promise.all([
    probeSoa(listener, name, probeOptions),
    probeSoaOverTcp(listener, name, probeOptions.tryMs),
  ]);
}

export async function* checkCatalog(
  config: LoadedConfig,
  { catalog, enabledZones }: DatabaseFacts,
  isRunning: boolean,
): CheckResults {
  const name = String(config.settings['dns.catalog_zone_name']);
  const { serial, memberCount } = catalog;
  if (memberCount !== enabledZones) {
    const message = `${name} lists ${memberCount} zones, but ${enabledZones} are enabled`;
    const advice = "stop the service and run 'zonebook journal rebuild'";
    yield fail('catalog', message, advice);
    return;
  }
  const state = `${name} is at serial ${serial} with ${memberCount} zones`;
  const listener = listenerOf(config);
  if (!isRunning || listener.port === 0) {
    yield ok('catalog', state);
    return;
  }
  let shown: number | null;
  try {
    shown = (await probeSoaOverTcp(listener, name, probeOptions.tryMs)).serial;
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    yield fail('catalog', error.message, compareAdvice);
    return;
  }
  // A zone may have come or gone since the database was read: then it is further on, never behind.
  if (shown !== null && shown < serial) {
    const message = `${state} in the database, but at ${shown} over DNS`;
    yield fail('catalog', message, 'is another server on that port? Else restart the service');
  } else {
    const over = shown === null ? 'shown to secondaries only' : 'the same over DNS';
    yield ok('catalog', `${state}, ${over}`);
  }
}
