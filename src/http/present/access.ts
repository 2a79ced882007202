/** Roles, grants, tokens and TSIG keys as JSON (interface 2.7 to 2.9); secrets stand beside them. */
import { formatTime } from '../../base/clock.ts';
import type {
  ListedGrant,
  ListedRole,
  ListedToken,
  ListedTsigKey,
} from '../../projection/access-queries.ts';

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTime(milliseconds);
}

export function presentRole(role: ListedRole) {
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    builtin: role.builtin,
    created_at: formatTime(role.createdAt),
    grant_count: role.grantCount,
    token_count: role.tokenCount,
    tsig_key_count: role.tsigKeyCount,
  };
}

export function presentGrant(grant: ListedGrant) {
  return {
    id: grant.id,
    role_name: grant.roleName,
    zone_name: grant.zoneName,
    actions: grant.actions,
    record_name_pattern: grant.recordNamePattern,
    record_types: grant.recordTypes,
    created_at: formatTime(grant.createdAt),
  };
}

export function presentToken(token: ListedToken) {
  return {
    id: token.id,
    name: token.name,
    description: token.description,
    role_name: token.roleName,
    created_at: formatTime(token.createdAt),
    expires_at: timeOrNull(token.expiresAt),
    last_used_at: timeOrNull(token.lastUsedAt),
  };
}

export function presentTsigKey(key: ListedTsigKey) {
  return {
    id: key.id,
    name: key.name,
    algorithm: key.algorithm,
    created_at: formatTime(key.createdAt),
    role_name: key.roleName,
  };
}
