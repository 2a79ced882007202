/**
 * Readers who take what was made for them in parts, and may take as long as they like, up to a number of them. One too
 * many ends the one that took nothing for longest.
 */
export class BoundedReaders {
  readonly #max: number;
  /** What ends each, in the order in which they took something last. */
  readonly #ends = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** `end` is called once at most, and the reader counts no more then. */
  add(end: () => void): void {
    const [first] = this.#ends;
    if (first !== undefined && this.#ends.size >= this.#max) {
      this.#ends.delete(first);
      first();
    }
    this.#ends.add(end);
  }

  /** The reader took something. */
  taken(end: () => void): void {
    if (this.#ends.delete(end)) this.#ends.add(end);
  }

  delete(end: () => void): void {
    this.#ends.delete(end);
  }
}

/** What a reader gets who was ended. */
export function tooSlow(): Error {
  return new Error('the reader of an answer was too slow while others waited');
}
