/**
 * Messages to bytes, with name compression (RFC 1035 4.1.4, RFC 3597 4).
 *
 * MessageWriter takes the parts of a message in their order and keeps within a limit: what does not
 * fit is not written at all, so no RRset is ever cut in two (RFC 2181 9). Owner names and the names
 * in RDATA of the types of RFC 1035 are compressed; pointers reach 16383 bytes and no further, and
 * a name leads over 8 of them at most.
 * Misuse, such as sections out of order, is a bug and asserted.
 */
import { limits } from '../../base/limits.ts';
import { assert } from '../../base/problem.ts';
import { emptyName, lastLabelStart, type NameKey, nameBytes, writeLabel } from '../name.ts';
import { compressibleNames } from '../rdata/rdata.ts';
import { optBytes, writeOpt } from './edns.ts';
import { type HeaderFields, headerFlags, headerBytes, readUint16, recordClass } from './header.ts';
import type { Edns, Question, WireRecord } from './message.ts';
import { readName } from './name.ts';
import type { MessageSigner } from './tsig-sign.ts';

/** A section that holds records. */
export type Section = 'answer' | 'authority' | 'additional';

/** Where the header counts each section. */
const countOffset = { answer: 6, authority: 8, additional: 10 } as const;
const additionalCountOffset = countOffset.additional;

/** Bytes of a record besides its owner and RDATA: type, class, TTL, length. */
const recordHeadBytes = 10;
/** A pointer has 14 bits for its offset. */
const maxPointer = 0x3fff;
/** Pointers that a name leads over at most: widespread readers give up after 16 (BIND, dnspython). */
const pointersPerName = 8;
/** Room for most answers over UDP, so that they are written without growing. */
const firstBytes = 1536;
const truncatedFlag = 0x0200;

export class MessageWriter {
  private buffer: Buffer;
  private at = headerBytes;
  private readonly limitBytes: number;
  private reservedBytes = 0;
  private rcode: number;
  private ednsOfAnswer: Edns | undefined;
  private lastCountOffset: number = 4;
  /** The name of an echoed question, until its offset is recorded. */
  private echoed: NameKey = emptyName;
  /** Where each name and each of its ancestors first stands. */
  private readonly offsetOf = new Map<NameKey, number>();
  /** The keys of offsetOf in the order they came, so that a record can be taken back. */
  private readonly rawNames: NameKey[] = [];

  /** `usualBytes`: room to begin with. */
  constructor(
    header: HeaderFields,
    limitBytes: number = limits.messageBytes,
    usualBytes: number = firstBytes,
  ) {
    assert(limitBytes <= limits.messageBytes, 'a message has a 16 bit length');
    this.limitBytes = limitBytes;
    this.rcode = header.rcode;
    this.buffer = Buffer.allocUnsafe(Math.min(limitBytes, usualBytes));
    this.buffer.fill(0, 0, headerBytes);
    this.buffer.writeUInt16BE(header.id, 0);
    this.buffer.writeUInt16BE(headerFlags(header), 2);
  }

  /** Bytes that records may still take. */
  get freeBytes(): number {
    return this.limitBytes - this.reservedBytes - this.at;
  }

  question(question: Question): void {
    assert(this.lastCountOffset === 4, 'questions come before records');
    this.makeRoom(limits.nameBytes + 4);
    this.writeName(question.name);
    this.at = this.buffer.writeUInt16BE(question.type, this.at);
    this.at = this.buffer.writeUInt16BE(question.class, this.at);
    this.count(4, 1);
  }

  /** The question as its sender wrote it, capitals included; `raw` are the bytes of `question`. */
  questionBytes(raw: Buffer, question: Question): void {
    assert(this.at === headerBytes, 'an echoed question is the first');
    assert(raw.length === nameBytes(question.name) + 4, 'the bytes are those of the question');
    this.makeRoom(raw.length);
    raw.copy(this.buffer, headerBytes);
    this.echoed = question.name;
    this.at += raw.length;
    this.count(4, 1);
  }

