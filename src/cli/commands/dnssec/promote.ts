/** `dnssec promote`: POST /zones/{name}/dnssec/rollover/promote. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { flag, required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath, statusText } from './shared.ts';

export const dnssecPromote = defineCommand({
  usage: 'promote <zone>',
  summary: 'Let a published key take over, once every parent server serves its DS',
  examples: [['zonebook dnssec promote example.com', 'the key it replaces retires']],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    skipDsCheck: flag('do not ask the parent servers'),
    skipHolddown: flag('do not wait until caches know the new key'),
    skipSecondaries: flag('do not wait for secondaries that are behind'),
  },
  async run({ zone, skipDsCheck, skipHolddown, skipSecondaries }, context) {
    const client = await context.client();
    const body = {
      skip_ds_check: skipDsCheck,
      skip_holddown: skipHolddown,
      skip_secondaries: skipSecondaries,
    };
    const path = `${dnssecPath(zone)}/rollover/promote`;
    const answer = await client.post<DnssecStatus>(path, body);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
