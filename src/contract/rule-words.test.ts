/** Every rule that a request can break has words of ours: those of the schema library are for programmers. */
import { expect, it } from 'vitest';
import { routes } from './routes.ts';

/** As much of a schema of valibot as is looked at. */
interface Rule {
  readonly kind: string;
  readonly type: string;
  readonly message?: unknown;
  readonly pipe?: readonly Rule[];
  readonly entries?: Readonly<Record<string, Rule>>;
  readonly item?: Rule;
  readonly wrapped?: Rule;
  readonly options?: readonly unknown[];
}

/** What passes everything, or leaves the judging to what is in it. */
const judgesNothing = new Set(['optional', 'nullish', 'nullable', 'strict_object', 'unknown']);

function wordless(rule: Rule, path: string): string[] {
  const { kind, type, message, pipe, entries = {}, item, wrapped } = rule;
  const isJudge = (kind === 'schema' && !judgesNothing.has(type)) || kind === 'validation';
  return [
    ...(isJudge && message === undefined ? [`${path} ${type}`] : []),
    ...(pipe ?? []).slice(1).flatMap((each) => wordless(each, path)),
    ...Object.entries(entries).flatMap(([name, each]) => wordless(each, `${path}.${name}`)),
    ...(item === undefined ? [] : wordless(item, `${path}[]`)),
    ...(wrapped === undefined ? [] : wordless(wrapped, path)),
  ];
}

it('all rules of requests have words', () => {
  const found = routes.flatMap(({ id, query, body }) => [
    // A parameter is a text before it is anything else.
    ...wordless(query as unknown as Rule, `${id}?`).filter(
      (each) => !/ (?:string|number|boolean)$/.test(each),
    ),
    ...wordless(body as unknown as Rule, id),
  ]);
  expect(found).toEqual([]);
});