  /** Notes where an echoed question's name and its ancestors stand; many answers hold nothing but it. */
  private rememberEchoed(): void {
    let suffix = this.echoed;
    this.echoed = emptyName;
    for (let at = headerBytes; suffix !== emptyName; at += this.buffer[at]! + 1) {
      this.remember(suffix, at);
      suffix = suffix.slice(0, lastLabelStart(suffix)) as NameKey;
    }
  }

  /** Writes the record and gives true, or writes nothing and gives false when it does not fit. */
  record(section: Section, record: WireRecord): boolean {
    this.enter(section);
    const start = this.at;
    const names = this.rawNames.length;
    this.writeRecord(record.name, record.type, record.class, record.ttl, record.rdata);
    return this.keepOrTakeBack(section, start, names, 1);
  }

  /** The records of one RRset of class IN: all of them, or none and false. */
  rrset(
    section: Section,
    name: NameKey,
    type: number,
    ttl: number,
    rdatas: readonly Buffer[],
  ): boolean {
    this.enter(section);
    const start = this.at;
    const names = this.rawNames.length;
    let encoded = 0;
    for (const rdata of rdatas) {
      this.writeRecord(name, type, recordClass.IN, ttl, rdata);
      encoded++;
      // The rest of a very large RRset is not tried once some of it went over.
      if (this.freeBytes < 0) break;
    }
    return this.keepOrTakeBack(section, start, names, encoded);
  }

  /**
   * `count` records in packed form (see record.ts), which point at byte 12: the question has to be
   * their apex. True when they were written, false when they do not fit.
   */
  packedRecords(section: Section, packed: Buffer, count: number): boolean {
    this.enter(section);
    assert(this.at > headerBytes, 'packed records point at a question');
    if (packed.length > this.freeBytes) return false;
    this.makeRoom(packed.length);
    packed.copy(this.buffer, this.at);
    this.at += packed.length;
    this.count(countOffset[section], count);
    return true;
  }

  /** Keeps bytes free for a TSIG, which comes with or after `finish`. */
  reserve(bytes: number): void {
    assert(bytes <= this.freeBytes, 'there is room to reserve');
    this.reservedBytes += bytes;
  }

  setTruncated(): void {
    this.buffer.writeUInt16BE(readUint16(this.buffer, 2) | truncatedFlag, 2);
  }

  /** Codes above 15 need EDNS. */
  setRcode(rcode: number): void {
    this.rcode = rcode;
  }

  /** Adds the OPT record, or replaces it; its room is kept from now on, so it comes first. */
  edns(edns: Edns): void {
    const before = this.ednsOfAnswer === undefined ? 0 : optBytes(this.ednsOfAnswer);
    this.reservedBytes += optBytes(edns) - before;
    assert(this.freeBytes >= 0, 'there is room for the OPT record');
    this.ednsOfAnswer = edns;
  }

  /** The message; its OPT record is the last of the additional section, but for the TSIG of a signer. */
  finish(signer?: MessageSigner): Buffer {
    assert(this.ednsOfAnswer !== undefined || this.rcode <= 15, 'rcodes above 15 need EDNS');
    if (this.ednsOfAnswer !== undefined) {
      this.makeRoom(optBytes(this.ednsOfAnswer));
      this.at = writeOpt(this.ednsOfAnswer, this.rcode, this.buffer, this.at);
      this.count(additionalCountOffset, 1);
    }
    this.buffer[3] = (this.buffer[3]! & 0xf0) | (this.rcode & 15);
    if (signer !== undefined) {
      this.makeRoom(signer.bytes);
      this.at = signer.sign(this.buffer, this.at);
    }
    return this.buffer.subarray(0, this.at);
  }

