/**
 * `role`: roles and what is granted to them (interface 4.6). A grant is never changed: it is revoked, and another one
 * is made.
 */
import type { Grant, Role } from '../answers.ts';
import type { Group } from '../command.ts';
import { commaList, grantId } from '../field.ts';
import { domain, listed, passOn } from '../from-contract.ts';
import type { Columns } from '../table.ts';

const roleColumns: Columns<Role> = {
  name: 'name',
  builtin: 'builtin',
  grants: 'grant_count',
  tokens: 'token_count',
  tsig_keys: 'tsig_key_count',
  description: 'description',
};

/** A role by itself. */
const roleFields: Columns<Role> = {
  name: 'name',
  id: 'id',
  builtin: 'builtin',
  grants: 'grant_count',
  tokens: 'token_count',
  tsig_keys: 'tsig_key_count',
  created_at: 'created_at',
  description: 'description',
};

/** Of the grants of a role, and of those of the token that asks. */
export const grantColumns: Columns<Grant> = {
  id: 'id',
  zone: (grant) => grant.zone_name ?? '(all zones)',
  names: 'record_name_pattern',
  types: 'record_types',
  actions: (grant) => grant.actions.join(','),
};

const create = passOn<{ role: Role }>({
  usage: 'create <name>',
  route: 'createRole',
  summary: 'Create a role; it may do nothing until it is granted something',
  examples: [['zonebook role create dns-ops --description "who is on call"', 'a role to grant to']],
  fields: {
    name: 'name of the role: letters, digits, dot, hyphen, underscore',
    description: 'operator note, up to 255 characters',
  },
  show: ({ role }, output) => `created role ${role.name}\n${output.rows(roleColumns, [role])}`,
});

const list = listed<Role>({
  usage: 'list',
  route: 'listRoles',
  summary: 'List roles, with how many grants, tokens and TSIG keys each has',
  examples: [['zonebook role list', 'every role']],
  none: 'no roles',
  show: (roles, output) => output.rows(roleColumns, roles),
});

const get = passOn<{ role: Role }>({
  usage: 'get <name>',
  route: 'getRole',
  summary: 'Show a role; what it may do is in role grants',
  examples: [['zonebook role get dns-ops', 'who uses it, and how much it is granted']],
  fields: { name: 'name of the role' },
  show: ({ role }, output) => output.one(roleFields, role),
});

const remove = passOn({
  usage: 'delete <name>',
  route: 'deleteRole',
  summary: 'Delete a role with its grants; refused while a token or TSIG key uses it',
  examples: [['zonebook role delete dns-ops', 'delete it']],
  fields: { name: 'name of the role' },
});

const grant = passOn<{ role_grant: Grant }>({
  usage: 'grant <role>',
  route: 'createRoleGrant',
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
  fields: {
    role: 'name of the role',
    actions: commaList(
      'actions, separated by commas; may be repeated',
      'give at least one action with --actions',
    ),
    zone: domain('zone; all zones, those to come included, when left out'),
    namePattern: domain('* any name, @ the apex, *.sub sub and below, or one relative name'),
    types: commaList('record types, separated by commas; all types when left out'),
  },
  prepare: ({ types, ...values }) => ({
    ...values,
    types: (types as readonly string[] | undefined)?.join(','),
  }),
  show: ({ role_grant: made }, output) =>
    `granted to role ${made.role_name}\n${output.rows(grantColumns, [made])}`,
});

const grants = listed<Grant>({
  usage: 'grants <role>',
  route: 'listRoleGrants',
  summary: 'List what a role may do',
  examples: [['zonebook role grants dns-ops', 'its grants with their ids, for role revoke']],
  fields: { role: 'name of the role' },
  none: 'no grants',
  show: (held, output) => output.rows(grantColumns, held),
});

const revoke = passOn({
  usage: 'revoke <role> <grant-id>',
  route: 'deleteRoleGrant',
  summary: 'Take a grant from a role, at once',
  examples: [['zonebook role revoke dns-ops 7', 'the grant with id 7']],
  fields: {
    role: 'name of the role',
    grantId: grantId('id of the grant: see role grants'),
  },
});

export const roles: Group = {
  name: 'role',
  summary: 'Roles: what tokens and TSIG keys may do',
  commands: [create, list, get, remove, grant, grants, revoke],
};
