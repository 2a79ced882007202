/**
 * Names of secondaries, tokens, roles and policies: trimmed, lower-cased, 1 to 64 of `a-z 0-9 . _ -`, and not `.` or
 * `..`: a path can not carry those, however they are escaped (RFC 3986 5.2.4), so nobody could take such a token back.
 * And what operators note of them and of zones.
 */
import { limits } from '../base/limits.ts';
import { excerpt, Problem, type ProblemCode } from '../base/problem.ts';

const identifier = /^[a-z0-9._-]{1,64}$/;
const unreachable = /^\.{1,2}$/;

/** `field` is what a refusal names. */
export function parseIdentifier(text: string, field = 'name'): string {
  const name = text.trim().toLowerCase();
  const invalid = (rule: string) =>
    new Problem('INVALID_INPUT', `${field}: '${excerpt(name)}' is ${rule}`);
  if (!identifier.test(name)) {
    throw invalid('not 1 to 64 letters, digits, dots, underscores or hyphens');
  }
  if (unreachable.test(name)) throw invalid('no name: paths can not carry it');
  return name;
}

const digits = /^\d{1,10}$/;

/**
 * What bears a name. What bears one that no path can carry, from the time before those were refused, is found by its
 * id in place of a name.
 */
export function findNamed<Row extends { readonly name: string }>(
  raw: string,
  byName: (name: string) => Row | undefined,
  byId: (id: number) => Row | undefined,
): Row | undefined {
  const row = byName(raw);
  if (row !== undefined || !digits.test(raw)) return row;
  const other = byId(Number(raw));
  return other !== undefined && unreachable.test(other.name) ? other : undefined;
}

/** Reads a note, none when left out or empty; refuses it with the code of the resource that it belongs to. */
export function parseNote(
  text: string | undefined,
  code: ProblemCode,
  field = 'description',
  maxCharacters: number = limits.descriptionCharacters,
): string | null {
  if (text === undefined || text === '') return null;
  // Half of a surrogate pair has no UTF-8: what is stored would differ from what was answered.
  if (!text.isWellFormed()) throw new Problem(code, `${field}: has half of a surrogate pair`);
  const characters = [...text].length;
  if (characters <= maxCharacters) return text;
  throw new Problem(code, `${field}: ${characters} characters (at most ${maxCharacters})`);
}
