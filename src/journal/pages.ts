/** SQLite's own look at a database: whether its pages are in order and its indexes lead to their rows. */
import { isTransient, StorageProblem } from '../base/storage-problem.ts';
import { type VerifyResult, verifyResult } from './verify-result.ts';
import type { Connection } from './sqlite.ts';

/** Messages that are asked for: a damaged page may cause thousands. */
const maxMessages = 20;

/** All tables, or one of them. Reads all pages of it, in one transaction. */
export function checkPages(connection: Connection, table?: string): VerifyResult[] {
  const subject = table === undefined ? maxMessages : table;
  let messages: readonly string[];
  try {
    const rows = connection.pragma(`integrity_check(${subject})`) as {
      readonly integrity_check: string;
    }[];
    messages = rows.slice(0, maxMessages).map((row) => row.integrity_check);
  } catch (error) {
    if (!blamesFile(error)) throw error;
    messages = [error.message];
  }
  return messages
    .filter((message) => message !== 'ok')
    .map((message) => verifyResult('DATABASE_DAMAGED', `SQLite finds damage: ${message}`));
}

/** Whether an error of SQLite can come from damage: of a damaged file any statement can fail. */
export function blamesFile(error: unknown): error is Error & { readonly code: string } {
  return isSqliteError(error) && !isTransient(error);
}

/** Whether SQLite refuses what it is asked, in whichever thread. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  const met = error instanceof StorageProblem ? error.cause : error;
  const { code } = (met ?? {}) as { readonly code?: unknown };
  return met instanceof Error && typeof code === 'string' && code.startsWith('SQLITE_');
}

/** The same as one sentence, of the first damage; undefined when there is none. */
export function damageOf(connection: Connection): string | undefined {
  return checkPages(connection)[0]?.problem;
}
