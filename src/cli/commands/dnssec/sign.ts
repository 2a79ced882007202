/** `dnssec sign`: POST /zones/{name}/dnssec/sign. */
import type { Message } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath } from './shared.ts';

export const dnssecSign = defineCommand({
  usage: 'sign <zone>',
  summary: 'Make all signatures of a zone anew',
  notes: 'Signatures are made anew by themselves before they run out; this is for when in doubt.',
  examples: [['zonebook dnssec sign example.com', 'discard what is stored, sign everything']],
  positionals: { zone: domainName(required('name of the zone')) },
  async run({ zone }, context) {
    const client = await context.client();
    const answer = await client.post<Message>(`${dnssecPath(zone)}/sign`, undefined);
    await context.output.show(answer, () => answer.message);
  },
});
