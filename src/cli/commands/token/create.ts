/** `token create`: POST /tokens. The only place where the secret of a token is ever shown. */
import type { TokenCreation } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required, text, whole } from '../../field.ts';
import { tokenFields } from './shared.ts';

export const tokenCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create a token for the HTTP interface and print its secret, this once',
  notes:
    'The secret can not be shown again. The first token, or one in place of a lost one, is made\n' +
    'on the host of the service, where the local socket needs none.',
  examples: [
    ['zonebook token create root --role admin', 'a token with full access'],
    ['zonebook token create ci --role dns-ops --expires-in-days 90', 'one for three months'],
  ],
  positionals: { name: required('name of the token: letters, digits, dot, hyphen, underscore') },
  options: {
    role: required('role whose grants say what the token may do'),
    description: text('operator note, up to 255 characters'),
    expiresInDays: whole('days until it expires, 1 to 36500; never when left out'),
  },
  async run({ name, role, description, expiresInDays }, context) {
    const client = await context.client();
    const answer = await client.post<TokenCreation>('/tokens', {
      name,
      role_name: role,
      description,
      expires_in_days: expiresInDays,
    });
    await context.output.show(answer, () =>
      [
        `created token ${answer.token.name}`,
        tokenFields(answer.token, context.output),
        '',
        'Its secret, which can not be shown again:',
        '',
        answer.secret,
      ].join('\n'),
    );
  },
});
