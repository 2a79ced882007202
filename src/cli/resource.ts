/**
 * Commands of a resource: what has a name or an id is created, listed, presented, changed and deleted alike.
 *
 * The five verbs follow from the path of the resource in the HTTP interface and from its columns: their routes, their
 * arguments, and what is presented of an answer. A row has what is particular to its command.
 */
import { pathParameters } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import { done } from './changes.ts';
import { type Listed, listed, passOn, type PassedOn } from './from-contract.ts';
import type { Columns, Output } from './output.ts';

interface ResourceOptions<Item, Beside> {
  /** Of its list in the HTTP interface. */
  readonly path: string;
  /** Its name in answers. */
  readonly key: string;
  /** What people call it; `key` when left out. */
  readonly noun?: string;
  /** What is said of an empty list. */
  readonly none: string;
  readonly columns: Columns<Item>;
  /** What stands below each other of one alone, which is a list of one when left out. */
  readonly fields?: Columns<Item & Beside>;
}

type Particular<Row extends { readonly examples: unknown }> = Partial<Row> & Pick<Row, 'examples'>;

/** `Beside`: what stands beside the thing in answers about one, like the secret of a key. */
export function resource<Item extends { readonly name: string }, Beside = unknown>({
  path,
  key,
  noun = key,
  none,
  columns,
  fields,
}: ResourceOptions<Item, Beside>) {
  const itemOf = (answer: object) => {
    const item = (answer as Readonly<Record<string, Item>>)[key]!;
    return { ...answer, ...item } as Item & Beside;
  };
  const one = (answer: object, output: Output) => {
    const item = itemOf(answer);
    return fields === undefined ? output.rows(columns, [item]) : output.one(fields, item);
  };
  const rows = (items: readonly Item[], output: Output) => output.rows(columns, items);
  /** Behind a headline: `created zone example.com`, or `would create` it. */
  const after = (verb: string) => (answer: object, output: Output) =>
    `${done(answer, verb)} ${noun} ${itemOf(answer).name}\n${one(answer, output)}`;

  return {
    one,
    rows,
    after,
    create: <Answer extends object>(row: Particular<PassedOn<Answer>>) =>
      passOn<Answer>({
        ...asked('create', 'POST', path),
        usage: 'create <name>',
        show: after('create'),
        ...row,
      }),
    list: (row: Particular<Listed<Item>>) =>
      listed<Item>({ ...asked('list', 'GET', path), none, show: rows, ...row }),
    get: <Answer extends object>(row: Particular<PassedOn<Answer>>) =>
      passOn<Answer>({ ...asked('get', 'GET', `${path}/{}`), show: one, ...row }),
    update: <Answer extends object>(row: Particular<PassedOn<Answer>>) =>
      passOn<Answer>({ ...asked('update', 'PUT', `${path}/{}`), show: after('update'), ...row }),
    delete: <Answer>(row: Particular<PassedOn<Answer>>) =>
      passOn<Answer>({ ...asked('delete', 'DELETE', `${path}/{}`), ...row }),
  };
}

/** The operation at a path, whatever its parameters are called, and the command that passes on to it. */
function asked(verb: string, method: string, path: string) {
  const route = routes.find((each) => {
    return each.method === method && each.path.replace(/\{\w+\}/g, '{}') === path;
  });
  if (route === undefined) throw new Error(`the contract has no ${method} ${path}`);
  const words = pathParameters(route.path).map((name) => ` <${name}>`);
  return { usage: `${verb}${words.join('')}`, route: route.id };
}
