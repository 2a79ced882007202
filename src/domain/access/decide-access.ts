/**
 * Commands about who may do what: roles, grants, tokens, TSIG keys. All need access:manage in all
 * zones; without it named things are missing, and creating is FORBIDDEN.
 */
import { excerpt, Problem } from '../../base/problem.ts';
import { parseAbsoluteName, printLabels } from '../../dns/name.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import { parseDescription } from '../description.ts';
import { parsePlainName } from '../plain-name.ts';
import type {
  AccessOutcome,
  CreateRole,
  CreateToken,
  CreateTsigKey,
  DeleteRole,
  DeleteToken,
  DeleteTsigKey,
} from './command.ts';
import type { AccessEvent } from './event.ts';
import {
  adminRoleName,
  type Role,
  type Token,
  type TsigAlgorithm,
  type TsigKey,
  tsigAlgorithms,
} from './model.ts';
import { requireEverywhere } from './require.ts';
import type { SecretChange } from './secret.ts';
import { noRole, noToken, noTsigKey, seesAccess } from './visibility.ts';

const dayMs = 86_400_000;
const longestTokenDays = 36_500;
const tsigSecretOctets = { least: 16, most: 128 } as const;

function made(
  event: AccessEvent,
  outcome: AccessOutcome,
  secrets: readonly SecretChange[] = [],
): Decision<AccessOutcome> {
  return { event, outcome, secrets };
}

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

/** The role of a name, when the caller may know of it. */
export function findRole(context: DecisionContext, name: string): Role {
  const normal = name.trim().toLowerCase();
  const visible = seesAccess(context.rights);
  const role = visible ? context.view.roleByName(normal) : undefined;
  if (role === undefined) throw noRole(normal);
  return role;
}

export function decideEnsureAdminRole(context: DecisionContext): Decision<AccessOutcome> {
  const existing = context.view.roleByName(adminRoleName);
  if (existing !== undefined) return { event: undefined, outcome: { role: existing } };
  const role: Role = {
    id: context.allocateId('role'),
    name: adminRoleName,
    description: 'Full access; built in',
    builtin: true,
    createdAt: context.now,
  };
  return made({ kind: 'role.created', role }, { role });
}

export function decideCreateRole(
  command: CreateRole,
  context: DecisionContext,
): Decision<AccessOutcome> {
  requireEverywhere(context.rights, 'access:manage');
  const name = parsePlainName(command.name);
  const description = parseDescription(command.description, 'INVALID_INPUT');
  if (context.view.roleByName(name) !== undefined) {
    throw new Problem('ROLE_CONFLICT', `role '${name}' already exists`);
  }
  const id = context.allocateId('role');
  const role: Role = { id, name, description, builtin: false, createdAt: context.now };
  return made({ kind: 'role.created', role }, { role });
}

export function decideDeleteRole(
  command: DeleteRole,
  context: DecisionContext,
): Decision<AccessOutcome> {
  const role = findRole(context, command.name);
  if (role.builtin) throw invalid(`role '${role.name}' is built in and can not be deleted`);
  const { tokens, tsigKeys } = context.view.roleHolders(role.id);
  const holders = [
    ...tokens.map((name) => `token '${name}'`),
    ...tsigKeys.map((name) => `TSIG key '${name}'`),
  ];
  if (holders.length > 0) {
    const shown = holders.slice(0, 10).join(', ');
    const more = holders.length > 10 ? ` and ${holders.length - 10} more` : '';
    throw new Problem('ROLE_IN_USE', `role '${role.name}' is used by ${shown}${more}`);
  }
  return made({ kind: 'role.deleted', role }, { role });
}

export function decideCreateToken(
  command: CreateToken,
  context: DecisionContext,
): Decision<AccessOutcome> {
  requireEverywhere(context.rights, 'access:manage');
  const role = findRole(context, command.roleName);
  const name = parsePlainName(command.name);
  // A path that names it would mean the token of the call, which nobody could revoke by it.
  if (name === 'self') throw invalid("name: 'self' stands for the token of a call");
  const description = parseDescription(command.description, 'INVALID_INPUT');
  const days = command.expiresInDays;
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= longestTokenDays)) {
    throw invalid(`expires_in_days: ${days} is outside 1..${longestTokenDays}`);
  }
  if (context.view.tokenByName(name) !== undefined) {
    throw new Problem('TOKEN_CONFLICT', `token '${name}' already exists`);
  }
  const token: Token = {
    id: context.allocateId('token'),
    name,
    description,
    roleId: role.id,
    createdAt: context.now,
    expiresAt: days === undefined ? null : context.now + days * dayMs,
  };
  return made({ kind: 'token.created', token, roleName: role.name }, { token, role }, [
    { kind: 'put-token-hash', tokenId: token.id, hash: command.secretHash },
  ]);
}

export function decideDeleteToken(
  command: DeleteToken,
  context: DecisionContext,
): Decision<AccessOutcome> {
  const name = command.name.trim().toLowerCase();
  const visible = seesAccess(context.rights);
  const token = visible ? context.view.tokenByName(name) : undefined;
  if (token === undefined) throw noToken(name);
  const roleName = context.view.roleById(token.roleId)?.name ?? '';
  return made({ kind: 'token.deleted', token, roleName }, { token }, [
    { kind: 'delete-token-hash', tokenId: token.id },
  ]);
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

export function decideCreateTsigKey(
  command: CreateTsigKey,
  context: DecisionContext,
): Decision<AccessOutcome> {
  requireEverywhere(context.rights, 'access:manage');
  const role = findRole(context, command.roleName);
  const name = parseTsigKeyName(command.name);
  const algorithm = parseAlgorithm(command.algorithm);
  const { secret } = command;
  if (secret.length < tsigSecretOctets.least || secret.length > tsigSecretOctets.most) {
    throw invalid(
      `secret: ${secret.length} octets (${tsigSecretOctets.least} to ${tsigSecretOctets.most})`,
    );
  }
  if (context.view.tsigKeyByName(name) !== undefined) {
    throw new Problem('TSIG_KEY_CONFLICT', `TSIG key '${name}' already exists`);
  }
  const id = context.allocateId('tsig_key');
  const tsigKey: TsigKey = { id, name, algorithm, roleId: role.id, createdAt: context.now };
  return made({ kind: 'tsig-key.created', tsigKey, roleName: role.name }, { tsigKey, role }, [
    { kind: 'put-tsig-secret', keyId: id, secret },
  ]);
}

export function decideDeleteTsigKey(
  command: DeleteTsigKey,
  context: DecisionContext,
): Decision<AccessOutcome> {
  const name = command.name.trim().toLowerCase().replace(/\.$/, '');
  const visible = seesAccess(context.rights);
  const tsigKey = visible ? context.view.tsigKeyByName(name) : undefined;
  if (tsigKey === undefined) throw noTsigKey(name);
  const users = context.view.secondariesNotifiedWith(name);
  if (users.length > 0) {
    const names = users.map((user) => `'${user}'`).join(', ');
    throw new Problem(
      'TSIG_KEY_IN_USE',
      `TSIG key '${name}' signs the NOTIFY to secondary ${names}`,
    );
  }
  const roleName = context.view.roleById(tsigKey.roleId)?.name ?? '';
  return made({ kind: 'tsig-key.deleted', tsigKey, roleName }, { tsigKey }, [
    { kind: 'delete-tsig-secret', keyId: tsigKey.id },
  ]);
}
