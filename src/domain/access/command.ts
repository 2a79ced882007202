/** Commands about who may do what. Secrets come as values that the door made; they are never journalled. */
import type { Grant, Role, Token, TsigKey } from './model.ts';

type Optional<T> = T | undefined;

/** Makes the built-in role where it is missing; at every start. */
export interface EnsureAdminRole {
  readonly kind: 'ensure-admin-role';
}

export interface CreateRole {
  readonly kind: 'create-role';
  readonly name: string;
  readonly description?: Optional<string>;
}

export interface DeleteRole {
  readonly kind: 'delete-role';
  readonly name: string;
}

export interface CreateGrant {
  readonly kind: 'create-grant';
  readonly roleName: string;
  readonly actions: readonly string[];
  /** Left out for all zones. */
  readonly zoneName?: Optional<string>;
  readonly recordNamePattern?: Optional<string>;
  readonly recordTypes?: Optional<string>;
}

export interface DeleteGrant {
  readonly kind: 'delete-grant';
  readonly roleName: string;
  readonly id: number;
}

export interface CreateToken {
  readonly kind: 'create-token';
  readonly name: string;
  readonly roleName: string;
  readonly description?: Optional<string>;
  /** 1..36500; left out it never expires. */
  readonly expiresInDays?: Optional<number>;
  /** SHA-256 of the secret: the secret itself stays at the door. */
  readonly secretHash: Buffer;
}

export interface DeleteToken {
  readonly kind: 'delete-token';
  readonly name: string;
}

export interface CreateTsigKey {
  readonly kind: 'create-tsig-key';
  readonly name: string;
  readonly roleName: string;
  readonly algorithm?: Optional<string>;
  /** 16 to 128 octets; sealed before it is stored. */
  readonly secret: Buffer;
}

export interface DeleteTsigKey {
  readonly kind: 'delete-tsig-key';
  readonly name: string;
}

export type AccessCommand =
  | EnsureAdminRole
  | CreateRole
  | DeleteRole
  | CreateGrant
  | DeleteGrant
  | CreateToken
  | DeleteToken
  | CreateTsigKey
  | DeleteTsigKey;

/** What a command made or removed; the others are undefined. */
export interface AccessOutcome {
  readonly role?: Role;
  readonly grant?: Grant;
  readonly token?: Token;
  readonly tsigKey?: TsigKey;
}
