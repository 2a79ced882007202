/**
 * Reads RDATA inside a message (or RDATA alone) from left to right, for the fields of a type.
 *
 * Nothing is read past the end of the RDATA; every refusal, that of a broken name included, is an
 * RdataError that names type and field.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { RdataError, WireError } from '../error.ts';
import { keyFromWire, nameToWire, portableName, printAbsoluteName } from '../name.ts';
import { printType } from '../rrtype.ts';
import { writeLabels } from '../text-bytes.ts';
import { type NameInMessage, readName } from '../wire/name.ts';

/** How RDATA are written where there is more than one way. */
export interface TextStyle {
  /** Types that are named inside RDATA. */
  typeText(type: number): string;
  /** True for what other servers are to read: numbers without names, escapes for all that one wants escaped. */
  readonly isPortable: boolean;
}

/** As answers have them. */
const ownStyle: TextStyle = { typeText: printType, isPortable: false };

/** Where the text of a name is put together. */
const nameText = new ByteWriter(1024);

export class WireReader {
  /** The type's mnemonic, which opens every message. */
  readonly mnemonic: string;
  readonly style: TextStyle;
  private readonly message: Buffer;
  private readonly end: number;
  private at: number;

  constructor(
    mnemonic: string,
    message: Buffer,
    start = 0,
    length = message.length - start,
    style = ownStyle,
  ) {
    if (start < 0 || length < 0 || start + length > message.length) {
      throw new RdataError(`${mnemonic} RDATA end outside the message`);
    }
    this.mnemonic = mnemonic;
    this.style = style;
    this.message = message;
    this.at = start;
    this.end = start + length;
  }

  get remaining(): number {
    return this.end - this.at;
  }

  u8(label: string): number {
    return this.message[this.advance(1, label)]!;
  }

  u16(label: string): number {
    return this.message.readUInt16BE(this.advance(2, label));
  }

  u32(label: string): number {
    return this.message.readUInt32BE(this.advance(4, label));
  }

  /** The next `count` bytes as a view. */
  bytes(count: number, label: string): Buffer {
    const start = this.advance(count, label);
    return this.message.subarray(start, start + count);
  }

  /** Copies the next `count` bytes behind what `out` holds. */
  copy(count: number, label: string, out: ByteWriter): void {
    const start = this.advance(count, label);
    out.addShort(this.message, start, start + count);
  }

  /** Everything up to the end of the RDATA as a view. */
  rest(): Buffer {
    const start = this.at;
    this.at = this.end;
    return this.message.subarray(start, this.end);
  }

  /** Writes the wire form of a name that may be compressed; `isUncompressed` refuses a compressed one. */
  name(label: string, isUncompressed: boolean, out: ByteWriter): void {
    const { name, next } = this.readNameHere(label);
    if (next > this.end) throw this.tooShort(label);
    const wire = nameToWire(name);
    // A pointer has two bytes, and no name that it stands for has just two.
    if (isUncompressed && next - this.at !== wire.length) {
      throw this.refuse(label, 'must not be compressed');
    }
    this.at = next;
    out.add(wire);
  }

  private readNameHere(label: string): NameInMessage {
    try {
      return readName(this.message, this.at);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new RdataError(`${this.mnemonic} ${label}: ${error.message}`);
    }
  }

  /** Text of a name whose wire form is canonical already: RDATA that this program made. */
  nameText(label: string): string {
    const start = this.at;
    for (;;) {
      const length = this.u8(label);
      if (length === 0) break;
      this.advance(length, label);
    }
    nameText.length = 0;
    const text = writeLabels(this.message, start, this.at - 1, nameText)
      ? `${nameText.buffer.latin1Slice(0, nameText.length)}.`
      : printAbsoluteName(keyFromWire(this.message, start));
    return this.style.isPortable ? portableName(text) : text;
  }

  tooShort(label: string): RdataError {
    return new RdataError(`${this.mnemonic} RDATA end inside ${label}`);
  }

  refuse(label: string, rule: string): RdataError {
    return new RdataError(`${this.mnemonic} ${label} ${rule}`);
  }

  /** Refuses bytes that no field has taken. */
  finish(): void {
    if (this.at < this.end) {
      throw new RdataError(`${this.mnemonic} RDATA have ${this.remaining} bytes too many`);
    }
  }

  private advance(count: number, label: string): number {
    if (count > this.end - this.at) throw this.tooShort(label);
    const start = this.at;
    this.at += count;
    return start;
  }
}
