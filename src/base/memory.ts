/** What was made for a key, kept for the next who asks: a bounded map that starts again when it is full. */
export class Memory<Key, Value> {
  readonly #maxEntries: number;
  readonly #known = new Map<Key, Value>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** The value of a key; `make` always makes the same one of it. */
  of(key: Key, make: (key: Key) => Value): Value {
    let value = this.#known.get(key);
    if (value === undefined) {
      value = make(key);
      if (this.#known.size >= this.#maxEntries) this.#known.clear();
      this.#known.set(key, value);
    }
    return value;
  }

  forget(): void {
    this.#known.clear();
  }
}
