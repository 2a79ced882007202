/**
 * The signing algorithms a policy may name (RFC 8624 3.1): RSA/SHA-256 and /SHA-512 (RFC 5702),
 * ECDSA P-256 and P-384 (RFC 6605), Ed25519 and Ed448 (RFC 8080).
 *
 * Refused: every other number. SHA-1 and older must not be made any more (RFC 8624).
 */
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';

interface AlgorithmFacts {
  /** The number in DNSKEY, RRSIG and DS. */
  readonly number: number;
  /** How policies name it. */
  readonly name: string;
  /** How the private-key files of BIND name it. */
  readonly mnemonic: string;
  /** The digest type of the DS that we publish: as strong as the key (RFC 8624 3.3, RFC 6605). */
  readonly dsDigestType: 2 | 4;
}

export interface RsaAlgorithm extends AlgorithmFacts {
  readonly family: 'rsa';
  readonly hash: 'sha256' | 'sha512';
  /** Of keys that are made here, and at least of those that are taken in. */
  readonly modulusBits: number;
}

export interface EcAlgorithm extends AlgorithmFacts {
  readonly family: 'ec';
  readonly hash: 'sha256' | 'sha384';
  /** The curve as JWK names it (RFC 7518 6.2.1.1). */
  readonly curve: 'P-256' | 'P-384';
  /** Bytes of one coordinate and of the private number. */
  readonly fieldBytes: number;
}

export interface EdAlgorithm extends AlgorithmFacts {
  readonly family: 'ed';
  /** The signature takes the data as they are. */
  readonly hash: null;
  /** The curve as JWK names it (RFC 8037 2). */
  readonly curve: 'Ed25519' | 'Ed448';
  readonly keyBytes: number;
}

export type Algorithm = RsaAlgorithm | EcAlgorithm | EdAlgorithm;

const sha256 = 2;
const sha384 = 4;

export const algorithms: readonly Algorithm[] = [
  rsa(8, 'rsasha256', 'RSASHA256', 'sha256'),
  rsa(10, 'rsasha512', 'RSASHA512', 'sha512'),
  {
    family: 'ec',
    number: 13,
    name: 'ecdsap256sha256',
    mnemonic: 'ECDSAP256SHA256',
    dsDigestType: sha256,
    hash: 'sha256',
    curve: 'P-256',
    fieldBytes: 32,
  },
  {
    family: 'ec',
    number: 14,
    name: 'ecdsap384sha384',
    mnemonic: 'ECDSAP384SHA384',
    dsDigestType: sha384,
    hash: 'sha384',
    curve: 'P-384',
    fieldBytes: 48,
  },
  ed(15, 'ed25519', 'Ed25519', 32),
  ed(16, 'ed448', 'Ed448', 57),
];

function rsa(number: number, name: string, mnemonic: string, hash: RsaAlgorithm['hash']) {
  const facts = {
    family: 'rsa',
    dsDigestType: sha256,
    modulusBits: limits.rsaModulusBits,
  } as const;
  return { ...facts, number, name, mnemonic, hash };
}

function ed(number: number, name: string, curve: EdAlgorithm['curve'], keyBytes: number) {
  const facts = { family: 'ed', dsDigestType: sha256, hash: null } as const;
  return { ...facts, number, name, mnemonic: curve.toUpperCase(), curve, keyBytes };
}

const byNumber = new Map(algorithms.map((algorithm) => [algorithm.number, algorithm]));

/** The algorithm of a number, or undefined for one that we do not sign with. */
export function findAlgorithm(number: number): Algorithm | undefined {
  return byNumber.get(number);
}

/** The algorithm of a key that is known to be ours. */
export function algorithmOf(number: number): Algorithm {
  const algorithm = byNumber.get(number);
  assert(algorithm !== undefined, `DNSSEC algorithm ${number} is one that we sign with`);
  return algorithm;
}

/** True where a signature takes a millisecond, ten times as long as with the others. */
export function signsSlowly(number: number): boolean {
  const { family, name } = algorithmOf(number);
  return family === 'rsa' || name === 'ecdsap384sha384';
}
