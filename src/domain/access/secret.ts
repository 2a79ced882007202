/** Changes of secrets that belong to an event: carried out in its commit, never journalled. */
export type SecretChange =
  | { readonly kind: 'put-token-hash'; readonly tokenId: number; readonly hash: Buffer }
  | { readonly kind: 'delete-token-hash'; readonly tokenId: number }
  | { readonly kind: 'put-tsig-secret'; readonly keyId: number; readonly secret: Buffer }
  | { readonly kind: 'delete-tsig-secret'; readonly keyId: number }
  /** The private half of a signing key, PKCS #8 in DER. */
  | {
      readonly kind: 'put-signing-key';
      readonly keyId: number;
      readonly zoneId: number;
      readonly privateKey: Buffer;
    }
  | { readonly kind: 'delete-signing-key'; readonly keyId: number }
  /** All of a zone that is gone for good, or not signed any more. */
  | { readonly kind: 'delete-signing-keys'; readonly zoneId: number };
