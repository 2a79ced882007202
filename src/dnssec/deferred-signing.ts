/**
 * Signing with all cores: signatures are ordered while a zone is walked through, made by others many at
 * a time, and checked by the second opinion when they are there. What was ordered may be used only after
 * what `cut` returned has resolved.
 */
import { Problem, unreachable } from '../base/problem.ts';
import { algorithmOf, signsSlowly } from './algorithm.ts';
import { algorithmOfDnskey, publicKeyOfDnskey, splitRsaPublicKey } from './dnskey.ts';
import { type KeyPair, type Signer, signerOf } from './key-pair.ts';
import type { SecondOpinion } from './noble.ts';

/** What one key is to sign, one after the other in memory of their own, which may be given away. */
export interface SigningOrder {
  readonly dnskey: Buffer;
  readonly data: Uint8Array;
  /** Where each ends. */
  readonly ends: Uint32Array;
}

/** Who makes signatures: they come back one after the other, in the order of the data. */
export type SigningWorkers = (order: SigningOrder) => Promise<Uint8Array>;

/** Signatures of one order: some milliseconds of work. */
const signaturesPerOrder = 64;
const slowSignaturesPerOrder = 4;

export class DeferredSigning {
  readonly #opinion: SecondOpinion;
  readonly #workers: SigningWorkers;
  readonly #collected: OrderBook[] = [];
  #orders: Promise<void>[] = [];
  #checks: (() => boolean)[] = [];
  #pending = 0;

  constructor(opinion: SecondOpinion, workers: SigningWorkers) {
    this.#opinion = opinion;
    this.#workers = workers;
  }

  /** Signatures that were asked for since the last cut. */
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
    const book = new OrderBook(pair.dnskey);
    this.#collected.push(book);
    return {
      ...signerOf(pair),
      signLater: {
        bytes: book.bytes,
        into: (signature, data) => {
          this.#pending++;
          if (book.add(signature, data)) this.#orders.push(book.order(this.#workers));
        },
      },
    };
  }

  /**
   * Everything asked for since the last cut: resolves when it is made and those that are checked verify.
   * The next may be asked for meanwhile.
   */
  cut(): Promise<void> {
    for (const book of this.#collected) {
      if (book.count > 0) this.#orders.push(book.order(this.#workers));
    }
    const orders = Promise.all(this.#orders);
    const checks = this.#checks;
    this.#orders = [];
    this.#checks = [];
    this.#pending = 0;
    const made = orders.then(() => {
      if (checks.every((check) => check())) return;
      throw new Problem(
        'DNSSEC_SIGNING_FAILED',
        'a signature does not verify: nothing was published',
      );
    });
    // Whoever waits for it hears of a failure; until then nobody needs to.
    made.catch(() => {});
    return made;
  }
}

/** What one key is asked to sign, until there is enough for an order. */
class OrderBook {
  readonly #dnskey: Buffer;
  readonly bytes: number;
  readonly #max: number;
  #data: Buffer[] = [];
  #signatures: Buffer[] = [];

  constructor(dnskey: Buffer) {
    this.#dnskey = dnskey;
    this.bytes = signatureBytes(dnskey);
    const isSlow = signsSlowly(algorithmOfDnskey(dnskey));
    this.#max = isSlow ? slowSignaturesPerOrder : signaturesPerOrder;
  }

  get count(): number {
    return this.#data.length;
  }

  /** True when it is enough. */
  add(signature: Buffer, data: Buffer): boolean {
    this.#data.push(data);
    this.#signatures.push(signature);
    return this.#data.length >= this.#max;
  }

  async order(workers: SigningWorkers): Promise<void> {
    const signatures = this.#signatures;
    const ends = new Uint32Array(this.#data.length);
    let end = 0;
    for (const [index, { length }] of this.#data.entries()) {
      end += length;
      ends[index] = end;
    }
    const data = new Uint8Array(end);
    for (const [index, bytes] of this.#data.entries()) data.set(bytes, ends[index - 1] ?? 0);
    this.#data = [];
    this.#signatures = [];

    const made = await workers({ dnskey: this.#dnskey, data, ends });
    if (made.length !== signatures.length * this.bytes) {
      throw new Error(`${signatures.length} signatures have ${made.length} bytes`);
    }
    for (const [index, signature] of signatures.entries()) {
      signature.set(made.subarray(index * this.bytes, (index + 1) * this.bytes));
    }
  }
}

/** Bytes of a signature by the key of a DNSKEY. */
export function signatureBytes(dnskey: Buffer): number {
  const facts = algorithmOf(algorithmOfDnskey(dnskey));
  switch (facts.family) {
    case 'ec':
      return 2 * facts.fieldBytes;
    case 'ed':
      return 2 * facts.keyBytes;
    case 'rsa':
      return splitRsaPublicKey(publicKeyOfDnskey(dnskey)).modulus.length;
    default:
      return unreachable(facts);
  }
}
