/**
 * Whether this process may use what a data folder holds. SQLite says of a file that it may not open what it says of a
 * disk that fails, so it is asked later.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { DatabaseError } from './sqlite.ts';

/** A file or folder belongs to somebody else, or its file system can only be read. */
export class AccessError extends DatabaseError {
  override readonly name = 'AccessError';
}

/** AccessError where it may not; nothing is said of what does not exist. */
export function requireAccess(path: string, use: keyof typeof uses = 'read and write'): void {
  try {
    accessSync(path, uses[use]);
  } catch (error) {
    const denied = accessErrorOf(error as NodeJS.ErrnoException, path, use);
    if (denied !== undefined) throw denied;
  }
}

const uses = {
  read: constants.R_OK,
  'read and write': constants.R_OK | constants.W_OK,
  'make files in': constants.W_OK | constants.X_OK,
} as const;

/** What the error of a system call on a path means; undefined where it is none of these. */
export function accessErrorOf(
  { code }: { readonly code?: string | undefined },
  path: string,
  use: keyof typeof uses,
): AccessError | undefined {
  if (code === 'EROFS') {
    return new AccessError(
      `the file system of ${path} can only be read: mount it so that it can be written (mount -o remount,rw)`,
    );
  }
  if (code !== 'EACCES') return undefined;
  const user = process.getuid?.();
  const stats = statSync(path);
  return new AccessError(
    `user ${user} may not ${use} ${path}, which belongs to user ${stats.uid} and has mode ${modeOf(stats)}: ` +
      'folder and files have to belong to the user of the service, who may write there (chown, chmod)',
  );
}

/** The permissions of a file as chmod takes them. */
export function modeOf({ mode }: { readonly mode: number }): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
