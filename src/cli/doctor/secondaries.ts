/**
 * Secondaries: that each is reached, follows the catalog or has the zones, and takes NOTIFY.
 *
 * Zones are many, so the ones made last are asked for. One that lags may be in transfer: it is asked again
 * a little later. A secondary that reads no catalog refuses NOTIFY for it; it is notified of a zone instead.
 */
import type { Secondary, SecondaryCheck, Zone, ZoneStatus } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { CliFailure } from '../failure.ts';
import { everyPage, fetchPages } from '../page.ts';
import { hidesCatalog, readsNoCatalog } from '../secondary-check.ts';
import {
  fail,
  type CheckResult,
  type CheckResults,
  inTurns,
  ok,
  resultOfFailure,
  skip,
} from './check-result.ts';

/** Requests at a time; each has the service ask every secondary. */
const atOnce = 4;
/** Milliseconds after which a zone that lags is asked for again. */
const transferMs = 3000;
/** Zones that a message names. */
const maxNames = 5;

type ProbeRow = ZoneStatus['secondaries'][number];

/** What secondaries serve: for each of their addresses, the row of each zone that was asked for. */
interface Sample {
  readonly statuses: readonly ZoneStatus[];
  readonly total: number;
}

/** `zones` is how many zones are asked for. Returns what was seen first of the service itself. */
export async function* checkSecondaries(
  client: Client,
  zones: number,
): CheckResults<SecondaryCheck | undefined> {
  const { items } = await fetchPages<Secondary>(client, '/secondaries', {}, everyPage);
  if (items.length === 0) {
    const which = client.hasToken ? 'there are none that the token may see' : 'there are none';
    yield skip('secondaries', which, "'zonebook secondary create' registers one");
    return undefined;
  }
  const sample = await sampleOf(client, zones);
  const checks = await inTurns(items, atOnce, (secondary) => checkOne(client, secondary));
  for (const [index, secondary] of items.entries()) {
    const found = checks[index]!;
    if (!secondary.enabled) {
      yield skip(`secondary ${secondary.name}`, 'it is disabled');
    } else if (found instanceof CliFailure) {
      yield resultOfFailure(`secondary ${secondary.name}`, found);
    } else {
      yield* resultsOf(found, sample);
      yield await notifyResult(client, found, sample);
      yield* contentResults(found);
    }
  }
  return checks.find((found) => !(found instanceof CliFailure)) as SecondaryCheck | undefined;
}

