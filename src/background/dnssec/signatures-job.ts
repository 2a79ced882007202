/**
 * The job of making signatures and nothing else: signing in one's own thread costs half of what it costs to
 * have each signature made by the threads of node:crypto.
 */
import { createPrivateKey } from 'node:crypto';
import { type Signer, signerOf } from '../../dnssec/key-pair.ts';

/** A key to sign with; orders name it by its place among all of them. */
export interface SignatureKey {
  readonly dnskey: Uint8Array;
  /** PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
}

export interface SignatureOrder {
  readonly key: number;
  readonly data: Uint8Array;
  /** Where in `data` each text to sign ends. */
  readonly ends: Uint32Array;
}

export class SignaturesJob {
  readonly #signers: readonly Pick<Signer, 'sign'>[];

  constructor(keys: readonly SignatureKey[]) {
    this.#signers = keys.map(({ dnskey, privateKey }) => {
      const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
      return signerOf({ dnskey: Buffer.from(dnskey), privateKey: key });
    });
  }

  /** Signs all of an order; the signatures follow each other. */
  sign({ key, data, ends }: SignatureOrder): Uint8Array {
    const signer = this.#signers[key]!;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
    let signatures = new Uint8Array(0);
    let start = 0;
    for (const [index, end] of ends.entries()) {
      const signature = signer.sign(bytes.subarray(start, end));
      // All signatures of a key have one length.
      if (index === 0) signatures = new Uint8Array(signature.length * ends.length);
      signatures.set(signature, index * signature.length);
      start = end;
    }
    return signatures;
  }
}
