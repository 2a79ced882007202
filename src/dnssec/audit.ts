/**
 * The audit of a signing pass: every signature over the apex DNSKEY RRset, the first of the others
 * and a sample of the rest are checked by other code than made them, before anything is published.
 *
 * A signature that fails stops the pass with DNSSEC_SIGNING_FAILED: the zone stays as it was.
 */
import { Problem } from '../base/problem.ts';
import { type NameKey, printAbsoluteName } from '../dns/name.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { publicKeyOfDnskey } from './dnskey.ts';
import type { MadeSignature } from './rrsig.ts';
import type { SecondOpinion } from './second-opinion.ts';
import type { Signer } from './signer.ts';

/**
 * Signatures that are checked at the start of each pass. The first is the one over the SOA, so that
 * even the smallest step is checked; a check takes milliseconds, hence no more.
 */
const firstChecked = 1;
/** After that, one in so many is checked: a check takes some hundred times as long as signing. */
const sampleInterval = 1000;

export class SigningAudit {
  readonly #secondOpinion: SecondOpinion;
  #made = 0;

  constructor(secondOpinion: SecondOpinion) {
    this.#secondOpinion = secondOpinion;
  }

  /** Signatures made in this pass. */
  get made(): number {
    return this.#made;
  }

  /** Hears of a signature just made, and checks it when it is its turn. */
  note(name: NameKey, type: number, signer: Signer, made: MadeSignature): void {
    const turn = this.#made++;
    const isSample = turn < firstChecked || turn % sampleInterval === 0;
    if (type !== rrtype.DNSKEY && !(isSample && this.#isDue())) return;
    const publicKey = publicKeyOfDnskey(signer.dnskey);
    const { data, signature } = made;
    if (this.#secondOpinion.verify(signer.algorithm, publicKey, data, signature)) return;
    throw new Problem(
      'DNSSEC_SIGNING_FAILED',
      `the signature over ${printType(type)} at ${printAbsoluteName(name)} by key ${signer.keyTag} does not verify: nothing was published`,
    );
  }

  #isDue(): boolean {
    return this.#secondOpinion.isDue?.() ?? true;
  }
}
