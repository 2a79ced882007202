/**
 * Examples of the specification that follow from others: parameters of paths, refusals by their code,
 * and what a dry run answers where the real thing is shown.
 */
import type { ProblemCode } from '../base/problem.ts';
import { problemExamples } from './problem-examples.ts';
import type { Route } from './route.ts';

/** Names by the collection they are in; zones too where the parameter says so itself. */
const nameIn: Readonly<Record<string, string>> = {
  zones: 'example.com',
  roles: 'dns-ops',
  tokens: 'ci',
  'tsig-keys': 'ddns.example.com',
  secondaries: 'ns2',
  'dnssec-policies': 'default',
};

const others: Readonly<Record<string, string | number>> = {
  zone_name: 'example.com',
  serial: 1,
  file: 'swagger-ui.css',
};

/** The value of a parameter of a path, matching the other examples; undefined when there is none. */
export function exampleParameter(path: string, name: string): string | number | undefined {
  const [, collection = '', parameter] = path.split('/');
  if (name === 'name') return nameIn[collection];
  if (name === 'id') return parameter === '{id}' && collection === 'records' ? 7 : 1;
  return others[name];
}

/** Refusals of one status by their code, with the items of the request where the operation names them. */
export function refusalExamples(
  codes: readonly ProblemCode[],
  { itemList, problems }: Pick<Route, 'itemList' | 'problems'>,
): Record<string, unknown> {
  return Object.fromEntries(
    codes.map((code) => {
      const message = problemExamples[code];
      const isOfItems = itemList !== undefined && problems.includes(code);
      const errors = isOfItems ? { errors: [{ index: 0, list: itemList, code, message }] } : {};
      return [code, { value: { error: message, code, ...errors } }];
    }),
  );
}

/** What a dry run answers: nothing was applied, and what would be made has no id yet. */
export function dryRunExample(example: unknown): unknown {
  if (example === undefined) return undefined;
  return JSON.parse(JSON.stringify(example), (key, value) => {
    if (key === 'applied') return false;
    if (key === 'dry_run') return true;
    return key === 'id' ? 0 : value;
  });
}
