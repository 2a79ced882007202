/** Roles, grants, tokens and TSIG keys as the interface shows and takes them (interface 2.7 to 2.9). */
import * as v from 'valibot';
import { actions } from '../../base/action.ts';
import { count, descriptionText, int32, integer, listOf, optional, text, time } from './common.ts';
import { pageParameters, textParameter } from './query.ts';
import {
  domainName,
  grantedAction,
  namePattern,
  plainName,
  tsigAlgorithm,
  tsigSecret,
  typeList,
} from './shapes.ts';

const description = v.nullable(v.string());

/** An action of an answer. */
export const action = v.pipe(v.picklist(actions), v.description('What a grant can allow.'));

export const role = v.object({
  id: int32,
  name: v.string(),
  description,
  builtin: v.pipe(v.boolean(), v.description('True for admin, which has full access.')),
  created_at: time,
  grant_count: count,
  token_count: count,
  tsig_key_count: count,
});

export const roleGrant = v.object({
  id: int32,
  role_name: v.string(),
  zone_name: v.pipe(
    v.nullable(v.string()),
    v.description('Null for all zones, those created later included.'),
  ),
  actions: v.array(action),
  record_name_pattern: v.string(),
  record_types: v.string(),
  created_at: time,
});

export const token = v.object({
  id: int32,
  name: v.string(),
  description,
  role_name: v.string(),
  created_at: time,
  expires_at: v.pipe(v.nullable(time), v.description('Null when it never expires.')),
  last_used_at: v.pipe(v.nullable(time), v.description('Stamped at most once a minute.')),
});

export const tsigKey = v.object({
  id: int32,
  name: v.string(),
  algorithm: v.string(),
  created_at: time,
  role_name: v.string(),
});

export const roleList = listOf(role);
export const roleAnswer = v.object({ role });
export const roleGrantList = listOf(roleGrant);
export const roleGrantAnswer = v.object({ role_grant: roleGrant });
export const tokenList = listOf(token);
export const tokenAnswer = v.object({ token });
export const tokenCreation = v.object({
  secret: v.pipe(v.string(), v.description('Shown this once; it can not be read again.')),
  token,
});
export const tsigKeyList = listOf(tsigKey);
export const tsigKeyAnswer = v.object({
  secret: v.pipe(v.string(), v.description('Base64.')),
  tsig_key: tsigKey,
});

const held = {
  actions: v.pipe(v.array(action), v.description('Actions held, narrowed or not.')),
  whole_zone: v.pipe(
    v.array(action),
    v.description('Record actions held with no limit of names or types.'),
  ),
};

export const permissions = v.object({
  all_zones: v.object(held),
  zones: v.pipe(
    v.array(v.object({ zone_name: v.string(), ...held })),
    v.description('Zones in which more is held than in all.'),
  ),
});

const roleName = v.pipe(text, v.description('Role it authenticates into.'));

export const createRoleBody = v.strictObject({
  name: plainName,
  description: optional(descriptionText),
});

export const createRoleGrantBody = v.strictObject({
  actions: v.pipe(
    v.array(grantedAction, 'must be an array of actions'),
    v.metadata({ minItems: 1 }),
  ),
  zone_name: v.pipe(optional(text), v.description('All zones when left out.')),
  record_name_pattern: optional(namePattern),
  record_types: optional(typeList),
});

export const createTokenBody = v.strictObject({
  name: plainName,
  role_name: roleName,
  description: optional(descriptionText),
  expires_in_days: v.pipe(
    optional(integer(1, 36_500, 'int64')),
    v.description('It never expires when left out.'),
  ),
});

export const createTsigKeyBody = v.strictObject({
  name: domainName,
  role_name: v.pipe(
    text,
    v.description('Role whose grants decide; a key for NOTIFY alone may name one without grants.'),
  ),
  algorithm: optional(tsigAlgorithm),
  secret: optional(tsigSecret),
});

export const pageQuery = v.strictObject({ ...pageParameters });
export const ofRoleQuery = v.strictObject({
  role_name: v.optional(textParameter),
  ...pageParameters,
});
