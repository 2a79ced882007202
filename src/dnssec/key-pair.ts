/**
 * Key pairs: made by node:crypto, stored as PKCS #8, opened again beside their DNSKEY.
 *
 * A new key shares no key tag with the keys of its zone, neither its own nor the one it would have
 * when revoked (RFC 5011 2.1): another one is made instead. A stored key that does not belong to its
 * DNSKEY is refused, so that it never signs.
 *
 * Signatures are in the form RRSIG has them: PKCS #1 v1.5 for RSA (RFC 5702 3), r and s side by side
 * for ECDSA (RFC 6605 4), as they are for the Edwards curves (RFC 8080 4).
 */
import { createPrivateKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { assert, Problem, unreachable } from '../base/problem.ts';
import { algorithmOf } from './algorithm.ts';
import {
  algorithmOfDnskey,
  dnskeyRdata,
  fromUrl,
  isEntryPoint,
  keyTagOf,
  publicKeyField,
  tagsOfKey,
} from './dnskey.ts';
import type { PrivateNumbers, Verifier } from './noble.ts';

/** A key pair whose halves are known to belong together. */
export interface KeyPair {
  readonly dnskey: Buffer;
  readonly privateKey: KeyObject;
}

/** Tries before giving up; two keys meet by chance once in 16,000 tries, a zone has a handful. */
const maxTries = 100;

/** Makes a key whose tag differs from those of `others`, the DNSKEY RDATA of the zone. */
export async function generateKey(
  algorithm: number,
  entryPoint: boolean,
  others: readonly Buffer[],
  verifier: Verifier,
): Promise<KeyPair> {
  const taken = new Set(others.flatMap(tagsOfKey));
  for (let tries = 0; tries < maxTries; tries++) {
    const privateKey = await generatePrivateKey(algorithm);
    const dnskey = dnskeyRdata(algorithm, publicKeyField(algorithm, privateKey), entryPoint);
    if (tagsOfKey(dnskey).some((tag) => taken.has(tag))) continue;
    checkPublicKey(algorithm, dnskey, privateKey, verifier);
    return { dnskey, privateKey };
  }
  throw new Error(`no key with a free tag was found in ${maxTries} tries`);
}

const generate = promisify(generateKeyPair);

async function generatePrivateKey(algorithm: number): Promise<KeyObject> {
  const facts = algorithmOf(algorithm);
  switch (facts.family) {
    case 'rsa': {
      const options = { modulusLength: facts.modulusBits, publicExponent: 65_537 };
      return (await generate('rsa', options)).privateKey;
    }
    case 'ec':
      return (await generate('ec', { namedCurve: facts.curve })).privateKey;
    case 'ed':
      return facts.curve === 'Ed25519'
        ? (await generate('ed25519')).privateKey
        : (await generate('ed448')).privateKey;
    default:
      return unreachable(facts);
  }
}

/** PKCS #8 in DER: what is sealed and stored. */
export function serializePrivateKey(key: KeyObject): Buffer {
  return key.export({ type: 'pkcs8', format: 'der' });
}

/** Opens a stored key; DNSSEC_SIGNING_FAILED when it is none, or does not belong to `dnskey`. */
export function openKeyPair(pkcs8: Buffer, dnskey: Buffer, verifier: Verifier): KeyPair {
  const algorithm = algorithmOfDnskey(dnskey);
  let privateKey: KeyObject;
  let publicKey: Buffer;
  try {
    privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    publicKey = publicKeyField(algorithm, privateKey);
  } catch (error) {
    const text = `the stored private half of key ${keyTagOf(dnskey)} can not be read: ${String(error)}`;
    throw new Problem('DNSSEC_SIGNING_FAILED', text);
  }
  if (!dnskeyRdata(algorithm, publicKey, isEntryPoint(dnskey)).equals(dnskey)) {
    throw new Problem('DNSSEC_SIGNING_FAILED', 'a stored private key belongs to another DNSKEY');
  }
  checkPublicKey(algorithm, dnskey, privateKey, verifier);
  return { dnskey, privateKey };
}

/** Has other code compute the public key from the private one a second time. */
function checkPublicKey(
  algorithm: number,
  dnskey: Buffer,
  privateKey: KeyObject,
  verifier: Verifier,
): void {
  const verifierKey = verifier.derivePublicKey(algorithm, numbersOf(algorithm, privateKey));
  assert(
    dnskeyRdata(algorithm, verifierKey, isEntryPoint(dnskey)).equals(dnskey),
    'both derivations of a public key agree',
  );
}

/** What the public key follows from: the private number or seed, for RSA the primes. */
function numbersOf(algorithm: number, privateKey: KeyObject): PrivateNumbers {
  const jwk = privateKey.export({ format: 'jwk' });
  if (algorithmOf(algorithm).family !== 'rsa') return { family: 'curve', secret: fromUrl(jwk.d) };
  const { p, q, e, d } = jwk;
  return {
    family: 'rsa',
    primes: [fromUrl(p), fromUrl(q)],
    exponent: fromUrl(e),
    privateExponent: fromUrl(d),
  };
}

/** One key, ready to sign many times. node:crypto signs; the key is parsed once. */
export interface Signer {
  readonly algorithm: number;
  readonly keyTag: number;
  /** The RDATA of the public half. */
  readonly dnskey: Buffer;
  /** Signs synchronously: 20 to 60 µs for P-256 and Ed25519, a millisecond or two for the others. */
  sign(data: Buffer): Buffer;
  /** Where signatures are made by other threads (late-signing.ts), which takes their length. */
  readonly signLater?: {
    readonly bytes: number;
    /** Promises to write the signature over `data` into `signature`. */
    into(signature: Buffer, data: Buffer): void;
  };
}

/** A private key with the hash that its algorithm asks for. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly hash: string | null;
}

export function signingKeyOf({ dnskey, privateKey }: KeyPair): SigningKey {
  return { privateKey, hash: algorithmOf(algorithmOfDnskey(dnskey)).hash };
}

export function signWith({ privateKey, hash }: SigningKey, data: Buffer): Buffer {
  // The encoding is one of ECDSA alone: the others have no other form.
  return sign(hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export function signerOf(pair: KeyPair): Signer {
  const { dnskey } = pair;
  const key = signingKeyOf(pair);
  const identity = { algorithm: algorithmOfDnskey(dnskey), keyTag: keyTagOf(dnskey), dnskey };
  return { ...identity, sign: (data) => signWith(key, data) };
}
