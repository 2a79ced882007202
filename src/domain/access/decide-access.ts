/**
 * Commands about who may do what: roles, grants (what a role may do, in all zones or one, narrowed by names and
 * types), tokens, TSIG keys. All need access:manage in all zones; without it named things are missing, and creating
 * is FORBIDDEN.
 */
import { dayMs } from '../../base/clock.ts';
import { readFields } from '../../base/item-errors.ts';
import { excerpt, Problem } from '../../base/problem.ts';
import { parseAbsoluteName, printLabels } from '../../dns/name.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import { parseNote, parseIdentifier } from '../identifier.ts';
import { normaliseZoneName, noZone } from '../zone.ts';
import { type Action, actions, allZonesOnly, isAction, isRecordAction } from '../../base/action.ts';
import {
  adminRoleName,
  type Grant,
  type Role,
  type Token,
  type TsigAlgorithm,
  tsigAlgorithms,
  type TsigKey,
} from './model.ts';
import { parseNamePattern, parseTypeSet } from './pattern.ts';
import { requireEverywhere } from './require.ts';
import {
  findManaged,
  listNames,
  type Named,
  refuseTaken,
  roles,
  tokens,
  tsigKeys,
} from './visibility.ts';

interface CreateRole extends Named {
  readonly description?: string | undefined;
  /** False when left out. */
  readonly reasonRequired?: boolean | undefined;
}

/** What is left out stays. */
interface UpdateRole extends Named {
  readonly description?: string | undefined;
  readonly reasonRequired?: boolean | undefined;
}

interface CreateToken extends Named {
  readonly roleName: string;
  readonly description?: string | undefined;
  /** 1..36500; left out it never expires. */
  readonly expiresInDays?: number | undefined;
  /** SHA-256 of the secret: the secret itself stays with the API. */
  readonly secretHash: Buffer;
}

interface CreateTsigKey extends Named {
  readonly roleName: string;
  readonly algorithm?: string | undefined;
  /** 16 to 128 bytes; sealed before it is stored. */
  readonly secret: Buffer;
}

interface CreateGrant {
  readonly roleName: string;
  readonly actions: readonly string[];
  /** Left out for all zones. */
  readonly zoneName?: string | undefined;
  /** Beside the name: of the zone that is meant, which may have another one by now. */
  readonly zoneId?: number | undefined;
  readonly recordNamePattern?: string | undefined;
  readonly recordTypes?: string | undefined;
}

interface DeleteGrant {
  readonly roleName: string;
  readonly id: number;
}

/** What a command made or removed; the others are undefined. */
interface AccessOutcome {
  readonly role?: Role;
  readonly grant?: Grant;
  readonly token?: Token;
  readonly tsigKey?: TsigKey;
}

const maxTokenDays = 36_500;
const tsigSecretBytes = { min: 16, max: 128 } as const;
/** Tokens and keys that a refusal names. */
const listedHolders = 10;

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

type Decided = Decision<AccessOutcome>;

/** Makes the built-in role where it is missing; at every start. */
function decideEnsureAdminRole(_: object, context: DecisionContext): Decided {
  const existing = context.view.roleByName(adminRoleName);
  if (existing !== undefined) return { event: undefined, outcome: { role: existing } };
  const role: Role = {
    id: context.allocateId('role'),
    name: adminRoleName,
    description: 'Full access; built in',
    builtin: true,
    reasonRequired: false,
    createdAt: context.now,
  };
  return { event: { kind: 'role.created', role }, outcome: { role } };
}

function decideCreateRole(command: CreateRole, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const { name, description } = readFields({
    name: () => parseIdentifier(command.name),
    description: () => parseNote(command.description, 'INVALID_INPUT'),
  });
  refuseTaken(roles, context, name);
  const id = context.allocateId('role');
  const { reasonRequired = false } = command;
  const made = { builtin: false, reasonRequired, createdAt: context.now };
  const role: Role = { id, name, description, ...made };
  return { event: { kind: 'role.created', role }, outcome: { role } };
}

function decideUpdateRole(command: UpdateRole, context: DecisionContext): Decided {
  const before = findManaged(roles, context, command);
  if (before.builtin) throw invalid(`role '${before.name}' is built in and can not be changed`);
  const { description, reasonRequired = before.reasonRequired } = command;
  const role: Role = {
    ...before,
    reasonRequired,
    ...(description !== undefined && {
      description: parseNote(description, 'INVALID_INPUT'),
    }),
  };
  const isSame =
    role.description === before.description && reasonRequired === before.reasonRequired;
  return { event: isSame ? undefined : { kind: 'role.updated', role }, outcome: { role } };
}

