/**
 * The database, read beside a service that may be writing it: that SQLite finds its pages in order, that this program
 * knows its tables, that the key file is the one of its secrets, its chain, its WAL, and zones that others refuse.
 */
import { formatTime, monotonicMs, systemClock } from '../../base/clock.ts';
import { isTransient, storageProblemOf } from '../../base/storage-problem.ts';
import { listNames } from '../../domain/access/visibility.ts';
import { litestreamTraceOf } from '../../journal/checkpoints.ts';
import {
  AccessError,
  type Connection,
  DatabaseError,
  isEmpty,
  isOurs,
  LoadError,
  openReader,
} from '../../journal/database.ts';
import { findMissingAtEnd } from '../../journal/end.ts';
import { readEpochFile } from '../../journal/epoch-file.ts';
import { isThere, statsOf } from '../../journal/file-access.ts';
import { judgeEpoch } from '../../journal/epoch.ts';
import { type VerifyResult, sentenceOf } from '../../journal/verify-result.ts';
import { Journal } from '../../journal/journal.ts';
import { knownMigrations } from '../../journal/migrations.ts';
import { isSqliteError } from '../../journal/pages.ts';
import { absenceOf } from '../../journal/unusable.ts';
import { schemaOf } from '../../journal/upgrade.ts';
import { ChainCheck, verifyChain } from '../../journal/verify.ts';
import { walLength } from '../../journal/wal-progress.ts';
import { checkKeyFileOf, openedSigningKeys } from '../../keystore/keystore.ts';
import { KeyFileError } from '../../keystore/sealing.ts';
import { zonesWithoutApexNs } from '../../query/apex-ns.ts';
import { CatalogQueries } from '../../projection/catalog-queries.ts';
import { SigningQueries } from '../../projection/signing-store.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { checkpointsOf, databaseFileOf, keyFileOf } from '../commands/host-database.ts';
import type { LoadedConfig } from '../environment.ts';
import {
  type CheckResult,
  type CheckResults,
  fail,
  ok,
  resultOfFailure,
  skip,
} from './check-result.ts';

/** Keys or zones that a message names. */
const maxNames = 5;

/** Bytes of the database up to which every page and every event is looked at. */
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
  if (!isThere(file)) {
    const { problem, advice } = absenceOf(file, keyFileOf(config));
    yield fail('database', `there is no database at ${file}: ${problem}`, advice);
    return undefined;
  }
  let connection: Connection | undefined;
  try {
    // Before the state that is looked at, which then has all that was served by now.
    const epochFile = readEpochFile(config.dataDir);
    connection = openReader(file);
    // One state for everything that is read, whatever is written meanwhile.
    connection.exec('BEGIN');
    const tables = tablesResult(connection, file, keyFileOf(config));
    yield tables;
    if (tables.result !== 'OK') return undefined;
    const epoch = judgeEpoch(connection, epochFile);
    if (epoch.kind === 'taken-back') {
      const advice = "put the right database back, or start once with 'zonebook serve --recover'";
      yield fail('epoch', `${file} was taken back: ${epoch.reason}`, advice);
    }
    yield* keyResults(connection, keyFileOf(config));
    yield checkChain(connection, sizeOf(file), epochFile?.seq);
    yield apexResult(connection);
    return factsOf(connection);
  } catch (error) {
    const isOfHost = error instanceof AccessError || error instanceof LoadError;
    const isForeign = error instanceof DatabaseError;
    if (isOfHost || !(isForeign || isSqliteError(error))) throw error;
    const storage = isTransient(error) ? storageProblemOf(error) : undefined;
    const advice = isForeign ? 'run the program that wrote it' : (storage?.remedy ?? restoreAdvice);
    yield fail('database', `${file}: ${error.message}`, advice);
    return undefined;
  } finally {
    connection?.close();
  }
}

function sizeOf(file: string): number {
  return statsOf(file)?.size ?? 0;
}

