/** Whether so many commands come at once that another thread is worth its while. */

/** How many commands at once make a crowd. */
export interface CrowdSize {
  /** From so many on. */
  readonly many: number;
  /** Until there are fewer than this. */
  readonly few: number;
}

/** To hand a batch over and to hear of it costs as much as some commands. */
const usualSize: CrowdSize = { many: 64, few: 24 };

/** The weight of the latest look. */
const weight = 1 / 16;

export class Crowd {
  readonly #size: CrowdSize;
  #usual = 0;
  #isLarge = false;

  constructor(size: CrowdSize = usualSize) {
    this.#size = size;
  }

  /** Takes in how many commands wait, or are on their way to the disk. */
  note(size: number): void {
    this.#usual += (size - this.#usual) * weight;
    this.#isLarge = this.#usual >= (this.#isLarge ? this.#size.few : this.#size.many);
  }

  get usual(): number {
    return this.#usual;
  }

  get isLarge(): boolean {
    return this.#isLarge;
  }
}
