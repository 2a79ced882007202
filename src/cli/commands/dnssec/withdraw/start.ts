/** `dnssec withdraw start`: POST /zones/{name}/dnssec/withdraw. */
import type { DnssecStatus } from '../../../answers.ts';
import { defineCommand } from '../../../command.ts';
import { required } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';
import { dnssecPath, statusText } from '../shared.ts';

export const withdrawStart = defineCommand({
  usage: 'start <zone>',
  summary: 'Ask the parent, by CDS and CDNSKEY, to remove the DS of a zone',
  notes: 'Once no parent server serves a DS any more, dnssec disable stops signing the zone.',
  examples: [['zonebook dnssec withdraw start example.com', 'the first step to an unsigned zone']],
  positionals: { zone: domainName(required('name of the zone')) },
  async run({ zone }, context) {
    const client = await context.client();
    const answer = await client.post<DnssecStatus>(`${dnssecPath(zone)}/withdraw`, undefined);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