/** Whether the file is a whole database of this program, with the tables that it knows. */
function tablesResult(connection: Connection, file: string, keyFile: string): CheckResult {
  const isWhole = sizeOf(file) <= wholeBytes;
  if (isWhole) {
    const damage = String(connection.pragma('quick_check(1)', { simple: true }));
    if (damage !== 'ok') return fail('database', `${file} is damaged: ${damage}`, restoreAdvice);
  }
  if (isEmpty(connection)) {
    const { problem, advice } = absenceOf(file, keyFile);
    return fail('database', `${file}: ${problem}`, advice);
  }
  if (!isOurs(connection)) {
    const message = `${file} is no database of zonebook`;
    return fail('database', message, 'name another folder with --data-dir');
  }
  const migrations = knownMigrations();
  const schema = schemaOf(connection, migrations);
  if (schema < migrations.length) {
    const what = `it has schema ${schema}, this program schema ${migrations.length}`;
    return fail('database', `${file}: ${what}`, 'restart the service, which upgrades it');
  }
  const pages = isWhole ? 'every page is in order' : 'too large to look at every page';
  const more = isWhole ? '' : "; 'zonebook backup' does and proves it";
  return ok('database', `${file}, schema ${schema}: ${pages}${more}`);
}

/** The key file, and with the right one the private keys that zones are signed with. */
function* keyResults(connection: Connection, keyFile: string): Generator<CheckResult> {
  try {
    checkKeyFileOf(connection, keyFile);
  } catch (error) {
    if (error instanceof AccessError) {
      yield resultOfFailure('key file', error);
      return;
    }
    if (!(error instanceof KeyFileError)) throw error;
    const advice = `put the key file that belongs to the database at ${keyFile}; without it its secrets are lost`;
    yield fail('key file', error.message, advice);
    return;
  }
  yield ok('key file', `${keyFile} is the one of this database`);
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
  if (wrong.length > 0) {
    const advice =
      'such a zone can not change, nor be signed again: restore a backup, or disable and enable its signing';
    yield fail('signing keys', `the private key of ${listNames(wrong, maxNames)}`, advice);
  } else if (keys > 0) {
    yield ok('signing keys', `the key file opens all ${keys}`);
  }
}

/** Zones that are stored and served and that secondaries refuse all the same: those without apex NS. */
function apexResult(connection: Connection): CheckResult {
  const { names, zones } = zonesWithoutApexNs(connection);
  if (zones === 0) return skip('apex ns', 'there is no enabled zone');
  if (names.length === 0) return ok('apex ns', `all ${zones} enabled zones have NS at their apex`);
  const message = `no NS at the apex of ${listNames(names, maxNames)}: secondaries refuse to load such a zone`;
  const advice = `'zonebook record create ${names[0]} @ NS ns1.example.net.', or disable the zone`;
  return fail('apex ns', message, advice);
}

function factsOf(connection: Connection): DatabaseFacts {
  const { seq, at } = new Journal(connection).head();
  const { serial, memberCount } = new CatalogQueries(connection).state();
  const sort = { key: 'name', descending: false } as const;
  const page = { limit: 1, offset: 0 };
  const { total } = new ZoneQueries(connection).list('all', { enabled: true }, sort, page);
  return {
    lastEventAt: seq === 0 ? null : at,
    catalog: { serial, memberCount },
    enabledZones: total,
  };
}

/** Milliseconds that a change may wait for a checkpoint of somebody else. Litestream makes one a minute. */
const waitMs = 3_600_000;

const externalAdvice =
  'look at the log of the program that replicates the database (Litestream); ' +
  "without one set database.checkpoints to 'own'";

/**
 * The WAL beside the database: how long it is, and that it is checkpointed by whom the configuration says
 * (`database.checkpoints`). What has waited for a checkpoint for an hour shows that nobody makes any.
 */
export function checkWal(config: LoadedConfig): CheckResult {
  const file = databaseFileOf(config);
  let connection: Connection | undefined;
  try {
    if (!isThere(file)) return skip('wal', `there is no database at ${file}`);
    connection = openReader(file);
    if (isOurs(connection)) return walResult(connection, file, config);
    return skip('wal', `${file} is no database of zonebook`);
  } catch (error) {
    if (!(isSqliteError(error) || error instanceof DatabaseError)) throw error;
    return skip('wal', `the database could not be read: ${error.message}`);
  } finally {
    connection?.close();
  }
}

