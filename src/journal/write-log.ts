/**
 * Writes as octets: what one thread has noted and another one runs. A note is the number of a statement and
 * its values, or one event that is not in the chain yet.
 *
 * ```
 *   number (2 octets)   count of values (4 octets)   values, each with a tag before it
 * ```
 */

import { OctetWriter } from '../base/octet-writer.ts';

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
  readonly #octets: OctetWriter;

  /** `memory`: that of a log before, which is written over. */
  constructor(memory: ArrayBuffer = new ArrayBuffer(firstOctets)) {
    this.#octets = new OctetWriter(Buffer.from(memory));
  }

  get isEmpty(): boolean {
    return this.#octets.length === 0;
  }

  /** Notes a statement, or an event, with those of `values` from `start` to before `end`. */
  note(number: number, values: readonly unknown[], start = 0, end = values.length): void {
    const into = this.#octets.room(6);
    into.writeUInt16LE(number, this.#octets.length);
    into.writeUInt32LE(end - start, this.#octets.length + 2);
    this.#octets.length += 6;
    for (let index = start; index < end; index++) this.#value(values[index] as Value);
  }

  /** The memory with all notes, which is handed over, and their octets in it. */
  take(): { readonly memory: ArrayBuffer; readonly length: number } {
    const { buffer, length } = this.#octets;
    return { memory: buffer.buffer as ArrayBuffer, length };
  }

  clear(): void {
    this.#octets.length = 0;
  }

  #value(value: Value): void {
    if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'string') {
      const octets = Buffer.byteLength(value);
      const into = this.#head(tagText, octets);
      this.#octets.length += into.utf8Write(value, this.#octets.length);
    } else if (value === null) {
      this.#octets.room(1)[this.#octets.length++] = tagNull;
    } else {
      this.#head(tagOctets, value.length);
      this.#octets.add(value);
    }
  }

  #number(value: number): void {
    const into = this.#octets.room(9);
    const at = this.#octets.length;
    if (value === (value | 0)) {
      into[at] = tagSmall;
      this.#octets.length = into.writeInt32LE(value, at + 1);
      return;
    }
    into[at] = tagNumber;
    this.#octets.length = into.writeDoubleLE(value, at + 1);
  }

  /** Returns what the octets that follow are written into. */
  #head(tag: number, length: number): Buffer {
    const into = this.#octets.room(5 + length);
    into[this.#octets.length] = tag;
    this.#octets.length = into.writeUInt32LE(length, this.#octets.length + 1);
    return into;
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
