/** `tsig-key create`: POST /tsig-keys. */
import type { TsigKeyWithSecret } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, required, text } from '../../field.ts';
import { readAll } from '../../input.ts';
import { tsigKeyFields } from './shared.ts';

export const tsigKeyCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create a TSIG key: it signs updates, transfers and NOTIFY',
  notes: "'zonebook tsig-key get NAME' shows the secret again.",
  examples: [
    ['zonebook tsig-key create ddns.example.com --role dhcp', 'a key with a random secret'],
    [
      'zonebook tsig-key create ns2 --role transfer --algorithm hmac-sha512 --secret -',
      'a key that exists elsewhere, its secret from standard input',
    ],
  ],
  positionals: { name: required('name of the key, a domain name that both sides write alike') },
  options: {
    role: required('role whose grants say what the key may do'),
    algorithm: choice(
      ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'],
      'algorithm; hmac-sha256 when left out',
    ),
    secret: text('secret in base64, or - for standard input; random when left out'),
  },
  async run({ name, role, algorithm, secret }, context) {
    const given = secret === '-' ? (await readAll('-', context.services)).trim() : secret;
    const client = await context.client();
    const answer = await client.post<TsigKeyWithSecret>('/tsig-keys', {
      name,
      role_name: role,
      algorithm,
      secret: given,
    });
    await context.output.show(answer, () => {
      const fields = tsigKeyFields(answer, context.output);
      return `created TSIG key ${answer.tsig_key.name}\n${fields}`;
    });
  },
});
