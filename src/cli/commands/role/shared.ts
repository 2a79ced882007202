/** How roles and grants are shown. */
import type { Grant, Role } from '../../answers.ts';
import type { Output } from '../../output.ts';

const roleHeadings = ['name', 'builtin', 'grants', 'tokens', 'tsig_keys', 'description'];

export function roleTable(roles: readonly Role[], output: Output): string {
  const rows = roles.map((role) => [
    role.name,
    role.builtin,
    role.grant_count,
    role.token_count,
    role.tsig_key_count,
    role.description,
  ]);
  return output.table(roleHeadings, rows);
}

const grantHeadings = ['id', 'zone', 'names', 'types', 'actions'];

export function grantTable(grants: readonly Grant[], output: Output): string {
  const rows = grants.map((grant) => [
    grant.id,
    grant.zone_name ?? '(all zones)',
    grant.record_name_pattern,
    grant.record_types,
    grant.actions.join(','),
  ]);
  return output.table(grantHeadings, rows);
}
