/**
 * The database, read beside a service that may be writing it: that SQLite finds its pages in order, that
 * this program knows its tables, that the key file is the one of its secrets, the chain, and zones that others
 * refuse.
 */
import { statSync } from 'node:fs';
import type { Connection } from '../../journal/database.ts';
import type { EpochFile } from '../../journal/epoch-file.ts';
import { databaseFileOf } from '../commands/host-database.ts';
import type { LoadedConfig } from '../environment.ts';
import { checkChain } from './chain.ts';
import { fail, type CheckResult, type CheckResults, ok, skip } from './check-result.ts';

/** Keys or zones that a message names. */
const namesShown = 5;

/** Bytes up to which every page is looked at. */
const wholeBytes = 256 * 1024 * 1024;

export interface DatabaseFacts {
  /** Milliseconds since 1970; null when nothing was written yet. */
  readonly lastEventAt: number | null;
  readonly catalog: { readonly serial: number; readonly memberCount: number };
  readonly enabledZones: number;
}

const restoreAdvice = 'stop the service and restore a backup (zonebook restore FILE)';

export async function* checkDatabase(
  config: LoadedConfig,
): CheckResults<DatabaseFacts | undefined> {
  const file = databaseFileOf(config);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    const advice = 'start the service, which makes it, or name its folder with --data-dir';
    yield fail('database', `there is no database at ${file}`, advice);
    return undefined;
  }
  const { openReader } = await import('../../journal/database.ts');
  const { readEpochFile } = await import('../../journal/epoch-file.ts');
  let connection: Connection | undefined;
  try {
    // Before the state that is looked at, which then has all that was served by now.
    const epochFile = readEpochFile(config.dataDir);
    connection = openReader(file);
    // One state for everything that is read, whatever is written meanwhile.
    connection.exec('BEGIN');
    return yield* look(connection, file, config, epochFile);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name !== 'SqliteError' && name !== 'DatabaseError') throw error;
    const isForeign = name === 'DatabaseError';
    const advice = isForeign ? 'run the program that wrote it' : restoreAdvice;
    yield fail('database', `${file}: ${(error as Error).message}`, advice);
    return undefined;
  } finally {
    connection?.close();
  }
}

async function* look(
  connection: Connection,
  file: string,
  config: LoadedConfig,
  epochFile: EpochFile | undefined,
): CheckResults<DatabaseFacts | undefined> {
  const { isOurs } = await import('../../journal/database.ts');
  const { schemaOf } = await import('../../journal/upgrade.ts');
  const { knownMigrations } = await import('../../journal/migrations.ts');
  const bytes = statSync(file).size;
  const isWhole = bytes <= wholeBytes;
  if (isWhole) {
    const damage = String(connection.pragma('quick_check(1)', { simple: true }));
    if (damage !== 'ok') {
      yield fail('database', `${file} is damaged: ${damage}`, restoreAdvice);
      return undefined;
    }
  }
  if (!isOurs(connection)) {
    yield fail(
      'database',
      `${file} is no database of zonebook`,
      'name another folder with --data-dir',
    );
    return undefined;
  }
  const migrations = knownMigrations();
  const schema = schemaOf(connection, migrations);
  if (schema < migrations.length) {
    const what = `it has schema ${schema}, this program schema ${migrations.length}`;
    yield fail('database', `${file}: ${what}`, 'restart the service, which upgrades it');
    return undefined;
  }
  const pages = isWhole ? 'every page is in order' : 'too large to look at every page';
  const more = isWhole ? '' : "; 'zonebook backup' does and proves it";
  yield ok('database', `${file}, schema ${schema}: ${pages}${more}`);
  const { judgeEpoch } = await import('../../journal/epoch.ts');
  const epoch = judgeEpoch(connection, epochFile);
  if (epoch.kind === 'taken-back') {
    const advice = "put the right database back, or start once with 'zonebook serve --recover'";
    yield fail('epoch', `${file} was taken back: ${epoch.reason}`, advice);
  }
  const keyFile = String(config.settings['dnssec.key_encryption_file']);
  const fileFinding = await keyFileFinding(connection, keyFile);
  yield fileFinding;
  if (fileFinding.result === 'OK') {
    const keysFinding = await signingKeysFinding(connection, keyFile);
    if (keysFinding !== undefined) yield keysFinding;
  }
  yield checkChain(connection, bytes, epochFile?.seq);
  yield await apexFinding(connection);
  return factsOf(connection);
}

