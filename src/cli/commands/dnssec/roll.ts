/** `dnssec roll`: POST /zones/{name}/dnssec/rollover. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath, statusText } from './shared.ts';

export const dnssecRoll = defineCommand({
  usage: 'roll <zone>',
  summary: 'Publish a new key that is to replace the one in use',
  notes:
    'A new ZSK takes over by itself once caches know it. A new CSK or KSK also waits until every\n' +
    'parent server serves its DS; then the service promotes it, or dnssec promote does.',
  examples: [
    ['zonebook dnssec roll example.com', 'a zone with one CSK'],
    ['zonebook dnssec roll example.com --role zsk', 'a zone with KSK and ZSK has to be told which'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: { role: choice(['csk', 'ksk', 'zsk'], 'which key') },
  async run({ zone, role }, context) {
    const client = await context.client();
    const answer = await client.post<DnssecStatus>(`${dnssecPath(zone)}/rollover`, { role });
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
