/**
 * The records of a file in columns: a million of them as objects would keep the garbage collector busy,
 * and what is stored of nearly all of them are their bytes as they came.
 */

import { ByteWriter } from '../../base/byte-writer.ts';
import { keyFromBytes, type NameKey } from '../../dns/name.ts';
import { fixedBytes, writeFixed } from '../../dns/packed.ts';
import { compareRecords } from '../../dns/record.ts';
import type { FileRecord } from '../../domain/command.ts';
import { compareKeys, type Keys, sortKeys } from './key-sort.ts';

const firstRecords = 4096;

/** One line of the table for each record. */
class Columns {
  /** Where its bytes stand: the key of its owner, then its RDATA. */
  readonly starts: Float64Array;
  readonly keyLengths: Uint16Array;
  readonly rdataLengths: Uint16Array;
  readonly types: Uint16Array;
  readonly ttls: Uint32Array;
  readonly lines: Uint32Array;

  constructor(records: number, before?: Columns) {
    this.starts = new Float64Array(records);
    this.keyLengths = new Uint16Array(records);
    this.rdataLengths = new Uint16Array(records);
    this.types = new Uint16Array(records);
    this.ttls = new Uint32Array(records);
    this.lines = new Uint32Array(records);
    if (before === undefined) return;
    this.starts.set(before.starts);
    this.keyLengths.set(before.keyLengths);
    this.rdataLengths.set(before.rdataLengths);
    this.types.set(before.types);
    this.ttls.set(before.ttls);
    this.lines.set(before.lines);
  }
}

export class FileTable {
  readonly #bytes: ByteWriter;
  #columns: Columns;
  #count = 0;
  /** Numbers of records in canonical order of their owners. */
  #order: Uint32Array | undefined;

  /** `records` and `bytes`: about what will come, where that is known. */
  constructor(records: number = firstRecords, bytes: number = 64 * 1024) {
    this.#bytes = new ByteWriter(bytes);
    this.#columns = new Columns(records);
  }

  get count(): number {
    return this.#count;
  }

  add({ owner, type, ttl, rdata, line }: FileRecord): void {
    const bytes = this.#bytes;
    const start = bytes.length;
    bytes.room(owner.length + rdata.length).latin1Write(owner, start);
    bytes.length = start + owner.length;
    bytes.addShort(rdata, 0, rdata.length);
    this.#addLine(start, owner.length, rdata.length, type, ttl, line);
  }

  /** The same for a record whose owner is the first bytes of `key`. */
  addBytes(
    key: Buffer,
    keyBytes: number,
    rdata: Buffer,
    type: number,
    ttl: number,
    line: number,
  ): void {
    const bytes = this.#bytes;
    const start = bytes.length;
    bytes.addShort(key, 0, keyBytes);
    bytes.addShort(rdata, 0, rdata.length);
    this.#addLine(start, keyBytes, rdata.length, type, ttl, line);
  }

