/** What a grant allows, as a sentence; and a TSIG key as other programs write it in their configuration. */
import type { RoleGrant, TsigKeyAnswer } from './api.ts';

/** The fields of a grant that say what it allows. */
export interface Grant
  extends Pick<RoleGrant, 'zone_name' | 'record_name_pattern' | 'record_types'> {
  readonly actions: readonly RoleGrant['actions'][number][];
}

/** `a, b and c`. */
function listText(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
}

/** What the actions of a kind are about; those of records are said apart. */
const things = {
  zone: (zone: string | null) => (zone === null ? 'all zones' : `the zone ${zone}`),
  dnssec: (zone: string | null) => `the signing of ${zone ?? 'all zones'}`,
  secondary: () => 'secondaries',
  access: () => 'tokens, roles and keys',
} as const;

function recordsText({ zone_name: zone, record_name_pattern: name, record_types: types }: Grant) {
  const what = types === '*' ? (name === '*' ? 'all records' : 'records') : listed(types);
  const of = name === '*' ? '' : ` of ${name}`;
  return `${what}${of} in ${zone ?? 'all zones'}`;
}

const listed = (types: string) => types.split(',').join(', ');

/** `may create and delete A, AAAA of *.dyn in example.com`. */
export function grantText(grant: Grant): string {
  const verbs = (kind: string) =>
    grant.actions
      .filter((action) => action.startsWith(`${kind}:`))
      .map((action) => action.slice(kind.length + 1));
  const records = verbs('record');
  const parts = [
    ...(records.length > 0 ? [`${listText(records)} ${recordsText(grant)}`] : []),
    ...Object.entries(things).flatMap(([kind, thing]) => {
      const held = verbs(kind);
      return held.length === 0 ? [] : [`${listText(held)} ${thing(grant.zone_name)}`];
    }),
  ];
  return `may ${parts.join('; ')}`;
}

/** A string of the configuration of BIND, which Knot and nsupdate read alike. */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** How each program is given a key. */
export function keySnippets({ secret, tsig_key: { name, algorithm } }: TsigKeyAnswer) {
  const statement = `key ${quoted(name)} {\n  algorithm ${algorithm};\n  secret "${secret}";\n};`;
  return [
    { program: 'named', note: 'In named.conf.', text: statement },
    {
      program: 'knot',
      note: 'In knot.conf.',
      text: `key:\n  - id: ${quoted(name)}\n    algorithm: ${algorithm}\n    secret: "${secret}"`,
    },
    { program: 'nsupdate', note: 'In a file, for nsupdate -k FILE.', text: statement },
  ] as const;
}

/** A file for `curl --config`. */
export function curlConfig(secret: string): string {
  return `header = "Authorization: Bearer ${secret}"\n`;
}
