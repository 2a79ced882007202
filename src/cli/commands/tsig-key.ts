/** `tsig-key`: TSIG keys, presented as they are or as what another program reads. */
import type { TsigKey, TsigKeyWithSecret } from '../answers.ts';
import type { Group } from '../command.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { choice } from '../field.ts';
import { readAll } from '../environment.ts';
import { resource } from '../resource.ts';

const tsigKey = resource<TsigKey, Pick<TsigKeyWithSecret, 'secret'>>({
  path: '/tsig-keys',
  key: 'tsig_key',
  noun: 'TSIG key',
  none: 'no TSIG keys',
  columns: ['name', 'algorithm', ['role', 'role_name'], 'created_at'],
  fields: ['name', 'id', 'algorithm', ['role', 'role_name'], 'created_at', 'secret'],
});

export const keyFormats = ['named', 'knot', 'nsd', 'key-file'] as const;
export type KeyFormat = (typeof keyFormats)[number];

/**
 * A key as other programs read it: a statement for named.conf, sections for knot.conf and nsd.conf, and the
 * file for `dig -k` and `nsupdate -k`, which has the form of named.
 *
 * Refuses names with other characters than host names have: each program escapes them in its own
 * way, or not at all, and the text must stay one key.
 */
export function keyFor(format: KeyFormat, answer: TsigKeyWithSecret): string {
  const { secret } = answer;
  const { name, algorithm } = answer.tsig_key;
  if (!/^[a-z0-9._-]+$/.test(name)) {
    const reason = 'configurations of other programs can not be trusted to read it';
    throw new CliFailure(exitCode.failure, `the name '${name}' has unusual characters: ${reason}`);
  }
  switch (format) {
    case 'named':
    case 'key-file':
      return `key "${name}" {\n  algorithm ${algorithm};\n  secret "${secret}";\n};\n`;
    case 'knot':
      return `key:\n  - id: "${name}"\n    algorithm: ${algorithm}\n    secret: "${secret}"\n`;
    case 'nsd':
      return `key:\n  name: "${name}"\n  algorithm: ${algorithm}\n  secret: "${secret}"\n`;
  }
}

export const tsigKeys: Group = {
  name: 'tsig-key',
  summary: 'TSIG keys of DNS updates, transfers and NOTIFY',
  commands: [
    tsigKey.create({
      summary: 'Create a TSIG key: it signs updates, transfers and NOTIFY',
      notes: "'zonebook tsig-key get NAME' shows the secret again.",
      examples: [
        ['$0 ddns.example.com --role dhcp', 'a key with a random secret'],
        [
          '$0 ns2 --role transfer --algorithm hmac-sha512 --secret -',
          'a key that exists elsewhere, its secret from standard input',
        ],
      ],
      fields: {
        name: 'name of the key, a domain name that both sides write alike',
        role: 'role whose grants say what the key may do',
        algorithm: 'algorithm; hmac-sha256 when left out',
        secret: 'secret in base64, or - for standard input; random when left out',
      },
      async prepare({ secret, ...values }, { services }) {
        if (secret !== '-') return { ...values, secret };
        return { ...values, secret: (await readAll('-', services)).trim() };
      },
    }),
    tsigKey.list({
      summary: 'List TSIG keys without their secrets',
      examples: [
        ['$0', 'every key with its role'],
        ['$0 --role dhcp', 'those of one role'],
      ],
      fields: { role: 'keys of this role only' },
    }),
    tsigKey.get<TsigKeyWithSecret>({
      summary: 'Show a TSIG key with its secret',
      examples: [
        ['$0 ns2', 'its algorithm and secret'],
        ['$0 ns2 --format named >> /etc/bind/keys.conf', 'for a BIND secondary'],
        ['$0 ddns --format key-file > ddns.key', 'for nsupdate -k and dig -k'],
      ],
      fields: {
        format: choice(keyFormats, 'text for another program, whatever --output says'),
      },
      exact: (answer, { format }) =>
        format === undefined ? undefined : keyFor(format as KeyFormat, answer),
    }),
    tsigKey.delete({
      summary: 'Delete a TSIG key; refused while it signs the NOTIFY to a secondary',
      examples: [['$0 ns2', 'what it signs is refused at once']],
    }),
  ],
};
