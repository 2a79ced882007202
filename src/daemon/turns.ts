/**
 * Begins a few requests in each turn of the event loop, in the order they came.
 *
 * In one turn the loop reads every connection that has something, but accepts one new connection and reads some 32
 * datagrams of a socket. So a turn in which hundreds of connections are served keeps newcomers and DNS waiting for all
 * of them, turn after turn.
 */
export class Turns {
  readonly #perTurn: number;
  #begun = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Begins it at once while this turn has room, else in one of the next. */
  begin(request: () => void): void {
    if (this.#begun >= this.#perTurn) {
      this.#waiting.push(request);
      return;
    }
    if (this.#begun++ === 0) setImmediate(() => this.#nextTurn());
    request();
  }

  #nextTurn(): void {
    this.#begun = 0;
    for (const request of this.#waiting.splice(0, this.#perTurn)) this.begin(request);
  }
}
