/**
 * A signer: one key, ready to sign many times. node:crypto signs; the key is parsed once.
 *
 * Signatures are in the form RRSIG has them: PKCS #1 v1.5 for RSA (RFC 5702 3), r and s side by side
 * for ECDSA (RFC 6605 4), as they are for the Edwards curves (RFC 8080 4).
 */
import { sign } from 'node:crypto';
import { unreachable } from '../base/problem.ts';
import { algorithmOf } from './algorithm.ts';
import { algorithmOfDnskey, keyTagOf } from './dnskey.ts';
import type { KeyPair } from './key-pair.ts';

export interface Signer {
  readonly algorithm: number;
  readonly keyTag: number;
  /** The RDATA of the public half. */
  readonly dnskey: Buffer;
  /** Signs synchronously: 20 to 60 µs for P-256 and Ed25519, a millisecond or two for the others. */
  sign(data: Buffer): Buffer;
  /** Where signatures are made by other threads (deferred-signing.ts), which takes their length. */
  readonly signLater?: {
    readonly octets: number;
    /** Promises to write the signature over `data` into `signature`. */
    into(signature: Buffer, data: Buffer): void;
  };
}

export function signerOf({ dnskey, privateKey }: KeyPair): Signer {
  const algorithm = algorithmOfDnskey(dnskey);
  const identity = { algorithm, keyTag: keyTagOf(dnskey), dnskey };
  const facts = algorithmOf(algorithm);
  switch (facts.family) {
    case 'rsa':
      return { ...identity, sign: (data) => sign(facts.hash, data, privateKey) };
    case 'ec': {
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
      return { ...identity, sign: (data) => sign(facts.hash, data, key) };
    }
    case 'ed':
      return { ...identity, sign: (data) => sign(null, data, privateKey) };
    default:
      return unreachable(facts);
  }
}
