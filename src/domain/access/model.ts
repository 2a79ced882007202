/**
 * Who may do what, as values: roles, grants, tokens and TSIG keys as the projections hold them, the commands
 * about them and the events of the audit log. Secrets come with commands, as the API made them; they are
 * in no row and in no event.
 */
import type { Action } from '../../base/action.ts';

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly builtin: boolean;
  /** Whether writes of its holders need a reason. */
  readonly reasonRequired: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A role as an event holds it: before reasons could be demanded, none was. */
export type StoredRole = Omit<Role, 'reasonRequired'> & { readonly reasonRequired?: boolean };

export function roleFrom({ reasonRequired = false, ...role }: StoredRole): Role {
  return { ...role, reasonRequired };
}

export interface Grant {
  readonly id: number;
  readonly roleId: number;
  /** Null for all zones, those to come included. */
  readonly zoneId: number | null;
  /** In storage order. */
  readonly actions: readonly Action[];
  /** Normal form: `*`, `@`, `*.sub`, `sub.**` or a relative name. */
  readonly recordNamePattern: string;
  /** `*`, or types separated by commas, upper-case, once each. */
  readonly recordTypes: string;
  readonly createdAt: number;
}

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly roleId: number;
  readonly createdAt: number;
  /** Null when it never expires. */
  readonly expiresAt: number | null;
}

export const tsigAlgorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;
export type TsigAlgorithm = (typeof tsigAlgorithms)[number];

export interface TsigKey {
  readonly id: number;
  /** Domain name, lower-case, no closing dot. */
  readonly name: string;
  readonly algorithm: TsigAlgorithm;
  readonly roleId: number;
  readonly createdAt: number;
}

/** A browser that works with the rights of a token, or of the user of the host who let it in. */
export interface Session {
  /** 16 hexadecimal digits; no secret. */
  readonly id: string;
  readonly token: Pick<Token, 'id' | 'name'> | null;
  readonly user: LocalUser | null;
  readonly openedAt: number;
  /** The address that it was opened from. */
  readonly address: string;
  /** What the browser called itself. */
  readonly agent: string | null;
}

/** Logins that were refused, from one address. */
export interface RefusedLogin {
  /** Of IPv6 the /64 that it is of. */
  readonly address: string;
  /** Of the last one. A code counts like a token. */
  readonly reason: 'unknown' | 'expired';
  /** How many there were since the last event about this address. */
  readonly count: number;
}

/** A user of the host, as the command line says: nothing proves it. */
export interface LocalUser {
  readonly name: string;
  readonly uid: number;
}

/** The name of the built-in role, which has full access and can not be changed. */
export const adminRoleName = 'admin';

export type AccessEvent =
  | { readonly kind: 'role.created'; readonly role: Role }
  | { readonly kind: 'role.updated'; readonly role: Role }
  | { readonly kind: 'role.deleted'; readonly role: Role }
  | { readonly kind: 'role.granted'; readonly grant: Grant; readonly roleName: string }
  | { readonly kind: 'role.revoked'; readonly grant: Grant; readonly roleName: string }
  | { readonly kind: 'token.created'; readonly token: Token; readonly roleName: string }
  | { readonly kind: 'token.deleted'; readonly token: Token; readonly roleName: string }
  | { readonly kind: 'session.opened'; readonly session: Session }
  | { readonly kind: 'session.closed'; readonly session: Session }
  | { readonly kind: 'session.refused'; readonly login: RefusedLogin }
  | { readonly kind: 'tsig-key.created'; readonly tsigKey: TsigKey; readonly roleName: string }
  | { readonly kind: 'tsig-key.deleted'; readonly tsigKey: TsigKey; readonly roleName: string };
