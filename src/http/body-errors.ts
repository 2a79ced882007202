/** Where in the body of a request a refusal says that something is wrong: JSON pointers (RFC 6901). */
import { fieldOf } from '../base/item-errors.ts';
import { DetailedProblem, type ItemError, ListedProblem, Problem } from '../base/problem.ts';
import type { Route } from '../contract/route.ts';

/** What a request on a route was refused with; what is wrong in its body has a pointer. */
export function withPointers(thrown: unknown, { body }: Route): unknown {
  if (!(thrown instanceof Problem) || thrown instanceof DetailedProblem) return thrown;
  const { code, message } = thrown;
  const listed: readonly ItemError[] =
    thrown instanceof ListedProblem ? thrown.errors : [{ code, message }];
  const errors = listed.map((error) => {
    const pointer = error.pointer ?? pointerOf(error, body.entries);
    return pointer === undefined ? error : { pointer, ...error };
  });
  const isOne = thrown instanceof ListedProblem || errors[0]!.pointer !== undefined;
  return isOne ? new ListedProblem(thrown, errors) : thrown;
}

/** Undefined for what no field of the body is to blame for. */
function pointerOf({ list, index, message }: ItemError, fields: object): string | undefined {
  const field = fieldOf(message) ?? [];
  if (list !== undefined) return `/${list}/${index}`;
  const [first] = field;
  if (first === undefined || !Object.hasOwn(fields, first)) return undefined;
  return field.map((part) => `/${part}`).join('');
}
