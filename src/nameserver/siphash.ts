/**
 * SipHash-2-4 (Aumasson, Bernstein 2012), the keyed hash of server cookies (RFC 9018 4.4). Neither Node nor the
 * packages in use have it. Words of 64 bits are kept as two of 32.
 */

/** Octets of a key. */
export const sipKeyOctets = 16;

/** Sums of the low halves, apart from numbers below 2^32: their carry goes to the high ones. */
const twoTo32 = 0x1_0000_0000;

/** v0 to v3, the high half of each before its low half. */
const state = new Int32Array(8);

export class SipHash {
  readonly #key = new Int32Array(4);

  constructor(key: Buffer) {
    for (let word = 0; word < 4; word++) this.#key[word] = key.readInt32LE(word * 4);
  }

  /** The hash of the first `length` octets as a number of 64 bits: its low and its high half go to `into`. */
  hash(octets: Uint8Array, length: number, into: Int32Array): void {
    const [k0Low, k0High, k1Low, k1High] = this.#key as unknown as [number, number, number, number];
    state[0] = k0High ^ 0x736f6d65;
    state[1] = k0Low ^ 0x70736575;
    state[2] = k1High ^ 0x646f7261;
    state[3] = k1Low ^ 0x6e646f6d;
    state[4] = k0High ^ 0x6c796765;
    state[5] = k0Low ^ 0x6e657261;
    state[6] = k1High ^ 0x74656462;
    state[7] = k1Low ^ 0x79746573;
    const whole = length - (length % 8);
    for (let at = 0; at < whole; at += 8) take(word(octets, at, 4), word(octets, at + 4, 4));
    const left = length - whole;
    const low = word(octets, whole, Math.min(left, 4));
    const high = word(octets, whole + 4, Math.max(0, left - 4));
    take(low, high | (length << 24));
    state[5]! ^= 0xff;
    for (let count = 0; count < 4; count++) round();
    into[0] = state[1]! ^ state[3]! ^ state[5]! ^ state[7]!;
    into[1] = state[0]! ^ state[2]! ^ state[4]! ^ state[6]!;
  }
}

/** Up to four octets as a number, the first one the lowest. */
function word(octets: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value |= octets[at + index]! << (index * 8);
  return value;
}

function take(low: number, high: number): void {
  state[6]! ^= high;
  state[7]! ^= low;
  round();
  round();
  state[0]! ^= high;
  state[1]! ^= low;
}

function round(): void {
  add(0, 2);
  turn(2, 13);
  mix(2, 0);
  swap(0);
  add(4, 6);
  turn(6, 16);
  mix(6, 4);
  add(0, 6);
  turn(6, 21);
  mix(6, 0);
  add(4, 2);
  turn(2, 17);
  mix(2, 4);
  swap(4);
}

function add(to: number, from: number): void {
  const low = (state[to + 1]! >>> 0) + (state[from + 1]! >>> 0);
  state[to] = state[to]! + state[from]! + (low >= twoTo32 ? 1 : 0);
  state[to + 1] = low;
}

/** Rotates to the left by less than 32 bits. */
function turn(at: number, bits: number): void {
  const high = state[at]!;
  const low = state[at + 1]!;
  state[at] = (high << bits) | (low >>> (32 - bits));
  state[at + 1] = (low << bits) | (high >>> (32 - bits));
}

function mix(to: number, from: number): void {
  state[to]! ^= state[from]!;
  state[to + 1]! ^= state[from + 1]!;
}

/** Rotates by 32 bits. */
function swap(at: number): void {
  const high = state[at]!;
  state[at] = state[at + 1]!;
  state[at + 1] = high;
}
