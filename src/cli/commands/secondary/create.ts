/** `secondary create`: POST /secondaries. */
import type { Secondary } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required, text } from '../../field.ts';
import { serverAddress } from '../../name-field.ts';
import { secondaryTable } from './shared.ts';

export const secondaryCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Register a secondary: it gets NOTIFY and may transfer zones',
  examples: [['zonebook secondary create ns2 --address 192.0.2.53:53', 'one by its address']],
  positionals: { name: required('name to call it by') },
  options: {
    address: serverAddress(required('host or host:port; port 53 when left out')),
    notifyKey: text('TSIG key that signs every NOTIFY to it'),
  },
  async run({ name, address, notifyKey }, context) {
    const client = await context.client();
    const body = { name, address, notify_key_name: notifyKey };
    const answer = await client.post<{ secondary: Secondary }>('/secondaries', body);
    await context.output.show(answer, () => {
      const table = secondaryTable([answer.secondary], context.output);
      return `created secondary ${answer.secondary.name}\n${table}`;
    });
  },
});