  #addLine(
    start: number,
    keyBytes: number,
    rdataBytes: number,
    type: number,
    ttl: number,
    line: number,
  ): void {
    const number = this.#count++;
    if (number === this.#columns.starts.length)
      this.#columns = new Columns(2 * number, this.#columns);
    const columns = this.#columns;
    columns.starts[number] = start;
    columns.keyLengths[number] = keyBytes;
    columns.rdataLengths[number] = rdataBytes;
    columns.types[number] = type;
    columns.ttls[number] = ttl;
    columns.lines[number] = line;
  }

  /** Gives a TTL to the first records of the file. */
  setFirstTtls(count: number, ttl: number): void {
    this.#columns.ttls.fill(ttl, 0, count);
  }

  /** All records in their order in the file. */
  *records(): Generator<FileRecord> {
    for (let number = 0; number < this.#count; number++) yield this.#record(number);
  }

  #record(number: number): FileRecord {
    const { starts, keyLengths, rdataLengths, types, ttls, lines } = this.#columns;
    const start = starts[number]!;
    const keyEnd = start + keyLengths[number]!;
    const { buffer } = this.#bytes;
    return {
      owner: keyFromBytes(buffer.subarray(start, keyEnd)),
      type: types[number]!,
      ttl: ttls[number]!,
      rdata: buffer.subarray(keyEnd, keyEnd + rdataLengths[number]!),
      line: lines[number]!,
    };
  }

  /** Makes the places below: comes when all records are added. */
  sort(): void {
    if (this.#order !== undefined) return;
    this.#order = Uint32Array.from({ length: this.#count }, (_, number) => number);
    if (!this.#isSorted()) sortKeys(this.#keys(), this.#order);
  }

  #isSorted(): boolean {
    const keys = this.#keys();
    for (let number = 1; number < this.#count; number++) {
      if (compareKeys(keys, number - 1, number, 0) > 0) return false;
    }
    return true;
  }

  #keys(): Keys {
    const { starts, keyLengths } = this.#columns;
    return { bytes: this.#bytes.buffer, starts, lengths: keyLengths };
  }

  /** The owner at a place. */
  ownerAt(index: number): NameKey {
    return this.#record(this.#order![index]!).owner;
  }

  /** The first place whose owner is this one or comes after it. */
  indexOf(owner: NameKey): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ownerAt(middle) < owner) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The index after the last record with the owner of the one at `index`. */
  endOfOwner(index: number): number {
    const order = this.#order!;
    const keys = this.#keys();
    let end = index + 1;
    while (end < this.#count && compareKeys(keys, order[index]!, order[end]!, 0) === 0) end++;
    return end;
  }

  /** The records with an owner, in canonical order. */
  recordsOf(owner: NameKey): FileRecord[] {
    const index = this.indexOf(owner);
    const isThere = index < this.#count && this.ownerAt(index) === owner;
    return isThere ? this.recordsAt(index, this.endOfOwner(index)) : [];
  }

  /** The records at places of one owner in canonical order. */
  recordsAt(index: number, end: number): FileRecord[] {
    const records: FileRecord[] = [];
    for (let at = index; at < end; at++) records.push(this.#record(this.#order![at]!));
    return records.length === 1 ? records : records.sort(compareRecords);
  }

  /** Shows the record at a place without making an object of it. */
  show(index: number, into: PresentedRecord): void {
    this.showNumber(this.#order![index]!, into);
  }

  /** The same for one of them in their order in the file. */
  showNumber(number: number, into: PresentedRecord): void {
    const { starts, keyLengths, rdataLengths, types, ttls } = this.#columns;
    into.number = number;
    into.bytes = this.#bytes.buffer;
    into.keyStart = starts[number]!;
    into.keyEnd = into.keyStart + keyLengths[number]!;
    into.rdataEnd = into.keyEnd + rdataLengths[number]!;
    into.type = types[number]!;
    into.ttl = ttls[number]!;
  }
}

/** A record as bytes of a table: its RDATA stand behind the key of its owner. */
export class PresentedRecord {
  bytes: Buffer = Buffer.alloc(0);
  keyStart = 0;
  keyEnd = 0;
  rdataEnd = 0;
  /** Its place in the file. */
  number = 0;
  type = 0;
  ttl = 0;

  get rdataBytes(): number {
    return this.rdataEnd - this.keyEnd;
  }

  get owner(): NameKey {
    return keyFromBytes(this.bytes.subarray(this.keyStart, this.keyEnd));
  }

  get rdata(): Buffer {
    return this.bytes.subarray(this.keyEnd, this.rdataEnd);
  }
}

/** Bytes in a key that stand before an escaped one (dns/name.ts). */
const escapeByte = 1;

/** Bytes of the packed form (dns/packed.ts) of a record. */
export function packedBytesOf({ bytes, keyStart, keyEnd, rdataEnd }: PresentedRecord): number {
  let packed = rdataEnd - keyStart + fixedBytes;
  for (let at = keyStart; at < keyEnd; at++) {
    if (bytes[at] !== escapeByte) continue;
    packed--;
    at++;
  }
  return packed;
}

/**
 * Writes the packed form at `at`, where there is room; returns the byte after it. The same bytes as packRecord
 * makes of the object, without the object.
 */
export function packPresented(presented: PresentedRecord, into: Buffer, at: number): number {
  const { bytes, keyEnd, rdataEnd, type, ttl } = presented;
  const labelsEnd = writeLabels(presented, into, at);
  let next = writeFixed(type, ttl, rdataEnd - keyEnd, into, labelsEnd);
  for (let from = keyEnd; from < rdataEnd; from++) into[next++] = bytes[from]!;
  return next;
}

/** The labels of a key, which has them from the root down, each with a byte 0 behind it. */
function writeLabels(
  { bytes, keyStart, keyEnd }: PresentedRecord,
  into: Buffer,
  at: number,
): number {
  let next = at;
  let labelEnd = keyEnd - 1;
  while (labelEnd > keyStart) {
    let labelStart = labelEnd;
    while (labelStart > keyStart && bytes[labelStart - 1] !== 0) labelStart--;
    const lengthAt = next++;
    for (let from = labelStart; from < labelEnd; from++) {
      const byte = bytes[from]!;
      into[next++] = byte === escapeByte ? bytes[++from]! - 1 : byte;
    }
    into[lengthAt] = next - lengthAt - 1;
    labelEnd = labelStart - 1;
  }
  return next;
}
