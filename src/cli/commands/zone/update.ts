/** `zone update`: PUT /zones/{name}. */
import type { ZoneChange } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { flag, required, text, whole } from '../../field.ts';
import { domainName, mailAddress } from '../../name-field.ts';
import { done, dryRunOption } from '../change.ts';
import { settingsBody, zoneFields, zoneSettings } from './settings.ts';

export const zoneUpdate = defineCommand({
  usage: 'update <zone>',
  summary: 'Change or rename a zone; what is not named stays',
  examples: [
    ['zonebook zone update example.com --description "main zone"', 'a note for operators'],
    ['zonebook zone update example.com --name example.net', 'rename it, history and all'],
    ['zonebook zone update example.com --no-enabled', 'stop serving it'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    name: domainName(text('another name: renames the zone')),
    mname: domainName(text('primary name server, for the SOA')),
    rname: mailAddress(text('e-mail address of who is responsible, for the SOA')),
    ...zoneSettings,
    description: text("operator note; '' clears it"),
    enabled: flag('serve the zone; --no-enabled stops that'),
    serial: whole('the current serial; another one is refused'),
    dryRun: dryRunOption,
  },
  async run(values, context) {
    const { name, mname, rname, enabled, serial, dryRun } = values;
    const client = await context.client();
    const answer = await client.put<ZoneChange>(`/zones/${segment(values.zone)}`, {
      name,
      mname,
      rname,
      ...settingsBody(values),
      enabled,
      serial,
      dry_run: dryRun,
    });
    await context.output.show(answer, () => {
      const fields = zoneFields(answer.zone, context.output);
      return `${done(answer, 'update')} zone ${answer.zone.name}\n${fields}`;
    });
  },
});
