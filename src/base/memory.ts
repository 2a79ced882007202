/**
 * What was made for a key, kept for the next who asks: a map that starts again when it is full. What has no value is
 * asked for again.
 */
export class Memory<Key, Value> {
  readonly #maxEntries: number;
  readonly #known = new Map<Key, Value>();

  /** Without `maxEntries` for what lives no longer than one command. */
  constructor(maxEntries = Number.POSITIVE_INFINITY) {
    this.#maxEntries = maxEntries;
  }

  /** The value of a key; `make` always makes the same one of it. */
  of(key: Key, make: (key: Key) => Value): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (value === undefined) return value;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }

  forget(): void {
    this.#known.clear();
  }
}
