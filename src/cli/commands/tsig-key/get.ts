/** `tsig-key get`: GET /tsig-keys/{name}, shown as fields or as what another program reads. */
import type { TsigKeyWithSecret } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { choice, required } from '../../field.ts';
import { tsigKeyFields } from './shared.ts';
import { snippetForms, snippetOf } from './snippet.ts';

export const tsigKeyGet = defineCommand({
  usage: 'get <name>',
  summary: 'Show a TSIG key with its secret',
  examples: [
    ['zonebook tsig-key get ns2', 'its algorithm and secret'],
    ['zonebook tsig-key get ns2 --format named >> /etc/bind/keys.conf', 'for a BIND secondary'],
    ['zonebook tsig-key get ddns --format key-file > ddns.key', 'for nsupdate -k and dig -k'],
  ],
  positionals: { name: required('name of the key') },
  options: {
    format: choice(snippetForms, 'text for another program, whatever --output says'),
  },
  async run({ name, format }, context) {
    const client = await context.client();
    const answer = await client.get<TsigKeyWithSecret>(`/tsig-keys/${segment(name)}`);
    if (format !== undefined) {
      context.output.write(snippetOf(format, answer));
      return;
    }
    await context.output.show(answer, () => tsigKeyFields(answer, context.output));
  },
});
