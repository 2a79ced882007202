/**
 * SipHash-2-4 (Aumasson, Bernstein 2012), the keyed hash of server cookies (RFC 9018 4.4). Neither Node nor the
 * packages in use have it. Words of 64 bits are kept as two of 32.
 */

/** Bytes of a key. */
export const sipKeyBytes = 16;

export class SipHash {
  readonly #k0Low: number;
  readonly #k0High: number;
  readonly #k1Low: number;
  readonly #k1High: number;

  constructor(key: Buffer) {
    this.#k0Low = key.readInt32LE(0);
    this.#k0High = key.readInt32LE(4);
    this.#k1Low = key.readInt32LE(8);
    this.#k1High = key.readInt32LE(12);
  }

  /** The hash of the first `length` bytes as a number of 64 bits: its low and its high half go to `into`. */
  hash(bytes: Uint8Array, length: number, into: Int32Array): void {
    let a = this.#k0High ^ 0x736f6d65;
    let aLow = this.#k0Low ^ 0x70736575;
    let b = this.#k1High ^ 0x646f7261;
    let bLow = this.#k1Low ^ 0x6e646f6d;
    let c = this.#k0High ^ 0x6c796765;
    let cLow = this.#k0Low ^ 0x6e657261;
    let d = this.#k1High ^ 0x74656462;
    let dLow = this.#k1Low ^ 0x79746573;
    // All is in one loop over words in local variables, which is what makes it fast: the last turn is the end of it.
    const words = (length >> 3) + 1;
    for (let index = 0; index <= words; index++) {
      const isEnd = index === words;
      const at = index * 8;
      const low = isEnd ? 0 : word(bytes, at, length);
      let high = isEnd ? 0 : word(bytes, at + 4, length);
      if (index === words - 1) high |= length << 24;
      if (isEnd) cLow ^= 0xff;
      d ^= high;
      dLow ^= low;
      for (let round = isEnd ? 4 : 2; round > 0; round--) {
        let sum = (aLow >>> 0) + (bLow >>> 0);
        a = (a + b + (sum > maxLow ? 1 : 0)) | 0;
        aLow = sum | 0;
        let turned = (b << 13) | (bLow >>> 19);
        bLow = ((bLow << 13) | (b >>> 19)) ^ aLow;
        b = turned ^ a;
        turned = a;
        a = aLow;
        aLow = turned;
        sum = (cLow >>> 0) + (dLow >>> 0);
        c = (c + d + (sum > maxLow ? 1 : 0)) | 0;
        cLow = sum | 0;
        turned = (d << 16) | (dLow >>> 16);
        dLow = ((dLow << 16) | (d >>> 16)) ^ cLow;
        d = turned ^ c;
        sum = (aLow >>> 0) + (dLow >>> 0);
        a = (a + d + (sum > maxLow ? 1 : 0)) | 0;
        aLow = sum | 0;
        turned = (d << 21) | (dLow >>> 11);
        dLow = ((dLow << 21) | (d >>> 11)) ^ aLow;
        d = turned ^ a;
        sum = (cLow >>> 0) + (bLow >>> 0);
        c = (c + b + (sum > maxLow ? 1 : 0)) | 0;
        cLow = sum | 0;
        turned = (b << 17) | (bLow >>> 15);
        bLow = ((bLow << 17) | (b >>> 15)) ^ cLow;
        b = turned ^ c;
        turned = c;
        c = cLow;
        cLow = turned;
      }
      a ^= high;
      aLow ^= low;
    }
    into[0] = aLow ^ bLow ^ cLow ^ dLow;
    into[1] = a ^ b ^ c ^ d;
  }
}

/** The greatest low half: a sum above it carries. */
const maxLow = 0xffff_ffff;

/** Four bytes as a number, the first one the lowest; those behind the end are 0. */
function word(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 <= end) {
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }
  let value = 0;
  for (let index = 0; at + index < end; index++) value |= bytes[at + index]! << (index * 8);
  return value;
}
