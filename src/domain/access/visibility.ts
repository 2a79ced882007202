/**
 * Who knows of things that are in no zone, and what is said of one that does not exist: what is hidden reads the same.
 *
 * Roles, tokens, TSIG keys, secondaries and policies are alike. Each has a name; the actions that it needs are held in
 * all zones. Who may not see them finds every name missing, and may create none.
 */
import { excerpt, Problem } from '../../base/problem.ts';
import type { DecisionContext, StateView } from '../decision.ts';
import type { DnssecPolicy } from '../dnssec-policy.ts';
import type { Secondary } from '../secondary.ts';
import type { Webhook } from '../webhook.ts';
import type { Action } from '../../base/action.ts';
import type { Role, Token, TsigKey } from './model.ts';
import { requireEverywhere } from './require.ts';
import type { Rights } from './rights.ts';

export interface NamedKind<Row> {
  /** As messages call it. */
  readonly noun: string;
  /** How the codes of its Problems begin. */
  readonly code: 'ROLE' | 'TOKEN' | 'TSIG_KEY' | 'SECONDARY' | 'WEBHOOK' | 'DNSSEC_POLICY';
  readonly managedWith: Action;
  /** What reading one takes, where to know of it is not enough. */
  readonly readWith?: Action;
  /** Whether a caller may know which there are. */
  sees(rights: Rights): boolean;
  /** The name that is meant by what is given. */
  nameIn(given: string): string;
  byName(view: StateView, name: string): Row | undefined;
}

/** A command about one of them, and nothing besides. */
export interface Named {
  readonly name: string;
  /** Of the one that is meant, where the caller says so: its name may be another one's by now. */
  readonly id?: number | undefined;
}

export function noEvent(seq: number): Problem {
  return new Problem('EVENT_NOT_FOUND', `event ${seq} does not exist`);
}

/** True when the caller may know of roles, grants, tokens and TSIG keys. */
export function seesAccess(rights: Rights): boolean {
  return rights.everywhere('access:manage');
}

const nameIn = (given: string) => given.trim().toLowerCase();
const ofAccess = { managedWith: 'access:manage', sees: seesAccess, nameIn } as const;

export const roles: NamedKind<Role> = {
  ...ofAccess,
  noun: 'role',
  code: 'ROLE',
  byName: (view, name) => view.roleByName(name),
};

export const tokens: NamedKind<Token> = {
  ...ofAccess,
  noun: 'token',
  code: 'TOKEN',
  byName: (view, name) => view.tokenByName(name),
};

export const tsigKeys: NamedKind<TsigKey> = {
  ...ofAccess,
  noun: 'TSIG key',
  code: 'TSIG_KEY',
  nameIn: (given) => nameIn(given).replace(/\.$/, ''),
  byName: (view, name) => view.tsigKeyByName(name),
};

export const webhooks: NamedKind<Webhook> = {
  ...ofAccess,
  noun: 'webhook',
  code: 'WEBHOOK',
  byName: (view, name) => view.webhookByName(name),
};

export const secondaries: NamedKind<Secondary> = {
  noun: 'secondary',
  code: 'SECONDARY',
  managedWith: 'secondary:manage',
  sees: (rights) => rights.everywhere('secondary:read') || rights.everywhere('secondary:manage'),
  nameIn,
  byName: (view, name) => view.secondaryByName(name),
};

export const policies: NamedKind<DnssecPolicy> = {
  noun: 'DNSSEC policy',
  code: 'DNSSEC_POLICY',
  managedWith: 'dnssec:manage',
  readWith: 'dnssec:read',
  sees: (rights) => rights.everywhere('dnssec:read') || rights.everywhere('dnssec:manage'),
  nameIn,
  byName: (view, name) => view.policyByName(name),
};

export function missing({ code, noun }: NamedKind<unknown>, name: string): Problem {
  return new Problem(`${code}_NOT_FOUND`, `${noun} '${excerpt(name)}' does not exist`);
}

/** The one that is named, as `byName` finds it. */
export function requireNamed<Row>(
  kind: NamedKind<unknown>,
  given: string,
  byName: (name: string) => Row | undefined,
): Row {
  const name = kind.nameIn(given);
  const row = byName(name);
  if (row === undefined) throw missing(kind, name);
  return row;
}

/** The same for a caller, who may know of none of them. */
export function findSeen<Row>(
  kind: NamedKind<unknown>,
  rights: Rights,
  given: string,
  byName: (name: string) => Row | undefined,
): Row {
  return requireNamed(kind, given, (name) => (kind.sees(rights) ? byName(name) : undefined));
}

export function noRecord(id: number): Problem {
  return new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
}

/** The one that a command names and is to change; FORBIDDEN to who only sees it. */
export function findManaged<Row extends { readonly id: number }>(
  kind: NamedKind<Row>,
  { rights, view }: DecisionContext,
  { name: given, id }: Named,
): Row {
  const row = findSeen(kind, rights, given, (name) => kind.byName(view, name));
  requireEverywhere(rights, kind.managedWith);
  if (id === undefined || id === row.id) return row;
  const now = `the ${kind.noun} '${excerpt(kind.nameIn(given))}' of now has the id ${row.id}`;
  throw new Problem(`${kind.code}_NOT_FOUND`, `id: ${id} does not exist; ${now}`);
}

export function refuseTaken<Row>(
  { code, noun, byName }: NamedKind<Row>,
  { view }: DecisionContext,
  name: string,
): void {
  if (byName(view, name) === undefined) return;
  throw new Problem(`${code}_CONFLICT`, `${noun} '${name}' already exists`);
}

/** Names in a message, as many as one reads; then how many more there are. */
export function listNames(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}