async function keyFileFinding(connection: Connection, keyFile: string): Promise<CheckResult> {
  const { checkKeyFileOf } = await import('../../keystore/keystore.ts');
  try {
    checkKeyFileOf(connection, keyFile);
    return ok('key file', `${keyFile} is the one of this database`);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'KeyFileError') throw error;
    const advice = `put the key file that belongs to the database at ${keyFile}; without it its secrets are lost`;
    return fail('key file', error.message, advice);
  }
}

async function factsOf(connection: Connection): Promise<DatabaseFacts> {
  const { Journal } = await import('../../journal/journal.ts');
  const { CatalogQueries } = await import('../../projection/catalog-queries.ts');
  const { ZoneQueries } = await import('../../query/zone-queries.ts');
  const { seq, at } = new Journal(connection).head();
  const { serial, memberCount } = new CatalogQueries(connection).state();
  const sort = { key: 'name', descending: false } as const;
  const enabled = new ZoneQueries(connection).list('all', { enabled: true }, sort, {
    limit: 1,
    offset: 0,
  });
  return {
    lastEventAt: seq === 0 ? null : at,
    catalog: { serial, memberCount },
    enabledZones: enabled.total,
  };
}

/**
 * Private keys that zones are signed with: each is there, and the key file opens it. `keyFile` is known
 * to be the one of the database. Undefined when no zone is signed.
 */
async function signingKeysFinding(
  connection: Connection,
  keyFile: string,
): Promise<CheckResult | undefined> {
  const { openedSigningKeys } = await import('../../keystore/keystore.ts');
  const { SigningQueries } = await import('../../projection/signing-store.ts');
  const { ZoneQueries } = await import('../../query/zone-queries.ts');
  const opened = new Map<number, boolean>();
  for (const { keyId, opens } of openedSigningKeys(connection, keyFile)) opened.set(keyId, opens);
  const zones = new ZoneQueries(connection);
  const wrong: string[] = [];
  let keys = 0;
  for (const { zoneId, signing } of new SigningQueries(connection).signedZones()) {
    for (const { id, keyTag } of signing.keys) {
      keys++;
      if (opened.get(id) === true) continue;
      const how = opened.has(id) ? 'can not be opened' : 'is missing';
      wrong.push(`key ${keyTag} of ${zones.byId(zoneId)?.name} ${how}`);
    }
  }
  if (keys === 0) return undefined;
  if (wrong.length === 0) return ok('signing keys', `the key file opens all ${keys}`);
  const advice =
    'such a zone can not change, nor be signed again: restore a backup, or disable and enable its signing';
  return fail('signing keys', `the private key of ${firstOf(wrong)}`, advice);
}

/** Zones that are stored and served and that secondaries refuse all the same: those without apex NS. */
async function apexFinding(connection: Connection): Promise<CheckResult> {
  const { zonesWithoutApexNs } = await import('../../query/apex-ns.ts');
  const { names, zones } = zonesWithoutApexNs(connection);
  if (zones === 0) return skip('apex ns', 'there is no enabled zone');
  if (names.length === 0) return ok('apex ns', `all ${zones} enabled zones have NS at their apex`);
  const message = `no NS at the apex of ${firstOf(names)}: secondaries refuse to load such a zone`;
  const advice = `'zonebook record create ${names[0]} @ NS ns1.example.net.', or disable the zone`;
  return fail('apex ns', message, advice);
}

function firstOf(names: readonly string[]): string {
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return `${names.slice(0, namesShown).join(', ')}${more}`;
}
