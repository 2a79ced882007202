/**
 * What is said of a database that can not be used, and what to do about it: in one place, whoever meets it.
 */
import { isDamage } from '../base/storage-fault.ts';
import { StoredDamage } from './damage.ts';

/** Of a database whose pages or rows are not what was written; `found` is what was met. */
export function damagedText(file: string, found: string): string {
  return (
    `${file} is damaged (${found}): 'zonebook journal verify' says what puts it right, ` +
    "'zonebook journal rebuild' or a backup ('zonebook restore FILE')"
  );
}

/** The same of an error; undefined where that says nothing of damage. */
export function damageTextOf(file: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof StoredDamage) return damagedText(file, error.message);
  if (!isDamage(error)) return undefined;
  const { cause, message } = error;
  return damagedText(file, cause instanceof Error ? cause.message : message);
}
