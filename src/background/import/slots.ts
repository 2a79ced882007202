/** Slots for work of which only so much goes on at a time: who finds too few free waits in the order of coming. */
export class Slots {
  readonly #waiting: { readonly slots: number; go(): void }[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work that takes this number of places, once they are free. */
  async during<Result>(slots: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length > 0 || this.#free < slots) {
      await new Promise<void>((resolve) => void this.#waiting.push({ slots, go: resolve }));
    } else this.#free -= slots;
    try {
      return await work();
    } finally {
      this.#free += slots;
      this.#goOn();
    }
  }

  #goOn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.slots > this.#free) return;
      this.#free -= next.slots;
      this.#waiting.shift();
      next.go();
    }
  }
}
