/**
 * Errors of requests that ask for several things: each part is judged, whatever is wrong with the others, so that a
 * caller mends all of them at once.
 */
import { limits } from './limits.ts';
import { DetailedProblem, type ItemError, ListedProblem, Problem } from './problem.ts';

/** A field of a request and, after the colon, what is wrong with it. */
const fieldMessage = /^([a-z]\w*(?:\[\d+\])?(?:\.[a-z]\w*(?:\[\d+\])?)*): /;

/** The path of the field that a Problem's message is about, part by part; undefined where it is about none. */
export function fieldOf(message: string): readonly string[] | undefined {
  const path = fieldMessage.exec(message)?.[1];
  return path?.split(/\]?[.[]|\]$/).filter((part) => part !== '');
}

/** What is wrong with a part of a request, as what is wrong with the whole: messages begin with its path. */
export function within(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof Problem)) return thrown;
  const moved = (message: string) =>
    fieldOf(message) === undefined ? `${path}: ${message}` : `${path}.${message}`;
  const problem = new Problem(thrown.code, moved(thrown.message));
  if (!(thrown instanceof ListedProblem)) return problem;
  const errors = thrown.errors.map((each) => ({ ...each, message: moved(each.message) }));
  return new ListedProblem(problem, errors);
}

/** What was found to be wrong so far. */
class Found {
  readonly #errors: ItemError[] = [];
  #first: Problem | undefined;

  /** What `judge` gives; undefined where it throws a Problem. */
  of<Value>(judge: () => Value): Value | undefined {
    try {
      return judge();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  /** Throws what is no Problem, and one with details of its own, which a list has no place for. */
  add(thrown: unknown): void {
    if (!(thrown instanceof Problem)) throw thrown;
    if (thrown instanceof DetailedProblem) throw this.#problem ?? thrown;
    this.#first ??= thrown;
    const { code, message } = thrown;
    this.#errors.push(...(thrown instanceof ListedProblem ? thrown.errors : [{ code, message }]));
  }

  /** True when no more are listed. */
  get isFull(): boolean {
    return this.#errors.length >= limits.reportedErrors;
  }

  /** Throws the first, and all with it where there are several. */
  throwAny(): void {
    if (this.#first !== undefined) throw this.#problem;
  }

  get #problem(): Problem | undefined {
    if (this.#first === undefined || this.#errors.length === 1) return this.#first;
    return new ListedProblem(this.#first, this.#errors.slice(0, limits.reportedErrors));
  }
}

type Read<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends () => infer Value ? Value : never;
};

/** Reads each of some fields. Throws the Problem of the first that is wrong, with those of the others. */
export function readFields<Fields extends Readonly<Record<string, () => unknown>>>(
  fields: Fields,
): Read<Fields> {
  const found = new Found();
  const entries = Object.entries(fields).map(([name, read]) => [name, found.of(read)] as const);
  found.throwAny();
  return Object.fromEntries(entries) as Read<Fields>;
}

/** Reads each item of a list. Throws the Problem of the first that is wrong, with those of the others up to a limit. */
export function readEach<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item, index: number) => Value,
): Value[] {
  const values: Value[] = [];
  let found: Found | undefined;
  let index = 0;
  for (const item of items) {
    try {
      values.push(read(item, index++));
    } catch (error) {
      found ??= new Found();
      found.add(error);
      if (found.isFull) break;
    }
  }
  found?.throwAny();
  return values;
}
