/**
 * `role`: roles and what is granted to them (interface 4.6). A grant is never changed: it is revoked, and another one
 * is made.
 */
import type { Grant, Role } from '../answers.ts';
import type { Group } from '../command.ts';
import { commaList, numberOf } from '../field.ts';
import { listed, passOn } from '../from-contract.ts';
import type { Columns } from '../output.ts';
import { resource } from '../resource.ts';

const counts: Columns<Role> = [
  ['grants', 'grant_count'],
  ['tokens', 'token_count'],
  ['tsig_keys', 'tsig_key_count'],
];
const role = resource<Role>({
  path: '/roles',
  key: 'role',
  none: 'no roles',
  columns: ['name', 'builtin', ...counts, 'description'],
  fields: ['name', 'id', 'builtin', 'reason_required', ...counts, 'created_at', 'description'],
});

/** Of the grants of a role, and of those of the token that asks. */
export const grantColumns: Columns<Grant> = [
  'id',
  ['zone', (grant) => grant.zone_name ?? '(all zones)'],
  ['names', 'record_name_pattern'],
  ['types', 'record_types'],
  ['actions', (grant) => grant.actions.join(',')],
];

export const roles: Group = {
  name: 'role',
  summary: 'Roles: what tokens and TSIG keys may do',
  commands: [
    role.create({
      summary: 'Create a role; it may do nothing until it is granted something',
      examples: [['$0 dns-ops --description "who is on call"', 'a role to grant to']],
      show: (answer: { role: Role }, output) =>
        `created role ${answer.role.name}\n${role.rows([answer.role], output)}`,
    }),
    role.list({
      summary: 'List roles, with how many grants, tokens and TSIG keys each has',
      examples: [['$0', 'every role']],
    }),
    role.get({
      summary: 'Show a role; what it may do is in role grants',
      examples: [['$0 dns-ops', 'who uses it, and how much it is granted']],
    }),
    role.update({
      summary: 'Change a role; what is left out stays',
      examples: [['$0 dns-ops --reason-required', 'from now on its writes need --reason']],
    }),
    role.delete({
      summary: 'Delete a role with its grants; refused while a token or TSIG key uses it',
      examples: [['$0 dns-ops', 'delete it']],
    }),
    passOn<{ role_grant: Grant }>({
      usage: 'grant <role>',
      route: 'createRoleGrant',
      summary: 'Allow a role actions, in all zones or in one',
      notes:
        'Actions: zone:read zone:create zone:update zone:delete zone:transfer record:read\n' +
        'record:create record:update record:delete dnssec:read dnssec:manage secondary:read\n' +
        'secondary:manage access:manage. Names and types narrow the record actions only.',
      examples: [
        [
          '$0 dns-ops --actions record:read,record:create --zone example.com',
          'see and add records of one zone',
        ],
        [
          "$0 lab --actions record:create --name-pattern '*.lab' --types TXT",
          'add TXT records at and below one name, in every zone',
        ],
        [
          "$0 acme --actions record:create,record:delete --name-pattern '_acme-challenge.**'",
          'answer ACME challenges for every host of every zone',
        ],
        ['$0 watch --actions zone:read,record:read', 'read everything'],
      ],
      fields: {
        actions: commaList(
          'actions, separated by commas; may be repeated',
          'give at least one action with --actions',
        ),
        namePattern:
          '* any name, @ the apex, *.sub sub and below, sub.** sub in front of any name, or one relative name',
        types: commaList('record types, separated by commas; all types when left out'),
      },
      prepare: ({ types, ...values }) => ({
        ...values,
        types: (types as readonly string[] | undefined)?.join(','),
      }),
      show: ({ role_grant: made }, output) =>
        `granted to role ${made.role_name}\n${output.rows(grantColumns, [made])}`,
    }),
    listed<Grant>({
      usage: 'grants <role>',
      route: 'listRoleGrants',
      summary: 'List what a role may do',
      examples: [['$0 dns-ops', 'its grants with their ids, for role revoke']],
      none: 'no grants',
      show: (held, output) => output.rows(grantColumns, held),
    }),
    passOn({
      usage: 'revoke <role> <grant-id>',
      route: 'deleteRoleGrant',
      summary: 'Take a grant from a role, at once',
      examples: [['$0 dns-ops 7', 'the grant with id 7']],
      fields: { grantId: numberOf('id of the grant: see role grants', 'id of a grant') },
    }),
  ],
};
