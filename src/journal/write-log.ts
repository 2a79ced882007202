/**
 * Writes as octets: what one thread has noted and another one runs. A note is the number of a statement and
 * its values, or one event that is not in the chain yet.
 *
 * ```
 *   number (2 octets)   count of values (4 octets)   values, each with a tag before it
 * ```
 */

/** The number of a note that is an event, and of no statement. */
export const eventNote = 0xffff;

const tagNull = 0;
const tagNumber = 1;
const tagText = 2;
const tagOctets = 3;
const tagSmall = 4;

/** Octets to begin with: those of a usual batch. */
const firstOctets = 256 * 1024;

export type Value = null | number | string | Uint8Array;

export class WriteLog {
  #octets: Buffer;
  #length = 0;

  /** `octets`: memory that was used for a log before; it is written over. */
  constructor(octets: ArrayBuffer = new ArrayBuffer(firstOctets)) {
    this.#octets = Buffer.from(octets);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Notes a statement, or an event, with those of `values` from `start` to before `end`. */
  note(number: number, values: readonly unknown[], start = 0, end = values.length): void {
    this.#room(6);
    const octets = this.#octets;
    octets.writeUInt16LE(number, this.#length);
    octets.writeUInt32LE(end - start, this.#length + 2);
    this.#length += 6;
    for (let index = start; index < end; index++) this.#value(values[index] as Value);
  }

  /** The memory with all notes, which is handed over, and their octets in it. */
  take(): { readonly memory: ArrayBuffer; readonly length: number } {
    return { memory: this.#octets.buffer as ArrayBuffer, length: this.#length };
  }

  clear(): void {
    this.#length = 0;
  }

  #value(value: Value): void {
    if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'string') this.#text(value);
    else if (value === null) {
      this.#room(1);
      this.#octets[this.#length++] = tagNull;
    } else {
      const octets = value.length;
      this.#head(tagOctets, octets);
      this.#octets.set(value, this.#length);
      this.#length += octets;
    }
  }

  #number(value: number): void {
    this.#room(9);
    const octets = this.#octets;
    if (value === (value | 0)) {
      octets[this.#length] = tagSmall;
      octets.writeInt32LE(value, this.#length + 1);
      this.#length += 5;
      return;
    }
    octets[this.#length] = tagNumber;
    octets.writeDoubleLE(value, this.#length + 1);
    this.#length += 9;
  }

  #text(value: string): void {
    const octets = Buffer.byteLength(value);
    this.#head(tagText, octets);
    this.#octets.write(value, this.#length, 'utf8');
    this.#length += octets;
  }

  #head(tag: number, length: number): void {
    this.#room(5 + length);
    this.#octets[this.#length] = tag;
    this.#octets.writeUInt32LE(length, this.#length + 1);
    this.#length += 5;
  }

  #room(octets: number): void {
    const needed = this.#length + octets;
    if (needed <= this.#octets.length) return;
    const larger = Buffer.from(new ArrayBuffer(Math.max(this.#octets.length * 2, needed)));
    this.#octets.copy(larger, 0, 0, this.#length);
    this.#octets = larger;
  }
}

/** Calls `each` with the notes of a log in their order. Octets among the values are views of the log's. */
export function readWriteLog(
  log: Buffer,
  each: (number: number, values: readonly Value[]) => void,
): void {
  let at = 0;
  const valueAt = (): Value => {
    const tag = log[at++];
    if (tag === tagNull) return null;
    if (tag === tagSmall) {
      at += 4;
      return log.readInt32LE(at - 4);
    }
    if (tag === tagNumber) {
      at += 8;
      return log.readDoubleLE(at - 8);
    }
    const start = at + 4;
    at = start + log.readUInt32LE(at);
    return tag === tagText ? log.toString('utf8', start, at) : log.subarray(start, at);
  };
  while (at < log.length) {
    const number = log.readUInt16LE(at);
    const count = log.readUInt32LE(at + 2);
    at += 6;
    const values: Value[] = [];
    for (let index = 0; index < count; index++) values.push(valueAt());
    each(number, values);
  }
}