/** A failure of one secondary leaves the others to be looked at. */
async function checkOne(client: Client, { name }: Secondary): Promise<SecondaryCheck | CliFailure> {
  try {
    return await client.post<SecondaryCheck>(`/secondaries/${segment(name)}/check`, undefined);
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
}

async function sampleOf(client: Client, zones: number): Promise<Sample> {
  const query = { enabled: true, sort: 'created_at', order: 'desc' };
  const page = { ...everyPage, limit: Math.max(1, zones), all: undefined };
  const listed = await fetchPages<Zone>(client, '/zones', query, page);
  const ask = ({ name }: { name: string }) =>
    client.get<ZoneStatus>(`/zones/${segment(name)}/status`);
  const first = await inTurns(listed.items, atOnce, ask);
  const isLate = ({ secondaries }: ZoneStatus) =>
    secondaries.some(({ status }) => status === 'lagging' || status === 'ahead');
  if (!first.some(isLate)) return { statuses: first, total: listed.pagination.total };
  await new Promise((resolve) => setTimeout(resolve, transferMs));
  const statuses = await inTurns(first, atOnce, async (status) =>
    isLate(status) ? ask({ name: status.zone_name }) : status,
  );
  return { statuses, total: listed.pagination.total };
}

interface Seen {
  readonly zone: string;
  readonly ours: number;
  readonly row: ProbeRow;
}

function seenBy({ secondary }: SecondaryCheck, { statuses }: Sample): Seen[] {
  return statuses.flatMap(({ zone_name, serial, secondaries }) => {
    const row = secondaries.find(({ address }) => address === secondary.address);
    return row === undefined ? [] : [{ zone: zone_name, ours: serial, row }];
  });
}

function* resultsOf(found: SecondaryCheck, sample: Sample): Generator<CheckResult> {
  const check = `secondary ${found.secondary.name}`;
  const { address } = found.secondary;
  if (found.resolve_error !== null) {
    yield fail(check, found.resolve_error, 'correct its address, or the name servers of this host');
    return;
  }
  const seen = seenBy(found, sample);
  const catalog = catalogText(found);
  if (found.catalog.status === 'unreachable') {
    const reason = found.catalog.error ?? `${address} does not answer`;
    yield fail(check, reason, `is it running? dig @${found.addresses[0]} SOA ZONE shows more`);
    return;
  }
  const wrong = seen.filter(({ row }) => row.status !== 'in_sync');
  if (wrong.length > 0) {
    const named = wrong.slice(0, maxNames).map(wrongText).join(', ');
    const message = `${wrong.length} of ${seen.length} zones are not in sync: ${named}`;
    const { row } = wrong.find(({ row }) => row.status === 'ahead') ?? wrong[0]!;
    const isTakenBack = row.status !== 'ahead' && found.catalog.status === 'ahead';
    yield fail(check, `${message}; ${catalog}`, isTakenBack ? aheadAdvice : adviceFor(row));
  } else if (found.catalog.visible_serial !== null && found.catalog.status !== 'in_sync') {
    const again = `'zonebook zone notify ${found.catalog_zone_name}' tells it again`;
    const isAhead = found.catalog.status === 'ahead';
    yield fail(check, catalog, isAhead ? aheadAdvice : again);
  } else {
    const sampled = sample.total > seen.length ? ` asked for, of ${sample.total}` : '';
    yield ok(check, `${seen.length} zones in sync${sampled}; ${catalog}`);
  }
}

function catalogText(found: SecondaryCheck): string {
  const { catalog, catalog_zone_name: name, catalog_serial: ours } = found;
  if (readsNoCatalog(found)) return 'it reads no catalog';
  if (hidesCatalog(found)) return `it takes NOTIFY for ${name}, and does not show it to this host`;
  const serial = catalog.visible_serial;
  if (serial === ours) return `${name} in sync at ${ours}`;
  return `${name} ${catalog.status} (${serial}, ours is ${ours})`;
}

function wrongText({ zone, ours, row }: Seen): string {
  const { status, visible_serial: serial } = row;
  if (serial !== null) return `${zone} ${status} (${serial}, ours is ${ours})`;
  return `${zone} not served (${row.error ?? status})`;
}

const aheadAdvice =
  'it holds serials that this database never had: it has another primary too, or zones were made here with smaller ' +
  'serials than they had before, or the database was taken back: then restart the service ' +
  "once with 'zonebook serve --recover', which passes those of all zones and of the catalog";

/** Of what is ahead first: whoever was taken back has zones that lag besides. */
function adviceFor({ status, last_transfer: last }: ProbeRow): string {
  if (status === 'ahead')
    return `${aheadAdvice}; those of one are passed by 'zonebook zone notify ZONE --bump-serial'`;
  if (status === 'lagging') {
    const failure = last !== null && last.result !== 'ok' ? `: ${last.error ?? last.result}` : '';
    return `its last transfer tells why${failure} ('zonebook secondary transfers NAME')`;
  }
  if (status === 'unreachable')
    return 'is it running, and does a firewall let UDP and TCP through?';
  return 'configure the zone there, or let it read the catalog, with this service as primary';
}

/** Zones whose records differed when the service compared them last. */
function* contentResults({ secondary, content_differs: zones }: SecondaryCheck) {
  if (zones.length === 0) return;
  const named = zones.slice(0, maxNames).join(', ');
  const more = zones.length > maxNames ? `, and ${zones.length - maxNames} more` : '';
  const { name } = secondary;
  yield fail(
    `content ${name}`,
    `it serves other records than are here: ${named}${more}`,
    `'zonebook secondary check ${name} ${zones[0]}' lists them; let it transfer the zone anew (AXFR)`,
  );
}

async function notifyResult(
  client: Client,
  found: SecondaryCheck,
  sample: Sample,
): Promise<CheckResult> {
  const check = `notify ${found.secondary.name}`;
  const { name } = found.secondary;
  const advice =
    'let it take NOTIFY from this host (allow-notify, acl), signed with the key it is registered with';
  if (found.addresses.length === 0) return skip(check, 'it has no address to send to');
  const rejected = found.notifies.filter(({ error }) => error !== null);
  if (rejected.length === 0) return ok(check, `accepted for ${found.catalog_zone_name}`);
  const errors = rejected.map(({ address, error }) => `${address}: ${error}`).join('; ');
  if (!readsNoCatalog(found)) return fail(check, errors, advice);
  const served = seenBy(found, sample).find(({ row }) => row.visible_serial !== null)?.zone;
  if (served === undefined) {
    return skip(check, `it reads no catalog and serves no zone that was asked for (${errors})`);
  }
  try {
    await client.post(`/zones/${segment(served)}/notify`, undefined);
  } catch (error) {
    // All secondaries were notified; the message names those that failed.
    if (!(error instanceof CliFailure)) throw error;
    if (error.message.includes(`'${name}' (`)) return fail(check, error.message, advice);
    if (!error.message.startsWith('NOTIFY failed')) return skip(check, error.message);
  }
  return ok(check, `accepted for ${served}; it reads no catalog`);
}
