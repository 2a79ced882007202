/** `zone create`: POST /zones. */
import type { ZoneChange } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { flag, required, whole } from '../../field.ts';
import { domainName, mailAddress } from '../../name-field.ts';
import { done, dryRunOption } from '../change.ts';
import { settingsBody, zoneFields, zoneSettings } from './settings.ts';

export const zoneCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create a zone',
  examples: [
    [
      'zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com',
      'a zone with an apex NS record for ns1.example.com',
    ],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    mname: domainName(required('primary name server, for the SOA')),
    rname: mailAddress(required('e-mail address of who is responsible, for the SOA')),
    ...zoneSettings,
    serial: whole('first serial; 1 for a new name when left out'),
    apexNs: flag('start with an NS record for mname; --no-apex-ns leaves it out'),
    dryRun: dryRunOption,
  },
  async run(values, context) {
    const { name, mname, rname, serial, apexNs, dryRun } = values;
    const client = await context.client();
    const answer = await client.post<ZoneChange>('/zones', {
      name,
      mname,
      rname,
      ...settingsBody(values),
      serial,
      apex_ns: apexNs,
      dry_run: dryRun,
    });
    await context.output.show(answer, () => {
      const fields = zoneFields(answer.zone, context.output);
      return `${done(answer, 'create')} zone ${answer.zone.name}\n${fields}`;
    });
  },
});
