/** Changes of secrets that belong to an event: carried out in its commit, never journalled. */
export type SecretChange =
  | { readonly kind: 'put-token-hash'; readonly tokenId: number; readonly hash: Buffer }
  | { readonly kind: 'delete-token-hash'; readonly tokenId: number }
  | { readonly kind: 'put-tsig-secret'; readonly keyId: number; readonly secret: Buffer }
  | { readonly kind: 'delete-tsig-secret'; readonly keyId: number };
