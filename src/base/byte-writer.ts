/** Bytes that grow as they are written, and are taken out from time to time. */
export class ByteWriter {
  #buffer: Buffer;
  length = 0;

  /** `memory`: the number of bytes to begin with, or a buffer to write over. */
  constructor(memory: number | Buffer) {
    this.#buffer = typeof memory === 'number' ? Buffer.allocUnsafe(memory) : memory;
  }

  /** What is written so far, and whatever stands behind it; good until there is more room. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Makes room for `bytes` more; returns what to write into, at `length`. */
  room(bytes: number): Buffer {
    if (this.length + bytes > this.#buffer.length) {
      const larger = ownMemory(Math.max(this.#buffer.length * 2, this.length + bytes));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }

  add(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Takes a few bytes one by one, which is the fastest for so few. */
  addShort(bytes: Uint8Array, start: number, end: number): void {
    const into = this.room(end - start);
    let at = this.length;
    for (let from = start; from < end; from++) into[at++] = bytes[from]!;
    this.length = at;
  }

  /** A copy in memory of its own, to be passed on; the writer is empty afterwards. */
  take(): Buffer {
    const taken = ownMemory(this.length);
    this.#buffer.copy(taken, 0, 0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Bytes that share their ArrayBuffer with no others, so that it can be handed to another thread. */
function ownMemory(bytes: number): Buffer {
  return Buffer.from(new ArrayBuffer(bytes));
}
