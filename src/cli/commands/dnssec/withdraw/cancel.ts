/** `dnssec withdraw cancel`: DELETE /zones/{name}/dnssec/withdraw. */
import type { DnssecStatus } from '../../../answers.ts';
import { defineCommand } from '../../../command.ts';
import { required } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { dnssecPath, statusText } from '../shared.ts';

export const withdrawCancel = defineCommand({
  usage: 'cancel <zone>',
  summary: 'Ask the parent to keep the DS of a zone after all',
  examples: [['zonebook dnssec withdraw cancel example.com', 'CDS name the keys again']],
  positionals: { zone: domainName(required('name of the zone')) },
  async run({ zone }, context) {
    const client = await context.client();
    const answer = await client.delete<DnssecStatus>(`${dnssecPath(zone)}/withdraw`);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
