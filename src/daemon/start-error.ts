/** What a start that failed ended with. */
import { judgeError } from '../base/storage-problem.ts';
import { DatabaseError, openReader } from '../journal/database.ts';
import { sentenceOf } from '../journal/verify-result.ts';
import { Journal } from '../journal/journal.ts';
import { blamesFile, damageOf } from '../journal/pages.ts';
import { damagedText, damageTextOf } from '../journal/unusable.ts';
import { verifyChain } from '../journal/verify.ts';

/**
 * A DatabaseError where damage is behind it. SQLite and the checksums say so themselves; of any other error that has no
 * meaning of its own the database is looked through.
 */
export function judgeStart(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError) return error;
  const text = damageTextOf(file, error);
  if (text !== undefined) return new DatabaseError(text, { cause: error });
  if (judgeError(error) !== error || 'syscall' in error) return error;
  const found = damageIn(file);
  if (found === undefined) return error;
  return new DatabaseError(damagedText(file, `${error.message}; ${found}`), { cause: error });
}

/** The first damage that SQLite or the chain of the journal shows. */
function damageIn(file: string): string | undefined {
  try {
    const connection = openReader(file);
    try {
      const [first] = verifyChain(new Journal(connection)).findings;
      return damageOf(connection) ?? (first && sentenceOf(first));
    } finally {
      connection.close();
    }
  } catch (error) {
    return blamesFile(error) ? error.message : undefined;
  }
}
