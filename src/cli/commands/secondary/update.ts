/** `secondary update`: PUT /secondaries/{name}. */
import type { Secondary } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { flag, required, text } from '../../field.ts';
import { serverAddress } from '../../name-field.ts';
import { secondaryTable } from './shared.ts';

export const secondaryUpdate = defineCommand({
  usage: 'update <name>',
  summary: 'Change a secondary; what is not named stays',
  examples: [
    ['zonebook secondary update ns2 --no-enabled', 'no NOTIFY, no transfers, but keep it'],
    ['zonebook secondary update ns2 --address 192.0.2.54', 'it has moved'],
  ],
  positionals: { name: required('name of the secondary') },
  options: {
    address: serverAddress(text('host or host:port; port 53 when left out')),
    enabled: flag('tell it of changes and let it transfer; --no-enabled stops that'),
    notifyKey: text("TSIG key that signs every NOTIFY to it; '' sends unsigned again"),
  },
  async run({ name, address, enabled, notifyKey }, context) {
    const client = await context.client();
    const body = { address, enabled, notify_key_name: notifyKey };
    const path = `/secondaries/${segment(name)}`;
    const answer = await client.put<{ secondary: Secondary }>(path, body);
    await context.output.show(answer, () => {
      const table = secondaryTable([answer.secondary], context.output);
      return `updated secondary ${answer.secondary.name}\n${table}`;
    });
  },
});
