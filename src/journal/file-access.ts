/**
 * Whether this process may use what a data folder holds. SQLite says of a file that it may not open what it says of a
 * disk that fails, and the system says of a file in a folder that nobody may look into less than who is to blame: so
 * both are asked here.
 */
import { accessSync, constants, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseError } from './sqlite.ts';

/** A file or folder belongs to somebody else, or its file system can only be read. */
export class AccessError extends DatabaseError {
  override readonly name = 'AccessError';
}

const uses = {
  read: constants.R_OK,
  'read and write': constants.R_OK | constants.W_OK,
  'make files in': constants.W_OK | constants.X_OK,
  'look into': constants.X_OK,
} as const;

type Use = keyof typeof uses;

/** AccessError where it may not; nothing is said of what does not exist. */
export function requireAccess(path: string, use: Use = 'read and write', advice?: string): void {
  try {
    accessSync(path, uses[use]);
  } catch (error) {
    const denied = accessErrorOf(error as NodeJS.ErrnoException, path, use, advice);
    if (denied !== undefined) throw denied;
  }
}

/** Whether a file or folder is there; AccessError where this process may not know. */
export function isThere(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** Undefined when there is no such file or folder; AccessError where this process may not know. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw accessErrorOf(error as NodeJS.ErrnoException, path, 'look into') ?? error;
  }
}

/** Makes a folder that is for nobody else, and those above it; AccessError where this process may not. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw accessErrorOf(error as NodeJS.ErrnoException, path, 'make files in') ?? error;
  }
}

/** The files of a database: it, and those that SQLite has beside it while it is open, or was not closed. */
export function databaseFilesOf(file: string): readonly string[] {
  return ['', '-journal', '-wal', '-shm'].map((suffix) => `${file}${suffix}`);
}

/** What the error of a system call on a path means; undefined where it is none of these. */
export function accessErrorOf(
  { code }: { readonly code?: string | undefined },
  path: string,
  use: Use,
  advice?: string,
): AccessError | undefined {
  if (code === 'EROFS') {
    return new AccessError(
      `the file system of ${path} can only be read: mount it so that it can be written (mount -o remount,rw)`,
    );
  }
  if (code !== 'EACCES') return undefined;
  const blamed = blamedFor(resolve(path), use);
  const { stats } = blamed;
  const whatToDo = advice ?? adviceOn(blamed, path);
  return new AccessError(
    `user ${process.getuid?.()} may not ${blamed.use} ${blamed.path}, which belongs to user ${stats.uid} ` +
      `and has mode ${modeOf(stats)}: ${whatToDo}`,
  );
}

interface Blamed {
  readonly path: string;
  readonly use: Use;
  readonly stats: Stats;
}

/** The path itself, or the folder above it that lets nobody in, or nobody make what is missing. */
function blamedFor(path: string, use: Use): Blamed {
  try {
    return { path, use, stats: statSync(path) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return blamedFor(dirname(path), isMissing ? 'make files in' : 'look into');
  }
}

function adviceOn({ path, use }: Blamed, wanted: string): string {
  if (use === 'look into') return 'this user has to be let in (chown, chmod)';
  if (use === 'make files in' && path !== resolve(wanted)) {
    return `make ${wanted} as another user, and give it to the user of the service (mkdir, chown)`;
  }
  return (
    'folder and files have to belong to the user of the service, who may write there ' +
    '(chown, chmod)'
  );
}

/** The permissions of a file as chmod takes them. */
export function modeOf({ mode }: { readonly mode: number }): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
