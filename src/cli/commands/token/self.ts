/** `token self`: GET /tokens/self, the grants of its role (/tokens/self/grants) or /permissions. */
import type { Grant, Permissions, Token } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../exit-code.ts';
import { flag } from '../../field.ts';
import type { Output } from '../../output.ts';
import { fetchPages, moreLine } from '../../page.ts';
import { grantTable } from '../role/shared.ts';
import { tokenFields } from './shared.ts';

const everyPage = { all: true, limit: undefined, offset: undefined };

export const tokenSelf = defineCommand({
  usage: 'self',
  summary: 'Show the token of this command, from --token or ZONEBOOK_TOKEN',
  examples: [
    ['zonebook token self --url https://dns.example.net', 'its name, role and expiry'],
    ['zonebook token self --grants --url https://dns.example.net', 'what its role is granted'],
    ['zonebook token self --permissions -o json', 'what that comes to, zone by zone'],
  ],
  options: {
    grants: flag('show the grants of its role instead'),
    permissions: flag('show the actions they come to instead, in all zones and in single ones'),
  },
  async run({ grants: wantsGrants, permissions: wantsPermissions }, context) {
    if (wantsGrants === true && wantsPermissions === true) {
      throw usageFailure('--grants and --permissions exclude each other');
    }
    if (!context.isRemote) {
      throw usageFailure('the local socket has no token: give --url and --token');
    }
    const client = await context.client();
    if (wantsPermissions === true) {
      const answer = await client.get<Permissions>('/permissions');
      await context.output.show(answer, () => permissionTable(answer, context.output));
      return;
    }
    if (wantsGrants !== true) {
      const answer = await client.get<{ token: Token }>('/tokens/self');
      await context.output.show(answer, () => tokenFields(answer.token, context.output));
      return;
    }
    const grants = await fetchPages<Grant>(client, '/tokens/self/grants', {}, everyPage);
    await context.output.show(grants, () => {
      if (grants.items.length === 0) return 'no grants';
      return `${grantTable(grants.items, context.output)}${moreLine(grants)}`;
    });
  },
});

function permissionTable({ all_zones: everywhere, zones }: Permissions, output: Output): string {
  const held = [{ ...everywhere, zone_name: '(all zones)' }, ...zones];
  const rows = held.map((each) => [
    each.zone_name,
    each.actions.join(','),
    each.whole_zone.join(','),
  ]);
  return output.table(['zone', 'actions', 'whole_zone'], rows);
}
