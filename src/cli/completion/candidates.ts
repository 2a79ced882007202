/**
 * What the word that is being typed may become, as far as the commands tell, and names that the service knows.
 *
 * Nobody waits long for a completion, and nobody reads its errors: a service that does not answer at once,
 * or does not say, has no names.
 */
import { isStorable, rrtype } from '../../dns/rrtype.ts';
import { actions } from '../../base/action.ts';
import type { Listing } from '../answers.ts';
import { Client, type QueryValues } from '../client.ts';
import { type Command, optionName, verbOf } from '../command.ts';
import type { CliServices } from '../environment.ts';
import type { GlobalValues } from '../parse.ts';
import { findTarget } from '../target.ts';
import type { LinePosition, Named } from './position.ts';

export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** Things that only the service knows the names of. */
export type NamedKind =
  | 'zone'
  | 'deleted-zone'
  | 'secondary'
  | 'role'
  | 'token'
  | 'tsig-key'
  | 'dnssec-policy';

export type Completion =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'names'; readonly of: NamedKind; readonly prefix: string }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

const nothing: Completion = { kind: 'words', candidates: [] };

export function completionAt(position: LinePosition): Completion {
  const { command, current, named, valuePrefix, mayBeOption } = position;
  if (mayBeOption && current.startsWith('-')) return words(optionsAt(position), current, '');
  if (named !== undefined) return valuesOf(named, position);
  if (command !== undefined || valuePrefix !== '' || !mayBeOption) return nothing;
  const verbs = position.commands.map((each) => ({ word: verbOf(each), meaning: each.summary }));
  const groups = position.groups.map((each) => ({ word: each.name, meaning: each.summary }));
  return words([...verbs, ...groups], current, '');
}

function words(all: readonly Candidate[], typed: string, prefix: string): Completion {
  const candidates = all
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, meaning }) => ({ word: `${prefix}${word}`, meaning }));
  return { kind: 'words', candidates };
}

/** Options that were not given, or may be given again; `--no-` forms where their help names them. */
function optionsAt({ options, given }: LinePosition): Candidate[] {
  const candidates = Object.entries(options).flatMap(([name, { settings }]) => {
    if (given.has(name) && settings.array !== true) return [];
    const meaning = settings.describe ?? '';
    const written = `--${optionName(name)}`;
    const negated = `--no-${optionName(name)}`;
    const forms = meaning.includes(negated) ? [written, negated] : [written];
    return forms.map((word) => ({ word, meaning }));
  });
  return [...candidates, { word: '--help', meaning: 'show help' }];
}

function valuesOf(named: Named, position: LinePosition): Completion {
  const { current, valuePrefix } = position;
  const { name, field } = named;
  if (field.values !== undefined) {
    const all = field.values.map((word) => ({ word, meaning: '' }));
    return words(all, current, valuePrefix);
  }
  if (fileNames.has(name)) return { kind: 'files' };
  if (name === 'dataDir') return { kind: 'folders' };
  if (name === 'type') return words(recordTypes, current.toUpperCase(), valuePrefix);
  if (name === 'types' || name === 'actions') {
    const all = name === 'types' ? recordTypes : grantable;
    const end = current.lastIndexOf(',') + 1;
    const typed = current.slice(end);
    return words(
      all,
      name === 'types' ? typed.toUpperCase() : typed,
      `${valuePrefix}${current.slice(0, end)}`,
    );
  }
  const of = kindNamed(name, position);
  return of === undefined ? nothing : { kind: 'names', of, prefix: valuePrefix };
}

const fileNames: ReadonlySet<string> = new Set(['file', 'config', 'caFile']);

const recordTypes: readonly Candidate[] = Object.entries(rrtype)
  .filter(([, type]) => isStorable(type))
  .map(([word]) => ({ word, meaning: '' }));

const grantable: readonly Candidate[] = actions.map((word) => ({ word, meaning: '' }));

/** What the names of fields stand for, in every command alike. */
const kindOfField: Readonly<Record<string, NamedKind>> = {
  zone: 'zone',
  // Of record delete: a zone with what is in it, or an id.
  target: 'zone',
  role: 'role',
  tsigKey: 'tsig-key',
  notifyKey: 'tsig-key',
  policy: 'dnssec-policy',
};

/** What `name` stands for in a group. */
const kindOfGroup: Readonly<Record<string, NamedKind>> = {
  zone: 'zone',
  dnssec: 'zone',
  secondary: 'secondary',
  role: 'role',
  token: 'token',
  'tsig-key': 'tsig-key',
  'dnssec-policy': 'dnssec-policy',
};

function kindNamed(name: string, { path, command, options }: LinePosition): NamedKind | undefined {
  if (name !== 'name') return kindOfField[name];
  const verb = verbOf(command as Command);
  // A name that is made is not one there is; neither is the new one of a rename, or a filter.
  if (verb === 'create' || options.name !== undefined) return undefined;
  if (verb === 'restore' || verb === 'purge') return 'deleted-zone';
  return kindOfGroup[path[0] ?? ''];
}

/** Names shown at most. */
const namesShown = 200;
/** Milliseconds to wait for them. */
const timeoutMs = 1500;

interface NamedThing {
  readonly name: string;
  readonly description?: string | null;
}

const paths: Readonly<Record<NamedKind, string>> = {
  zone: '/zones',
  'deleted-zone': '/zones',
  secondary: '/secondaries',
  role: '/roles',
  token: '/tokens',
  'tsig-key': '/tsig-keys',
  'dnssec-policy': '/dnssec-policies',
};

export async function namesOf(
  of: NamedKind,
  typed: string,
  globals: GlobalValues,
  services: CliServices,
): Promise<Candidate[]> {
  try {
    const client = new Client(await findTarget(globals, services));
    try {
      return await ask(client, of, typed.toLowerCase());
    } finally {
      client.close();
    }
  } catch {
    return [];
  }
}

async function ask(client: Client, of: NamedKind, typed: string): Promise<Candidate[]> {
  const isZone = of === 'zone' || of === 'deleted-zone';
  // Only zones are many, and only they can be searched for; the search finds names in the middle too.
  const query: QueryValues = {
    limit: 1000,
    ...(isZone && typed !== '' ? { search: typed } : {}),
    ...(of === 'deleted-zone' ? { deleted: true } : {}),
  };
  const { status, body } = await client.send('GET', paths[of], query, undefined, {
    withinMs: timeoutMs,
  });
  if (status !== 200) return [];
  const names = (body as Listing<NamedThing>).items
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({ word: name, meaning: description ?? '' }));
  return names.slice(0, namesShown);
}
