/** Draws that a seed repeats. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** Each with the same chance, in their order. */
  some<T>(from: readonly T[], chance: number): T[] {
    return from.filter(() => this.next() < chance);
  }

  /** At most `count` of them, each once, in any order. */
  sample<T>(from: readonly T[], count: number): T[] {
    if (count >= from.length) return [...from];
    const chosen = new Set<number>();
    while (chosen.size < count) chosen.add(this.below(from.length));
    return [...chosen].map((index) => from[index]!);
  }
}
