/**
 * `token`: tokens of callers of the HTTP interface (interface 4.6). Only creating one ever shows its secret.
 *
 * Self has three routes: the token that asks, the grants of its role, and the permissions that these come to.
 */
import type { Explanation, Grant, Permissions, Token, TokenCreation } from '../answers.ts';
import { defineCommand, type Group } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { flag } from '../field.ts';
import { passOn } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';
import { everyPage, fetchPages, moreLine } from '../page.ts';
import { resource } from '../resource.ts';
import { grantColumns } from './role.ts';

const expiry: Columns<Token>[number] = ['expires_at', ({ expires_at: at }) => at ?? 'never'];
const role: Columns<Token>[number] = ['role', 'role_name'];
const token = resource<Token>({
  path: '/tokens',
  key: 'token',
  none: 'no tokens',
  columns: ['name', role, expiry, 'last_used_at', 'last_used_from', 'created_at', 'description'],
  fields: [
    'name',
    'id',
    role,
    'created_at',
    expiry,
    'last_used_at',
    'last_used_from',
    'description',
  ],
});

const self = defineCommand({
  usage: 'self',
  summary: 'Show the token of this command, from --token or ZONEBOOK_TOKEN',
  examples: [
    ['$0 --url https://dns.example.net', 'its name, role and expiry'],
    ['$0 --grants --url https://dns.example.net', 'what its role is granted'],
    ['$0 --permissions -o json', 'what that comes to, zone by zone'],
  ],
  options: {
    grants: flag('show the grants of its role instead'),
    permissions: flag('show the actions they come to instead, in all zones and in single ones'),
  },
  async run({ grants: wantsGrants, permissions: wantsPermissions }, { isRemote, client, output }) {
    if (wantsGrants === true && wantsPermissions === true) {
      throw usageFailure('--grants and --permissions exclude each other');
    }
    if (!isRemote) throw usageFailure('the local socket has no token: give --url and --token');
    const service = await client();
    if (wantsPermissions === true) {
      const answer = await service.get<Permissions>('/permissions');
      await output.show(answer, () => permissionTable(answer, output));
    } else if (wantsGrants === true) {
      const grants = await fetchPages<Grant>(service, '/tokens/self/grants', {}, everyPage);
      await output.show(grants, () => {
        if (grants.items.length === 0) return 'no grants';
        return `${output.rows(grantColumns, grants.items)}${moreLine(grants)}`;
      });
    } else {
      const answer = await service.get<{ token: Token }>('/tokens/self');
      await output.show(answer, () => token.one(answer, output));
    }
  },
});

function permissionTable(answer: Permissions, output: Output): string {
  const { all_zones: everywhere, zones, reason_required: needsReason } = answer;
  const columns: Columns<Permissions['zones'][number]> = [
    ['zone', 'zone_name'],
    ['actions', ({ actions }) => actions.join(',')],
    ['whole_zone', ({ whole_zone: whole }) => whole.join(',')],
  ];
  const table = output.rows(columns, [{ ...everywhere, zone_name: '(all zones)' }, ...zones]);
  return needsReason ? `${table}\neach write needs a reason` : table;
}

function explanationText(found: Explanation['explanation'], output: Output): string {
  const { grant, message, needed_grant: needed } = found;
  if (grant !== null) return `${message}\n${output.rows(grantColumns, [grant])}`;
  if (needed === null) return message;
  const options = [
    ...(needed.zone_name === null ? [] : [`--zone ${needed.zone_name}`]),
    ...(needed.record_name_pattern === '*'
      ? []
      : [`--name-pattern '${needed.record_name_pattern}'`]),
    ...(needed.record_types === '*' ? [] : [`--types ${needed.record_types}`]),
  ];
  const command = ['zonebook role grant', found.role_name, '--actions', ...needed.actions];
  return `${message}\n${output.hint(`it would be allowed after: ${[...command, ...options].join(' ')}`)}`;
}

export const tokens: Group = {
  name: 'token',
  summary: 'Tokens of callers of the HTTP interface',
  commands: [
    token.create<TokenCreation>({
      summary: 'Create a token for the HTTP interface and print its secret, this once',
      notes:
        'The secret can not be displayed again. The first token, or one in place of a lost one, is\n' +
        'made on the host of the service, where the local socket needs none.',
      examples: [
        ['$0 root --role admin', 'a token with full access'],
        ['$0 ci --role dns-ops --expires-in-days 90', 'one for three months'],
      ],
      ask: {
        question: ({ role: of }) =>
          of === 'admin' ? 'create a token that may do everything' : undefined,
      },
      fields: {
        role: 'role whose grants say what the token may do',
        expiresInDays: 'days until it expires, 1 to 36500; never when left out',
      },
      show: (answer, output) =>
        `${token.after('create')(answer, output)}\n\n` +
        `Its secret, which can not be displayed again:\n\n${answer.secret}`,
    }),
    token.list({
      summary: 'List tokens, expired ones included; never their secrets',
      examples: [
        ['$0', 'every token with its role and last use'],
        ['$0 --role admin', 'those with full access'],
      ],
      fields: { role: 'tokens of this role only' },
    }),
    token.delete({
      summary: 'Delete a token: who has its secret is refused at once',
      examples: [['$0 ci', 'delete it']],
    }),
    passOn<Explanation>({
      usage: 'can <token-name> <action> [name] [type]',
      route: 'explainAccess',
      summary: 'Show whether a token may do something, and by which grant',
      notes: 'Without a name it is about all records of --zone, or about all zones.',
      examples: [
        ['$0 ci record:create www.example.com A', 'one RRset'],
        ['$0 ci zone:update --zone example.com', 'a zone'],
      ],
      fields: {
        tokenName: 'name of the token',
        action: 'what it wants to do, like record:create',
        name: 'owner of the records; with --zone relative to it',
        type: 'type of the records; all when left out',
        tsigKey: null,
        zone: 'zone that it is about',
      },
      show: ({ explanation }, output) => explanationText(explanation, output),
    }),
    self,
  ],
};
