/**
 * Files that the program reads at run time besides its code: migrations, the addon of SQLite, pages.
 *
 * Each is named by its path in a checkout. There it is read from the disk; the executable made by
 * scripts/build.ts carries it inside under the same name. A name that is missing is a bug.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';

/** Whether this is the executable, which has no files of a checkout beside it. */
export const isExecutable: boolean = isSea();

/** For example `drizzle/meta/_journal.json`. What the executable gives is not to be written to. */
export function readAsset(path: string): Buffer {
  if (isExecutable) return Buffer.from(getRawAsset(path));
  return readFileSync(join(import.meta.dirname, '../..', path));
}