function decideDeleteRole(command: Named, context: DecisionContext): Decided {
  const role = findManaged(roles, context, command);
  if (role.builtin) throw invalid(`role '${role.name}' is built in and can not be deleted`);
  const held = context.view.roleHolders(role.id);
  const holders = [
    ...held.tokens.map((name) => `token '${name}'`),
    ...held.tsigKeys.map((name) => `TSIG key '${name}'`),
  ];
  if (holders.length > 0) {
    throw new Problem(
      'ROLE_IN_USE',
      `role '${role.name}' is used by ${listNames(holders, listedHolders)}`,
    );
  }
  return { event: { kind: 'role.deleted', role }, outcome: { role } };
}

function parseTokenName(text: string): string {
  const name = parseIdentifier(text);
  // A path that names it would mean the token of the call, which nobody could revoke by it.
  if (name === 'self') throw invalid("name: 'self' stands for the token of a call");
  return name;
}

function checkExpiry(days: number | undefined): void {
  if (days === undefined || (Number.isInteger(days) && days >= 1 && days <= maxTokenDays)) return;
  throw invalid(`expires_in_days: ${days} is outside 1..${maxTokenDays}`);
}

function decideCreateToken(command: CreateToken, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, { name: command.roleName });
  const days = command.expiresInDays;
  const { name, description } = readFields({
    name: () => parseTokenName(command.name),
    description: () => parseNote(command.description, 'INVALID_INPUT'),
    expiry: () => checkExpiry(days),
  });
  refuseTaken(tokens, context, name);
  const token: Token = {
    id: context.allocateId('token'),
    name,
    description,
    roleId: role.id,
    createdAt: context.now,
    expiresAt: days === undefined ? null : context.now + days * dayMs,
  };
  return {
    event: { kind: 'token.created', token, roleName: role.name },
    outcome: { token, role },
    secrets: [{ kind: 'put-token-hash', tokenId: token.id, hash: command.secretHash }],
  };
}

function decideDeleteToken(command: Named, context: DecisionContext): Decided {
  const token = findManaged(tokens, context, command);
  return {
    event: { kind: 'token.deleted', token, roleName: roleNameOf(token, context) },
    outcome: { token },
    secrets: [{ kind: 'delete-token-hash', tokenId: token.id }],
  };
}

function roleNameOf({ roleId }: Token | TsigKey, { view }: DecisionContext): string {
  return view.roleById(roleId)?.name ?? '';
}

/** TSIG key names are domain names, lower-case, without closing dot (RFC 8945 4.2). */
function parseTsigKeyName(text: string): string {
  try {
    const name = printLabels(parseAbsoluteName(text.trim()));
    if (name === '') throw new Error('is the root');
    return name;
  } catch (error) {
    const reason = (error as Error).message;
    throw invalid(`name: '${excerpt(text)}' ${reason}; a TSIG key is named by a domain name`);
  }
}

function parseAlgorithm(text: string | undefined): TsigAlgorithm {
  const wanted = (text ?? 'hmac-sha256').trim().toLowerCase();
  const algorithm = tsigAlgorithms.find((known) => known === wanted);
  if (algorithm === undefined) {
    throw invalid(`algorithm: '${excerpt(wanted)}' is not one of ${tsigAlgorithms.join(', ')}`);
  }
  return algorithm;
}

function checkSecret({ length }: Buffer): void {
  const { min, max } = tsigSecretBytes;
  if (length < min || length > max) throw invalid(`secret: ${length} bytes (${min} to ${max})`);
}

function decideCreateTsigKey(command: CreateTsigKey, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, { name: command.roleName });
  const { secret } = command;
  const { name, algorithm } = readFields({
    name: () => parseTsigKeyName(command.name),
    algorithm: () => parseAlgorithm(command.algorithm),
    secret: () => checkSecret(secret),
  });
  refuseTaken(tsigKeys, context, name);
  const id = context.allocateId('tsig_key');
  const tsigKey: TsigKey = { id, name, algorithm, roleId: role.id, createdAt: context.now };
  return {
    event: { kind: 'tsig-key.created', tsigKey, roleName: role.name },
    outcome: { tsigKey, role },
    secrets: [{ kind: 'put-tsig-secret', keyId: id, secret }],
  };
}

