/** The host of a service: its configuration, its files, and the room on its disk. */
import { statfsSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { problemOfSocketPath, socketPathOf } from '../../base/socket-path.ts';
import { backupNoteName } from '../../journal/backup-note.ts';
import { lockFile } from '../../journal/database.ts';
import { epochFileName } from '../../journal/epoch-file.ts';
import { databaseFilesOf, modeOf, statsOf } from '../../journal/file-access.ts';
import type { Context } from '../command.ts';
import { databaseFileOf } from '../commands/host-database.ts';
import { configFileOf, isConfigError, type LoadedConfig } from '../environment.ts';
import { fail, type CheckResult, type CheckResults, ok, skip } from './check-result.ts';

export interface HostConfig {
  readonly config: LoadedConfig;
  /** Whether a service could start with it. */
  readonly canStart: boolean;
}

/**
 * Whether the service could start with the configuration; returns it when it can be read. What keeps a service from
 * starting, like a certificate that does not fit its key, keeps nobody from looking at what it names.
 */
export async function* checkConfiguration(context: Context): CheckResults<HostConfig | undefined> {
  let config: LoadedConfig | undefined;
  try {
    config = await context.config();
    config.examineForStart();
  } catch (error) {
    if (!isConfigError(error)) throw error;
    const file = configFileOf(context.location, context.services);
    const where = file === undefined ? '' : ` (in ${file}, the environment or an argument)`;
    for (const { key, problem, allowed } of error.problems) {
      yield fail('configuration', `${key}: ${problem}${where}`, `allowed: ${allowed}`);
    }
    return config && { config, canStart: false };
  }
  const tooLong = problemOfSocketPath(config.dataDir);
  if (tooLong !== undefined) {
    const { key, problem, allowed } = tooLong;
    yield fail('configuration', `${key}: ${problem}`, `allowed: ${allowed}`);
    return undefined;
  }
  const source = config.configFile ?? 'no file, so the built-in defaults and variables';
  yield ok('configuration', `usable: ${source}; data_dir ${config.dataDir}`);
  return { config, canStart: true };
}

interface PrivateFile {
  readonly path: string;
  /** Permissions that nobody but the owner may have. */
  readonly forbidden: number;
  /** Permissions without which its owner can not use it. */
  readonly needed: number;
  readonly wanted: string;
  /** Whether it belongs to whom the folder belongs to. */
  readonly owned: boolean;
}

const alone = { forbidden: 0o077, needed: 0o600, wanted: '600', owned: true } as const;

/** What is only read, or replaced by another file. */
const readOnly = { ...alone, needed: 0o400 } as const;

/**
 * Files of the service: its own and nobody else's. The folder has mode 0700, what is in it 0600, and all
 * of it one owner; a key of TLS may be read by its group.
 */
export async function* checkFiles({ dataDir, settings }: LoadedConfig): CheckResults {
  const folder = statsOf(dataDir);
  if (folder === undefined) {
    const advice = 'start the service, which makes it, or name its folder with --data-dir';
    yield fail('files', `there is no folder ${dataDir}`, advice);
    return;
  }
  const tlsKey = settings['api.tls_key_file'];
  const files: PrivateFile[] = [
    // What it lacks is said below.
    { path: dataDir, forbidden: 0o077, needed: 0, wanted: '700', owned: true },
    ...[databaseFileOf({ dataDir }), join(dataDir, lockFile)]
      .flatMap(databaseFilesOf)
      .map((path) => ({ ...alone, path })),
    { ...readOnly, path: String(settings['dnssec.key_encryption_file']) },
    { ...alone, path: socketPathOf(dataDir) },
    ...[epochFileName, backupNoteName].map((name) => ({ ...readOnly, path: join(dataDir, name) })),
    ...(typeof tlsKey === 'string'
      ? [{ path: tlsKey, forbidden: 0o007, needed: 0, wanted: '640', owned: false }]
      : []),
  ];
  let seen = 0;
  const found: CheckResult[] = [];
  if ((folder.mode & 0o700) !== 0o700) {
    const message = `${dataDir} has mode ${modeOf(folder)}: its owner can not make files in it`;
    found.push(fail('files', message, `chmod 700 ${dataDir}`));
  }
  const user = await userOfService(dataDir);
  for (const file of files) {
    const stats = statsOf(file.path);
    if (stats === undefined) continue;
    seen++;
    found.push(...problemsOf(file, stats, user, folder));
  }
  if (found.length > 0) yield* found;
  else yield ok('files', `${seen} files looked at: nobody but the service can read or open them`);
}

/** `user` is whom the service runs as, where that is known. */
function* problemsOf(
  file: PrivateFile,
  stats: Stats,
  user: number | undefined,
  folder: Stats,
): Generator<CheckResult> {
  const { path, forbidden, needed, wanted, owned } = file;
  if ((stats.mode & forbidden) !== 0) {
    const message = `${path} has mode ${modeOf(stats)}: others can use it`;
    yield fail('files', message, `chmod ${wanted} ${path}`);
  }
  if ((stats.mode & needed) !== needed) {
    const use = needed === readOnly.needed ? 'read' : 'read and write';
    const message = `${path} has mode ${modeOf(stats)}: its owner can not ${use} it`;
    yield fail('files', message, `chmod ${wanted} ${path}`);
  }
  if (!owned) return;
  if (user === undefined && stats.uid !== folder.uid) {
    const message = `${path} belongs to user ${stats.uid}, its folder to user ${folder.uid}`;
    const advice = 'give the folder and all in it to the user of the service (chown -R)';
    yield fail('files', message, advice);
  } else if (user !== undefined && stats.uid !== user) {
    const message = `${path} belongs to user ${stats.uid}, the service runs as user ${user}`;
    yield fail('files', message, `chown ${user} ${path}`);
  }
}

/** The owner of the socket that a service answers on: a copy of one has nobody behind it. */
function userOfService(dataDir: string): Promise<number | undefined> {
  const path = socketPathOf(dataDir);
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.destroy();
      resolve(statsOf(path)?.uid);
    });
  });
}

/** Bytes that have to be free however small the database is. */
const minFreeBytes = 256 * 1024 * 1024;
/** Files that can still be made; a file system without a limit tells 0 of 0. */
const minFreeFiles = 100;

/**
 * Room on the disk of the data folder: the database has to grow, and a backup, an upgrade or a large
 * change needs a copy of what it touches for a while.
 */
export function checkDisk({ dataDir }: LoadedConfig): CheckResult {
  if (statsOf(dataDir) === undefined) return skip('disk space', `there is no folder ${dataDir}`);
  const { bavail, bsize, files, ffree } = statfsSync(dataDir);
  const free = bavail * bsize;
  const size = statsOf(databaseFileOf({ dataDir }))?.size ?? 0;
  const room = `${mebibytes(free)} are free at ${dataDir}, the database has ${mebibytes(size)}`;
  const advice = 'make room on that file system, or move data_dir to a larger one';
  if (free < Math.max(minFreeBytes, size)) {
    const message = `${room}: too little for a copy of it and ${mebibytes(minFreeBytes)}`;
    return fail('disk space', message, advice);
  }
  if (files > 0 && ffree < minFreeFiles) {
    const message = `only ${ffree} more files can be made at ${dataDir}`;
    return fail('disk space', message, advice);
  }
  return ok('disk space', room);
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MiB`;
}
