/** Whether so many commands come at once that another thread is worth its while. */

/** Commands at once from which on it is, and below which it is no more. */
const many = 64;
const few = 24;
/** The weight of the latest look. */
const weight = 1 / 16;

export class Crowd {
  #usual = 0;
  #isLarge = false;

  /** Takes in how many commands wait, or are on their way to the disk. */
  note(size: number): void {
    this.#usual += (size - this.#usual) * weight;
    this.#isLarge = this.#usual >= (this.#isLarge ? few : many);
  }

  get usual(): number {
    return this.#usual;
  }

  get isLarge(): boolean {
    return this.#isLarge;
  }
}