function decideDeleteTsigKey(command: Named, context: DecisionContext): Decided {
  const tsigKey = findManaged(tsigKeys, context, command);
  const { name } = tsigKey;
  const users = context.view.secondariesNotifiedWith(name);
  if (users.length > 0) {
    const names = users.map((user) => `'${user}'`).join(', ');
    throw new Problem(
      'TSIG_KEY_IN_USE',
      `TSIG key '${name}' signs the NOTIFY to secondary ${names}`,
    );
  }
  return {
    event: { kind: 'tsig-key.deleted', tsigKey, roleName: roleNameOf(tsigKey, context) },
    outcome: { tsigKey },
    secrets: [{ kind: 'delete-tsig-secret', keyId: tsigKey.id }],
  };
}

/** The actions of a grant in storage order, each once. */
function parseActions(given: readonly string[]): Action[] {
  if (given.length === 0) throw invalid('actions: at least one is needed');
  const unknown = given.find((action) => !isAction(action));
  if (unknown !== undefined) {
    throw invalid(`actions: '${excerpt(unknown)}' is not one of ${actions.join(', ')}`);
  }
  return actions.filter((action) => given.includes(action));
}

function decideCreateGrant(command: CreateGrant, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, { name: command.roleName });
  const zoneId = findGrantedZone(command, context);
  const { granted, names, types } = readFields({
    granted: () => parseActions(command.actions),
    names: () => parseNamePattern(command.recordNamePattern ?? '*').normal,
    types: () => parseTypeSet(command.recordTypes ?? '*').normal,
  });
  if ((names !== '*' || types !== '*') && !granted.some(isRecordAction)) {
    throw invalid(
      'record_name_pattern, record_types: narrow only record actions, and the grant has none',
    );
  }
  const everywhere = granted.find((action) => allZonesOnly.has(action));
  if (command.zoneName !== undefined && everywhere !== undefined) {
    throw invalid(`zone_name: action '${everywhere}' is granted in all zones only`);
  }
  if (role.builtin) {
    throw invalid(`role '${role.name}' is built in, has full access and can not be changed`);
  }
  const grant: Grant = {
    id: context.allocateId('grant'),
    roleId: role.id,
    zoneId,
    actions: granted,
    recordNamePattern: names,
    recordTypes: types,
    createdAt: context.now,
  };
  return {
    event: { kind: 'role.granted', grant, roleName: role.name },
    outcome: { grant, role },
  };
}

/** Whoever manages access may name any zone. */
function findGrantedZone(
  { zoneName: name, zoneId: id }: Pick<CreateGrant, 'zoneName' | 'zoneId'>,
  { view }: DecisionContext,
): number | null {
  if (name === undefined) {
    if (id === undefined) return null;
    throw invalid('zone_id: needs zone_name beside it');
  }
  const zone = view.zoneByName(normaliseZoneName(name));
  if (zone === undefined) throw noZone(name);
  if (id === undefined || id === zone.id) return zone.id;
  throw new Problem(
    'ZONE_NOT_FOUND',
    `zone_id: ${id} is not the id of zone '${zone.name}', which is ${zone.id}`,
  );
}

function decideDeleteGrant(command: DeleteGrant, context: DecisionContext): Decided {
  const role = findManaged(roles, context, { name: command.roleName });
  const grant = context.view.grantById(command.id);
  if (grant === undefined || grant.roleId !== role.id) {
    throw new Problem('ROLE_GRANT_NOT_FOUND', `role '${role.name}' has no grant ${command.id}`);
  }
  return {
    event: { kind: 'role.revoked', grant, roleName: role.name },
    outcome: { grant, role },
  };
}

export const accessDecisions = {
  'ensure-admin-role': decideEnsureAdminRole,
  'create-role': decideCreateRole,
  'update-role': decideUpdateRole,
  'delete-role': decideDeleteRole,
  'create-grant': decideCreateGrant,
  'delete-grant': decideDeleteGrant,
  'create-token': decideCreateToken,
  'delete-token': decideDeleteToken,
  'create-tsig-key': decideCreateTsigKey,
  'delete-tsig-key': decideDeleteTsigKey,
};
