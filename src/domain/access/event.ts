/** Events of administration about who may do what: the audit log. No secrets. */
import type { Grant, Role, Token, TsigKey } from './model.ts';

export type AccessEvent =
  | { readonly kind: 'role.created'; readonly role: Role }
  | { readonly kind: 'role.deleted'; readonly role: Role }
  | { readonly kind: 'role.granted'; readonly grant: Grant; readonly roleName: string }
  | { readonly kind: 'role.revoked'; readonly grant: Grant; readonly roleName: string }
  | { readonly kind: 'token.created'; readonly token: Token; readonly roleName: string }
  | { readonly kind: 'token.deleted'; readonly token: Token; readonly roleName: string }
  | { readonly kind: 'tsig-key.created'; readonly tsigKey: TsigKey; readonly roleName: string }
  | { readonly kind: 'tsig-key.deleted'; readonly tsigKey: TsigKey; readonly roleName: string };
