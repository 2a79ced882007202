/** `dnssec abort`: POST /zones/{name}/dnssec/rollover/abort. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, flag, required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath, statusText } from './shared.ts';

export const dnssecAbort = defineCommand({
  usage: 'abort <zone>',
  summary: 'Take a published key away before it takes over',
  notes:
    'A move to another algorithm is aborted as a whole, and the zone is back under its former\n' +
    'policy. After the promotion nothing can be aborted any more.',
  examples: [
    ['zonebook dnssec abort example.com', 'the key that waits for the parent, or else the ZSK'],
    ['zonebook dnssec abort example.com --role zsk', 'the ZSK that is published'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    role: choice(['csk', 'ksk', 'zsk'], 'which key'),
    skipDsCheck: flag('do not ask the parent servers'),
  },
  async run({ zone, role, skipDsCheck }, context) {
    const client = await context.client();
    const body = { role, skip_ds_check: skipDsCheck };
    const answer = await client.post<DnssecStatus>(`${dnssecPath(zone)}/rollover/abort`, body);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
