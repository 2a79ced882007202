/** `dnssec disable`: DELETE /zones/{name}/dnssec. */
import type { Message } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { flag, required } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { dnssecPath } from './shared.ts';

export const dnssecDisable = defineCommand({
  usage: 'disable <zone>',
  summary: 'Stop signing a zone; refused while its parent serves a DS',
  notes:
    'With a DS at the parent and no signatures, validating resolvers refuse the whole zone. Have the\n' +
    'DS removed first (dnssec withdraw start asks for it), and wait until caches have let go of it.',
  examples: [['zonebook dnssec disable example.com', 'keys and signatures are deleted']],
  positionals: { zone: domainName(required('name of the zone')) },
  options: { skipDsCheck: flag('do not ask the parent servers') },
  async run({ zone, skipDsCheck }, context) {
    const client = await context.client();
    const query = { skip_ds_check: skipDsCheck };
    const answer = await client.delete<Message>(dnssecPath(zone), query);
    await context.output.show(answer, () => answer.message);
  },
});
