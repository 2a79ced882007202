/** Places for work of which only so much goes on at a time: who finds too few free waits in the order of coming. */
export class Places {
  readonly #waiting: { readonly places: number; go(): void }[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work that takes this number of places, once they are free. */
  async during<Result>(places: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length > 0 || this.#free < places) {
      await new Promise<void>((resolve) => void this.#waiting.push({ places, go: resolve }));
    } else this.#free -= places;
    try {
      return await work();
    } finally {
      this.#free += places;
      this.#goOn();
    }
  }

  #goOn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.places > this.#free) return;
      this.#free -= next.places;
      this.#waiting.shift();
      next.go();
    }
  }
}
