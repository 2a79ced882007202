/** Questions that come by the dozen, asked a few at a time. */

interface Waiting {
  readonly signal: AbortSignal;
  readonly start: () => void;
}

/** A line of questions, of which `atOnce` are open at a time. One that nobody waits for any more is never asked. */
export class Turns {
  readonly #atOnce: number;
  #open = 0;
  #waiting: Waiting[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Says nothing ever of a question whose signal is aborted before its turn. */
  ask<Answer>(signal: AbortSignal, question: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#open++;
        question()
          .then(resolve, reject)
          .finally(() => {
            this.#open--;
            this.#next();
          });
      };
      this.#waiting.push({ signal, start });
      this.#next();
    });
  }

  #next(): void {
    this.#waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    if (this.#open < this.#atOnce) this.#waiting.shift()?.start();
  }
}
