/**
 * The whole examination, in the order of what builds on what: the host, the service on it, then what it
 * has around it. Where something is missing, what builds on it is skipped with the reason.
 */
import { monotonicMs, systemClock } from '../../base/clock.ts';
import type { Context } from '../command.ts';
import type { LoadedConfig } from '../environment.ts';
import { type ApiFacts, checkApi, checkNetwork } from './api.ts';
import { fail, type CheckResult, type CheckResults, guarded, ok, skip } from './check-result.ts';
import { checkClock } from './clock.ts';
import { checkDatabase, type DatabaseFacts } from './database.ts';
import { checkCatalog, checkListener } from './dns-listener.ts';
import { checkConfiguration, checkDisk, checkFiles } from './host.ts';
import { checkParents } from './parents.ts';
import { checkSecondaries } from './secondaries.ts';
import { checkWal } from './wal.ts';

const hostChecks = [
  'configuration',
  'files',
  'disk space',
  'database',
  'key file',
  'journal',
  'apex ns',
  'wal',
];

/** `zones` is how many zones secondaries and parents are asked for. */
export async function* examine(context: Context, zones: number): CheckResults {
  // Read before anything is awaited: what is between them at the end was a jump of the clock.
  const startedAt = systemClock();
  const startedMs = monotonicMs();
  let config: LoadedConfig | undefined;
  let database: DatabaseFacts | undefined;
  if (context.isRemote) {
    const advice = 'run doctor on its host as well, without --url';
    for (const check of hostChecks) yield skip(check, 'the service is elsewhere', advice);
  } else {
    config = yield* guarded('configuration', checkConfiguration(context));
    if (config === undefined) {
      const rest = [...hostChecks.slice(1), 'api', 'dns', 'catalog', 'secondaries', 'ds', 'clock'];
      for (const check of rest) yield skip(check, 'the configuration can not be used');
      return;
    }
    yield* guarded('files', checkFiles(config));
    yield* guarded('disk space', checkDisk(config));
    database = yield* guarded('database', checkDatabase(config));
    yield* guarded('wal', checkWal(config));
  }
  const api = yield* guarded('api', checkApi(context));
  if (config !== undefined && api !== undefined) yield await checkNetwork(config);
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
  const stopped = 'there is no service that answers';
  if (config !== undefined) {
    if (api === undefined) yield skip('dns', stopped);
    else yield* guarded('dns', checkListener(config, api.client));
    if (database === undefined) yield skip('catalog', 'the database could not be read');
    else yield* guarded('catalog', checkCatalog(config, database, api !== undefined));
  }
  if (api === undefined) {
    if (config === undefined) for (const check of ['dns', 'catalog']) yield skip(check, stopped);
    for (const check of ['secondaries', 'ds']) yield skip(check, stopped);
    return;
  }
  const seen = yield* guarded('secondaries', checkSecondaries(api.client, zones));
  if (config === undefined) yield* toldBySecondaries(seen);
  yield* guarded('ds', checkParents(api.client, zones));
}

/** What a check of a secondary tells of a service that is elsewhere. */
function* toldBySecondaries(
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
