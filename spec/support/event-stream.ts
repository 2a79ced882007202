/** Reads a stream of events as it comes: what a client of one has, and may wait for. */

// biome-ignore lint/suspicious/noExplicitAny: events are looked into freely.
type Event = any;

export class StreamReader {
  readonly events: Event[] = [];
  /** Empty lines of an idle stream. */
  idle = 0;
  /** Resolves when the stream has ended, with why where it was broken off. */
  readonly ended: Promise<unknown>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #wake = () => {};

  /** Of an answer in lines of JSON. */
  constructor(response: Response) {
    this.#reader = response.body!.getReader();
    this.ended = this.#read().then(
      () => undefined,
      (error) => error ?? new Error('broken off'),
    );
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  /** Resolves when it has some number of events. */
  async has(count: number): Promise<void> {
    while (this.events.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read()) {
      rest += decoder.decode(part.value, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === '') this.idle++;
        else this.events.push(JSON.parse(line));
      }
      this.#wake();
    }
  }
}
