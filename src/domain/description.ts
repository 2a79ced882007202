/** Operator notes on zones, roles and tokens: at most 255 characters; none when left out or empty. */
import { limits } from '../base/limits.ts';
import { Problem, type ProblemCode } from '../base/problem.ts';

/** Reads a note, or refuses it with the code of the resource it belongs to. */
export function parseDescription(text: string | undefined, code: ProblemCode): string | null {
  if (text === undefined || text === '') return null;
  // Half of a surrogate pair has no UTF-8: what is stored would differ from what was answered.
  if (!text.isWellFormed()) throw new Problem(code, 'description: has half of a surrogate pair');
  const characters = [...text].length;
  if (characters > limits.descriptionCharacters) {
    throw new Problem(
      code,
      `description: ${characters} characters (at most ${limits.descriptionCharacters})`,
    );
  }
  return text;
}
