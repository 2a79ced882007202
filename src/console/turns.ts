/** Questions that come by the dozen, asked a few at a time. */

interface Waiting {
  readonly signal: AbortSignal;
  readonly start: () => void;
}

/** A line of questions, of which `atOnce` are under way. One that nobody waits for any more is never asked. */
export class Turns {
  readonly #atOnce: number;
  #underWay = 0;
  #waiting: Waiting[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Never settles for a question whose signal is aborted before its turn. */
  ask<Answer>(signal: AbortSignal, question: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#underWay++;
        question()
          .then(resolve, reject)
          .finally(() => {
            this.#underWay--;
            this.#next();
          });
      };
      this.#waiting.push({ signal, start });
      this.#next();
    });
  }

  #next(): void {
    this.#waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    if (this.#underWay < this.#atOnce) this.#waiting.shift()?.start();
  }
}
