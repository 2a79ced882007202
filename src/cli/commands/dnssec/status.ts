/** `dnssec status`: GET /zones/{name}/dnssec. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath, statusText } from './shared.ts';

export const dnssecStatus = defineCommand({
  usage: 'status <zone>',
  summary: 'Show how a zone is signed: policy, keys, DS, what comes next',
  examples: [
    ['zonebook dnssec status example.com', 'keys, the DS for the parent, and what waits for what'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  async run({ zone }, context) {
    const client = await context.client();
    const answer = await client.get<DnssecStatus>(dnssecPath(zone));
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