function walResult(connection: Connection, file: string, config: LoadedConfig): CheckResult {
  const isOwn = checkpointsOf(config) === 'own';
  const trace = litestreamTraceOf(file, connection);
  if (isOwn && trace !== undefined) {
    const message = `database.checkpoints is 'own', but ${trace}: checkpoints by the service make its replica wrong`;
    const advice =
      "set database.checkpoints to 'external' and restart the service, or remove Litestream";
    return fail('wal', message, advice);
  }
  const { bytes, pendingBytes } = walLength(connection);
  const warnBytes = Number(config.settings['database.wal_warn_bytes']);
  const length = `${bytes} bytes are in use, ${pendingBytes} of them wait for a checkpoint`;
  if (bytes >= warnBytes) {
    const ownAdvice = 'a long reader keeps it from its end: restart the service';
    const message = `${length}; database.wal_warn_bytes is ${warnBytes}`;
    return fail('wal', message, isOwn ? ownAdvice : externalAdvice);
  }
  const since = isOwn || pendingBytes === 0 ? undefined : waitingSince(connection, file);
  if (since !== undefined) {
    return fail('wal', `${length}; the last one was ${formatTime(since)}`, externalAdvice);
  }
  return ok('wal', `${length} by ${isOwn ? 'the service' : 'another program'}`);
}

/**
 * When the last checkpoint was, if a change has waited for the next one for too long. Nothing but a
 * checkpoint writes the database file. Milliseconds since 1970.
 */
function waitingSince(connection: Connection, file: string): number | undefined {
  const lastMs = Math.floor(statsOf(file)?.mtimeMs ?? 0);
  const at = connection
    .prepare<[number], number>('SELECT at FROM event WHERE at <= ? ORDER BY seq DESC LIMIT 1')
    .pluck()
    .get(systemClock() - waitMs);
  return at !== undefined && at > lastMs ? lastMs : undefined;
}

/** Events up to which everything is read. */
const wholeEvents = 20_000;

/** Events of the first, the last and each other run of a sample. */
const endEvents = 1000;
const runEvents = 100;
const runs = 20;
/** Milliseconds after which a sample is large enough: single events may hold a whole zone. */
const sampleMs = 5000;

const journalAdvice =
  "'zonebook journal verify' tells all; a broken journal is replaced by a backup (zonebook restore)";

/**
 * The chain of the journal: all of it when it is small, else some runs of it. A run proves that its events are what was
 * hashed and follow each other; that nothing is missing between two runs only `zonebook journal verify` proves, which
 * reads everything. `served`: the greatest event that was served, as the epoch file had it before.
 */
export function checkChain(connection: Connection, bytes: number, served?: number): CheckResult {
  const journal = new Journal(connection);
  const total = journal.head().seq;
  const missing = findMissingAtEnd(connection, served);
  if (missing !== undefined) return broken(missing);
  if (total <= wholeEvents && bytes <= wholeBytes) {
    const { events, findings } = verifyChain(journal);
    const [first] = findings;
    if (first !== undefined) return broken(first);
    return ok('journal', `the chain of all ${events} events is intact`);
  }
  const untilMs = monotonicMs() + sampleMs;
  let seen = 0;
  for (const run of runsOf(total)) {
    const { count, found } = lookAt(journal, run, untilMs);
    if (found !== undefined) return broken(found);
    seen += count;
  }
  const sample = `a sample of ${seen} of ${total} events is intact`;
  return ok('journal', `${sample}; 'zonebook journal verify' reads all of them`);
}

function broken(found: VerifyResult): CheckResult {
  return fail('journal', sentenceOf(found), journalAdvice);
}

interface Run {
  readonly afterSeq: number;
  readonly count: number;
}

/** The last events, the first ones, and runs at even distances between them. */
function runsOf(total: number): Run[] {
  const between = total - 2 * endEvents;
  if (between <= runs * runEvents) return [{ afterSeq: 0, count: total }];
  return [
    { afterSeq: total - endEvents, count: endEvents },
    { afterSeq: 0, count: endEvents },
    ...Array.from({ length: runs }, (_, index) => {
      const afterSeq = endEvents + Math.floor((between * (index + 0.5)) / runs);
      return { afterSeq, count: runEvents };
    }),
  ];
}

/** Events that were looked at, and the first thing that is wrong with them. */
interface Looked {
  readonly count: number;
  readonly found: VerifyResult | undefined;
}

/** What retention has dropped is passed over: only a whole reading knows whether it had to be. */
function lookAt(journal: Journal, { afterSeq, count }: Run, untilMs: number): Looked {
  const chain = new ChainCheck(journal, afterSeq);
  let looked = 0;
  for (const row of journal.events(afterSeq)) {
    if (looked === count || monotonicMs() > untilMs || chain.findings.length > 0) break;
    looked++;
    chain.add(row);
  }
  return { count: looked, found: chain.findings[0] };
}
