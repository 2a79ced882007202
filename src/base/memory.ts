/** What was made for a key, kept for the next who asks: a bounded map that starts anew when it is full. */
export class Memory<Key, Value> {
  readonly #most: number;
  readonly #known = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value of a key; `make` always makes the same one of it. */
  of(key: Key, make: (key: Key) => Value): Value {
    let value = this.#known.get(key);
    if (value === undefined) {
      value = make(key);
      if (this.#known.size >= this.#most) this.#known.clear();
      this.#known.set(key, value);
    }
    return value;
  }

  forget(): void {
    this.#known.clear();
  }
}
