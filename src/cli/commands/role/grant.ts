/** `role grant`: POST /roles/{name}/grants. */
import type { Grant } from '../../answers.ts';
import { segment } from '../../client.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { list, required, text } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import { grantTable } from './shared.ts';

export const roleGrant = defineCommand({
  usage: 'grant <role>',
  summary: 'Allow a role actions, in all zones or in one',
  notes:
    'Actions: zone:read zone:create zone:update zone:delete zone:transfer record:read\n' +
    'record:create record:update record:delete dnssec:read dnssec:manage secondary:read\n' +
    'secondary:manage access:manage. Names and types narrow the record actions only.',
  examples: [
    [
      'zonebook role grant dns-ops --actions record:read,record:create --zone example.com',
      'see and add records of one zone',
    ],
    [
      "zonebook role grant acme --actions record:create --name-pattern '*._acme' --types TXT",
      'add TXT records at and below one name, in every zone',
    ],
    ['zonebook role grant watch --actions zone:read,record:read', 'read everything'],
  ],
  positionals: { role: required('name of the role') },
  options: {
    actions: list('actions, separated by commas; may be repeated'),
    zone: domainName(text('zone; all zones, those to come included, when left out')),
    namePattern: domainName(
      text('* any name, @ the apex, *.sub sub and below, or one relative name'),
    ),
    types: list('record types, separated by commas; all types when left out'),
  },
  async run({ role, actions, zone, namePattern, types }, context) {
    const body = {
      actions: parts(actions),
      zone_name: zone,
      record_name_pattern: namePattern,
      record_types: types.length === 0 ? undefined : parts(types).join(','),
    };
    if (body.actions.length === 0) throw usageFailure('give at least one action with --actions');
    const client = await context.client();
    const path = `/roles/${segment(role)}/grants`;
    const answer = await client.post<{ role_grant: Grant }>(path, body);
    await context.output.show(answer, () => {
      const grant = answer.role_grant;
      const table = grantTable([grant], context.output);
      return `granted to role ${grant.role_name}\n${table}`;
    });
  },
});

/** Words that stand between commas, of an option that may also be repeated. */
function parts(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
