/**
 * What is alike in roles, tokens, TSIG keys, secondaries and policies: each has a name and is in no zone, so the
 * actions that it needs are held in all zones. Who may not see them finds every name missing, and may create none.
 */
import { Problem } from '../../base/problem.ts';
import type { DecisionContext, StateView } from '../decision.ts';
import type { DnssecPolicy } from '../dnssec-policy.ts';
import type { Secondary } from '../secondary.ts';
import type { Action } from './action.ts';
import type { Role, Token, TsigKey } from './model.ts';
import { requireEverywhere } from './require.ts';
import type { Rights } from './rights.ts';
import {
  noPolicy,
  noRole,
  noSecondary,
  noToken,
  noTsigKey,
  seesAccess,
  seesPolicies,
  seesSecondaries,
} from './visibility.ts';

interface NamedKind<Row> {
  /** As messages call it. */
  readonly noun: string;
  readonly taken: `${'ROLE' | 'TOKEN' | 'TSIG_KEY' | 'SECONDARY' | 'DNSSEC_POLICY'}_CONFLICT`;
  readonly managedWith: Action;
  sees(rights: Rights): boolean;
  missing(name: string): Problem;
  byName(view: StateView, name: string): Row | undefined;
}

const managedAsAccess = { managedWith: 'access:manage', sees: seesAccess } as const;

export const roles: NamedKind<Role> = {
  ...managedAsAccess,
  noun: 'role',
  taken: 'ROLE_CONFLICT',
  missing: noRole,
  byName: (view, name) => view.roleByName(name),
};

export const tokens: NamedKind<Token> = {
  ...managedAsAccess,
  noun: 'token',
  taken: 'TOKEN_CONFLICT',
  missing: noToken,
  byName: (view, name) => view.tokenByName(name),
};

export const tsigKeys: NamedKind<TsigKey> = {
  ...managedAsAccess,
  noun: 'TSIG key',
  taken: 'TSIG_KEY_CONFLICT',
  missing: noTsigKey,
  byName: (view, name) => view.tsigKeyByName(name),
};

export const secondaries: NamedKind<Secondary> = {
  noun: 'secondary',
  taken: 'SECONDARY_CONFLICT',
  managedWith: 'secondary:manage',
  sees: seesSecondaries,
  missing: noSecondary,
  byName: (view, name) => view.secondaryByName(name),
};

export const policies: NamedKind<DnssecPolicy> = {
  noun: 'DNSSEC policy',
  taken: 'DNSSEC_POLICY_CONFLICT',
  managedWith: 'dnssec:manage',
  sees: seesPolicies,
  missing: noPolicy,
  byName: (view, name) => view.policyByName(name),
};

/** The one that a command names and is to change; FORBIDDEN to who only sees it. */
export function findManaged<Row>(
  kind: NamedKind<Row>,
  { rights, view }: DecisionContext,
  written: string,
): Row {
  const name = written.trim().toLowerCase();
  const row = kind.sees(rights) ? kind.byName(view, name) : undefined;
  if (row === undefined) throw kind.missing(name);
  requireEverywhere(rights, kind.managedWith);
  return row;
}

export function refuseTaken<Row>(
  { noun, taken, byName }: NamedKind<Row>,
  { view }: DecisionContext,
  name: string,
): void {
  if (byName(view, name) === undefined) return;
  throw new Problem(taken, `${noun} '${name}' already exists`);
}

/** Names in a message, as many as one reads; then how many more there are. */
export function listNames(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}
