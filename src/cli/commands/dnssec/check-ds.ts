/** `dnssec check-ds`: POST /zones/{name}/dnssec/check-ds. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath, statusText } from './shared.ts';

export const dnssecCheckDs = defineCommand({
  usage: 'check-ds <zone>',
  summary: 'Ask the parent servers for the DS of a zone',
  examples: [['zonebook dnssec check-ds example.com', 'which keys the parent vouches for']],
  positionals: { zone: domainName(required('name of the zone')) },
  async run({ zone }, context) {
    const client = await context.client();
    const answer = await client.post<DnssecStatus>(`${dnssecPath(zone)}/check-ds`, undefined);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
