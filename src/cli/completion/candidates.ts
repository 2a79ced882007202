/** What the word that is being typed may become, as far as the commands alone can tell. */
import { isStorable, rrtype } from '../../dns/rrtype.ts';
import { actions } from '../../domain/access/action.ts';
import { type Command, optionName, verbOf } from '../command.ts';
import type { LinePlace, Named } from './place.ts';

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

export function completionAt(place: LinePlace): Completion {
  const { command, current, named, valuePrefix, mayBeOption } = place;
  if (mayBeOption && current.startsWith('-')) return words(optionsAt(place), current, '');
  if (named !== undefined) return valuesOf(named, place);
  if (command !== undefined || valuePrefix !== '' || !mayBeOption) return nothing;
  const verbs = place.commands.map((each) => ({ word: verbOf(each), meaning: each.summary }));
  const groups = place.groups.map((each) => ({ word: each.name, meaning: each.summary }));
  return words([...verbs, ...groups], current, '');
}

function words(all: readonly Candidate[], typed: string, prefix: string): Completion {
  const candidates = all
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, meaning }) => ({ word: `${prefix}${word}`, meaning }));
  return { kind: 'words', candidates };
}

/** Options that were not given, or may be given again; `--no-` forms where their help names them. */
function optionsAt({ options, given }: LinePlace): Candidate[] {
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

function valuesOf(named: Named, place: LinePlace): Completion {
  const { current, valuePrefix } = place;
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
  const of = kindNamed(name, place);
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

function kindNamed(name: string, { path, command, options }: LinePlace): NamedKind | undefined {
  if (name !== 'name') return kindOfField[name];
  const verb = verbOf(command as Command);
  // A name that is made is not one there is; neither is the new one of a rename, or a filter.
  if (verb === 'create' || options.name !== undefined) return undefined;
  if (verb === 'restore' || verb === 'purge') return 'deleted-zone';
  return kindOfGroup[path[0] ?? ''];
}
