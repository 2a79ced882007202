/** `zone notify`: POST /zones/{name}/notify, or POST /notify for all zones. */
import type { Message } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { flag, text } from '../../field.ts';
import { domainName } from '../../name-field.ts';

export const zoneNotify = defineCommand({
  usage: 'notify [name]',
  summary: 'Send NOTIFY to every enabled secondary and wait for the answers',
  examples: [
    ['zonebook zone notify example.com', 'tell the secondaries of one zone'],
    ['zonebook zone notify --all', 'of every zone'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: {
    all: flag('every zone'),
    bumpSerial: flag('advance the serial first, so that secondaries transfer in any case'),
  },
  async run({ name, all, bumpSerial }, context) {
    if ((name === undefined) !== (all === true)) {
      throw usageFailure('name one zone, or give --all', "see 'zonebook zone notify --help'");
    }
    const client = await context.client();
    const path = name === undefined ? '/notify' : `/zones/${segment(name)}/notify`;
    const answer = await client.post<Message>(path, undefined, { bump_serial: bumpSerial });
    await context.output.show(answer, () => answer.message);
  },
});
