/**
 * Signing with all cores: signatures are ordered while a zone is walked through, made by the threads of
 * node:crypto, and checked by the second opinion when they are there. What was made may be used only
 * after `settle`.
 */
import { sign } from 'node:crypto';
import { Problem, unreachable } from '../base/problem.ts';
import { algorithmOf } from './algorithm.ts';
import { algorithmOfDnskey, publicKeyOfDnskey } from './dnskey.ts';
import type { KeyPair } from './key-pair.ts';
import type { SecondOpinion } from './second-opinion.ts';
import { type Signer, signerOf } from './signer.ts';

export class DeferredSigning {
  readonly #opinion: SecondOpinion;
  #pending = 0;
  #error: Error | undefined;
  #settled: (() => void) | undefined;
  #checks: (() => boolean)[] = [];

  constructor(opinion: SecondOpinion) {
    this.#opinion = opinion;
  }

  /** Signatures that are ordered and not there yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Says yes to everything, and looks again when the signatures are there. */
  readonly opinion: SecondOpinion = {
    derivePublicKey: (algorithm, numbers) => this.#opinion.derivePublicKey(algorithm, numbers),
    verify: (algorithm, publicKey, data, signature) => {
      this.#checks.push(() => this.#opinion.verify(algorithm, publicKey, data, signature));
      return true;
    },
  };

  signerOf(pair: KeyPair): Signer {
    const octets = signatureOctets(pair.dnskey);
    return {
      ...signerOf(pair),
      signLater: { octets, into: (signature, data) => this.#order(pair, signature, data) },
    };
  }

  #order({ dnskey, privateKey }: KeyPair, signature: Buffer, data: Buffer): void {
    const facts = algorithmOf(algorithmOfDnskey(dnskey));
    const hash = facts.family === 'ed' ? null : facts.hash;
    const key =
      facts.family === 'ec'
        ? ({ key: privateKey, dsaEncoding: 'ieee-p1363' } as const)
        : privateKey;
    this.#pending++;
    sign(hash, data, key as Parameters<typeof sign>[2], (error, made) => {
      if (error) this.#error ??= error;
      else if (made.length !== signature.length) {
        this.#error ??= new Error(`a signature has ${made.length} octets, not ${signature.length}`);
      } else signature.set(made);
      this.#pending--;
      if (this.#pending === 0) this.#settled?.();
    });
  }

  /** Resolves when every ordered signature is made and those that are checked verify. */
  async settle(): Promise<void> {
    while (this.#pending > 0) {
      await new Promise<void>((resolve) => {
        this.#settled = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
    const checks = this.#checks;
    this.#checks = [];
    if (checks.every((check) => check())) return;
    throw new Problem(
      'DNSSEC_SIGNING_FAILED',
      'a signature does not verify: nothing was published',
    );
  }
}

/** Octets of a signature by the key of a DNSKEY. */
export function signatureOctets(dnskey: Buffer): number {
  const facts = algorithmOf(algorithmOfDnskey(dnskey));
  switch (facts.family) {
    case 'ec':
      return 2 * facts.fieldOctets;
    case 'ed':
      return 2 * facts.keyOctets;
    case 'rsa':
      return modulusOctets(publicKeyOfDnskey(dnskey));
    default:
      return unreachable(facts);
  }
}

/** RFC 3110 2: the length of the exponent stands in one octet, or in the two after a zero. */
function modulusOctets(field: Buffer): number {
  const exponentOctets = field[0] === 0 ? field.readUInt16BE(1) + 3 : field[0]! + 1;
  return field.length - exponentOctets;
}
