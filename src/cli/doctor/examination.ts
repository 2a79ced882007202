/**
 * The whole examination, in the order of what builds on what: the host, the service on it, then what it
 * has around it. Where something is missing, what builds on it is skipped with the reason.
 */
import { formatTime, monotonicMs, systemClock } from '../../base/clock.ts';
import type { Context } from '../command.ts';
import type { LoadedConfig } from '../environment.ts';
import { fail, type CheckResult, type CheckResults, guarded, ok, skip } from './check-result.ts';
import { checkBackup } from './backup.ts';
import { checkDatabase, checkWal, type DatabaseFacts } from './database.ts';
import { checkConfiguration, checkDisk, checkFiles } from './host.ts';
import { checkLint } from './lint.ts';
import { checkWebhooks } from './webhooks.ts';
import { checkParents } from './parents.ts';
import { checkSecondaries } from './secondaries.ts';
import { type ApiFacts, checkApi, checkCatalog, checkListener, checkNetwork } from './service.ts';

const hostChecks = [
  'configuration',
  'files',
  'disk space',
  'database',
  'key file',
  'journal',
  'apex ns',
  'wal',
  'backup',
];

/** `zones` is how many zones secondaries and parents are asked for. */
export async function* examine(context: Context, zones: number): CheckResults {
  // Read before anything is awaited: what is between them at the end was a jump of the clock.
  const startedAt = systemClock();
  const startedMs = monotonicMs();
  let config: LoadedConfig | undefined;
  let canStart = true;
  let database: DatabaseFacts | undefined;
  if (context.isRemote) {
    const advice = 'run doctor on its host as well, without --url';
    for (const check of hostChecks) yield skip(check, 'the service is elsewhere', advice);
  } else {
    const read = yield* guarded('configuration', () => checkConfiguration(context));
    if (read === undefined) {
      const rest = [
        ...hostChecks.slice(1),
        'api',
        'dns',
        'catalog',
        'secondaries',
        'ds',
        'lint',
        'clock',
      ];
      for (const check of rest) yield skip(check, 'the configuration can not be used');
      return;
    }
    const { config: found } = read;
    ({ config, canStart } = read);
    yield* guarded('files', () => checkFiles(found));
    yield* guarded('disk space', () => checkDisk(found));
    database = yield* guarded('database', () => checkDatabase(found));
    yield* guarded('wal', () => checkWal(found));
    yield* guarded('backup', () => checkBackup(found));
  }
  const api = yield* guarded('api', () => checkApi(context, canStart));
  if (config !== undefined && api !== undefined) {
    const found = config;
    yield* guarded('api network', () => checkNetwork(found));
  }
  yield* around(config, database, api, zones);
  const now = systemClock();
  yield checkClock({
    now,
    jumpedMs: now - startedAt - (monotonicMs() - startedMs),
    aheadMs: api?.aheadMs ?? null,
    lastEventAt: database?.lastEventAt ?? null,
  });
}

/** What the service has around it: its DNS side, its secondaries, the parents of its zones. */
async function* around(
  config: LoadedConfig | undefined,
  database: DatabaseFacts | undefined,
  api: ApiFacts | undefined,
  zones: number,
): CheckResults {
  const stopped = 'the service can not be asked';
  if (config !== undefined) {
    if (api === undefined) yield skip('dns', stopped);
    else yield* guarded('dns', () => checkListener(config, api.client));
    if (database === undefined) yield skip('catalog', 'the database could not be read');
    else {
      const isRunning = api !== undefined;
      yield* guarded('catalog', () => checkCatalog(config, database, isRunning));
    }
  }
  if (api === undefined) {
    if (config === undefined) for (const check of ['dns', 'catalog']) yield skip(check, stopped);
    for (const check of ['secondaries', 'webhooks', 'ds', 'lint']) yield skip(check, stopped);
    return;
  }
  const seen = yield* guarded('secondaries', () => checkSecondaries(api.client, zones));
  if (config === undefined) yield* reportedBySecondaries(seen);
  yield* guarded('ds', () => checkParents(api.client, zones));
  yield* guarded('webhooks', () => checkWebhooks(api.client));
  yield* guarded('lint', () => checkLint(api.client, zones));
}

/** What a check of a secondary reports of a service that is elsewhere. */
function* reportedBySecondaries(
  seen:
    | { listener_error: string | null; catalog_serial: number; catalog_zone_name: string }
    | undefined,
): Generator<CheckResult> {
  if (seen === undefined) {
    const reason = 'a service elsewhere tells of it only where it has a secondary';
    yield skip('dns', reason);
    yield skip('catalog', reason);
    return;
  }
  if (seen.listener_error === null) yield ok('dns', 'the listener of the service answers it');
  else yield fail('dns', seen.listener_error, 'run doctor on the host of the service');
  yield ok('catalog', `${seen.catalog_zone_name} is at serial ${seen.catalog_serial}`);
}

/** Milliseconds that two clocks may be apart; the half of what TSIG forgives would be late. */
const maxGapMs = 30_000;
/** Milliseconds that the clock may move against the monotonic one while doctor runs. */
const maxJumpMs = 1000;
/** When this program was made: no clock is earlier. */
const earliest = Date.UTC(2026, 0, 1);

export interface ClockReadings {
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  /** How far the time of day went beyond the monotonic clock since doctor began. */
  readonly jumpedMs: number;
  /** How far the service is ahead; null when it was not asked, or is on this host. */
  readonly aheadMs: number | null;
  /** When the last event was written; null when that is not known. */
  readonly lastEventAt: number | null;
}

const advice = "set the time from the network: 'timedatectl set-ntp true', or run chrony or ntpd";

/**
 * Clocks: signatures of TSIG count for five minutes around the time of the other side (RFC 8945 10),
 * those of DNSSEC for an hour before it, and the journal's events have to follow each other.
 */
export function checkClock(readings: ClockReadings): CheckResult {
  const { now, jumpedMs, aheadMs, lastEventAt } = readings;
  if (now < earliest) return fail('clock', `it is ${formatTime(now)} here`, advice);
  if (Math.abs(jumpedMs) > maxJumpMs) {
    const message = `the time jumped by ${seconds(jumpedMs)} while doctor ran`;
    return fail('clock', message, `${advice}; two programs that set it fight each other`);
  }
  if (lastEventAt !== null && lastEventAt - now > maxGapMs) {
    const then = formatTime(lastEventAt);
    const times = `it is ${formatTime(now)} here, and the last change is dated ${then}`;
    const unless = 'if it is right, new changes have that date until then';
    const message = `${times}: the clock is behind, or was ahead`;
    return fail('clock', message, `${advice}; ${unless}`);
  }
  if (aheadMs !== null && Math.abs(aheadMs) > maxGapMs) {
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    return fail('clock', `the service is ${seconds(Math.abs(aheadMs))} ${side} this host`, advice);
  }
  if (aheadMs === null && lastEventAt === null) {
    return skip('clock', 'there is nothing to compare it with: no service and no change');
  }
  const others = [
    ...(aheadMs === null ? [] : ['the service']),
    ...(lastEventAt === null ? [] : ['the last change']),
  ];
  return ok('clock', `${formatTime(now)} agrees with ${others.join(' and ')}`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