  private enter(section: Section): void {
    this.rememberEchoed();
    const offset = countOffset[section];
    assert(offset >= this.lastCountOffset, 'sections are written in their order');
    this.lastCountOffset = offset;
  }

  private count(offset: number, added: number): void {
    const count = readUint16(this.buffer, offset) + added;
    this.buffer[offset] = count >> 8;
    this.buffer[offset + 1] = count;
  }

  private keepOrTakeBack(section: Section, start: number, names: number, count: number): boolean {
    if (this.freeBytes >= 0) {
      this.count(countOffset[section], count);
      return true;
    }
    this.at = start;
    while (this.rawNames.length > names) this.offsetOf.delete(this.rawNames.pop()!);
    return false;
  }

  private writeRecord(
    name: NameKey,
    type: number,
    recordsClass: number,
    ttl: number,
    rdata: Buffer,
  ): void {
    // Compression never makes a name longer, so this is enough.
    this.makeRoom(limits.nameBytes + recordHeadBytes + rdata.length);
    this.writeName(name);
    const { buffer } = this;
    let at = this.at;
    buffer[at++] = type >> 8;
    buffer[at++] = type;
    buffer[at++] = recordsClass >> 8;
    buffer[at++] = recordsClass;
    buffer[at++] = ttl >>> 24;
    buffer[at++] = ttl >>> 16;
    buffer[at++] = ttl >>> 8;
    buffer[at++] = ttl;
    this.at = at + 2;
    const compressible =
      recordsClass === recordClass.IN && rdata.length > 0 ? compressibleNames(type, rdata) : [];
    let copied = 0;
    for (const offset of compressible) {
      this.copy(rdata, copied, offset);
      const { name: target, next } = readName(rdata, offset);
      this.writeName(target);
      copied = next;
    }
    this.copy(rdata, copied, rdata.length);
    const length = this.at - at - 2;
    buffer[at] = length >> 8;
    buffer[at + 1] = length;
  }

  private copy(from: Buffer, start: number, end: number): void {
    if (end - start <= shortCopyBytes) {
      const { buffer } = this;
      let { at } = this;
      for (let position = start; position < end; position++) buffer[at++] = from[position]!;
      this.at = at;
    } else {
      this.at += from.copy(this.buffer, this.at, start, end);
    }
  }

  /** Writes labels until the rest of the name already stands somewhere, then a pointer to it. */
  private writeName(name: NameKey): void {
    const { buffer } = this;
    let suffix: string = name;
    while (suffix !== '') {
      const offset = this.offsetOf.get(suffix as NameKey);
      if (offset !== undefined && this.pointersFrom(offset) < pointersPerName) {
        buffer[this.at++] = 0xc0 | (offset >> 8);
        buffer[this.at++] = offset;
        return;
      }
      this.remember(suffix as NameKey, this.at);
      const start = lastLabelStart(suffix);
      this.at = writeLabel(suffix, start, suffix.length, buffer, this.at);
      suffix = suffix.slice(0, start);
    }
    buffer[this.at++] = 0;
  }

  /** How many pointers stand between the byte at `offset`, where a name is, and the name's end. */
  private pointersFrom(offset: number): number {
    let pointers = 0;
    let at = offset;
    for (let head = this.buffer[at]!; head !== 0; head = this.buffer[at]!) {
      if (head < 0xc0) {
        at += 1 + head;
      } else {
        at = readUint16(this.buffer, at) & maxPointer;
        pointers++;
      }
    }
    return pointers;
  }

  private remember(name: NameKey, offset: number): void {
    if (offset > maxPointer) return;
    this.offsetOf.set(name, offset);
    this.rawNames.push(name);
  }

  /** Lets the buffer grow to hold `bytes` more; records that break the limit are taken back. */
  private makeRoom(bytes: number): void {
    const needed = this.at + bytes;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 4));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
  }
}

/** Up to here a loop is faster than a call into the runtime. */
const shortCopyBytes = 32;
