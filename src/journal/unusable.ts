/**
 * What is said of a database that can not be used, and what to do about it: in one place, whoever meets it.
 */
import { dirname, join } from 'node:path';
import { isDamage } from '../base/storage-problem.ts';
import { StoredDamage } from './damage.ts';
import { epochFileName } from './epoch-file.ts';
import { isThere } from './file-access.ts';

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

/** Of a database that is missing, or has nothing in it. */
export interface Absence {
  readonly problem: string;
  readonly advice: string;
  /** Whether other files say that there was one, which a volume that was not mounted looks like too. */
  readonly isMissed: boolean;
}

/** AccessError where this process may not know what is there: what it may not see is not missing. */
export function absenceOf(file: string, keyFile: string): Absence {
  const what = isThere(file) ? 'is empty' : 'is missing';
  const kept = [join(dirname(file), epochFileName), keyFile].filter((path) => isThere(path));
  if (kept.length === 0) {
    const advice =
      "'zonebook serve' makes one; or name the folder of the service with --data-dir, " +
      'or its configuration with --config';
    return { problem: `it ${what}`, advice, isMissed: false };
  }
  const verb = kept.length === 1 ? 'stands' : 'stand';
  return {
    problem: `it ${what}, but ${kept.join(' and ')} of a database ${verb} there`,
    advice:
      "put the database back (mount its volume, or 'zonebook restore FILE' with a backup), " +
      "or begin with an empty one: 'zonebook serve --new'",
    isMissed: true,
  };
}
