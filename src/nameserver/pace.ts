/** A pace: so many times in one minute and no more, for what strangers can cause at will. */
const minuteMs = 60_000;

export class Pace {
  readonly #perMinute: number;
  #minute = 0;
  #taken = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** True while the minute that `atMs` lies in has a turn left. */
  take(atMs: number): boolean {
    const minute = Math.floor(atMs / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
    }
    this.#taken++;
    return this.#taken <= this.#perMinute;
  }
}
