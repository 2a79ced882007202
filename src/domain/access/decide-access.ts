/**
 * Commands about who may do what: roles, grants, tokens, TSIG keys. All need access:manage in all
 * zones; without it named things are missing, and creating is FORBIDDEN.
 */
import { excerpt, Problem } from '../../base/problem.ts';
import { parseAbsoluteName, printLabels } from '../../dns/name.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import { parseDescription, parsePlainName } from '../plain-name.ts';
import {
  type AccessOutcome,
  adminRoleName,
  type CreateRole,
  type CreateToken,
  type CreateTsigKey,
  type DeleteRole,
  type DeleteToken,
  type DeleteTsigKey,
  type EnsureAdminRole,
  type Role,
  type Token,
  type TsigAlgorithm,
  tsigAlgorithms,
  type TsigKey,
} from './model.ts';
import { findManaged, listNames, refuseTaken, roles, tokens, tsigKeys } from './visibility.ts';
import { requireEverywhere } from './require.ts';

const dayMs = 86_400_000;
const maxTokenDays = 36_500;
const tsigSecretBytes = { min: 16, max: 128 } as const;
/** Tokens and keys that a refusal names. */
const listedHolders = 10;

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

type Decided = Decision<AccessOutcome>;

export function decideEnsureAdminRole(_: EnsureAdminRole, context: DecisionContext): Decided {
  const existing = context.view.roleByName(adminRoleName);
  if (existing !== undefined) return { event: undefined, outcome: { role: existing } };
  const role: Role = {
    id: context.allocateId('role'),
    name: adminRoleName,
    description: 'Full access; built in',
    builtin: true,
    createdAt: context.now,
  };
  return { event: { kind: 'role.created', role }, outcome: { role } };
}

export function decideCreateRole(command: CreateRole, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const name = parsePlainName(command.name);
  const description = parseDescription(command.description, 'INVALID_INPUT');
  refuseTaken(roles, context, name);
  const id = context.allocateId('role');
  const role: Role = { id, name, description, builtin: false, createdAt: context.now };
  return { event: { kind: 'role.created', role }, outcome: { role } };
}

export function decideDeleteRole(command: DeleteRole, context: DecisionContext): Decided {
  const role = findManaged(roles, context, command.name);
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

export function decideCreateToken(command: CreateToken, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, command.roleName);
  const name = parsePlainName(command.name);
  // A path that names it would mean the token of the call, which nobody could revoke by it.
  if (name === 'self') throw invalid("name: 'self' stands for the token of a call");
  const description = parseDescription(command.description, 'INVALID_INPUT');
  const days = command.expiresInDays;
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= maxTokenDays)) {
    throw invalid(`expires_in_days: ${days} is outside 1..${maxTokenDays}`);
  }
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

export function decideDeleteToken(command: DeleteToken, context: DecisionContext): Decided {
  const token = findManaged(tokens, context, command.name);
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

export function decideCreateTsigKey(command: CreateTsigKey, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const role = findManaged(roles, context, command.roleName);
  const name = parseTsigKeyName(command.name);
  const algorithm = parseAlgorithm(command.algorithm);
  const { secret } = command;
  const { min, max } = tsigSecretBytes;
  if (secret.length < min || secret.length > max) {
    throw invalid(`secret: ${secret.length} octets (${min} to ${max})`);
  }
  refuseTaken(tsigKeys, context, name);
  const id = context.allocateId('tsig_key');
  const tsigKey: TsigKey = { id, name, algorithm, roleId: role.id, createdAt: context.now };
  return {
    event: { kind: 'tsig-key.created', tsigKey, roleName: role.name },
    outcome: { tsigKey, role },
    secrets: [{ kind: 'put-tsig-secret', keyId: id, secret }],
  };
}

export function decideDeleteTsigKey(command: DeleteTsigKey, context: DecisionContext): Decided {
  const tsigKey = findManaged(tsigKeys, context, command.name.trim().replace(/\.$/, ''));
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
