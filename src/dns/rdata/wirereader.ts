/**
 * Reads RDATA inside a message (or RDATA alone) from left to right, for the fields of a type.
 *
 * Nothing is read past the end of the RDATA; every refusal, that of a broken name included, is an
 * RdataError that names type and field.
 */
import { limits } from '../../base/limits.ts';
import { type NameKey, nameToWire } from '../name.ts';
import { printType } from '../rrtype.ts';
import { WireError } from '../wire/error.ts';
import { type NameInMessage, readName } from '../wire/name.ts';
import { RdataError } from './error.ts';

export class WireReader {
  /** The type's mnemonic, which opens every message. */
  readonly mnemonic: string;
  /** How types that are named inside the RDATA are printed. */
  readonly typeText: (type: number) => string;
  private readonly message: Buffer;
  private readonly end: number;
  private at: number;

  constructor(
    mnemonic: string,
    message: Buffer,
    start = 0,
    length = message.length - start,
    typeText = printType,
  ) {
    if (start < 0 || length < 0 || start + length > message.length) {
      throw new RdataError(`${mnemonic} RDATA end outside the message`);
    }
    this.mnemonic = mnemonic;
    this.typeText = typeText;
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

  /** The next `octets` octets as a view. */
  bytes(octets: number, label: string): Buffer {
    const start = this.advance(octets, label);
    return this.message.subarray(start, start + octets);
  }

  /** Everything up to the end of the RDATA as a view. */
  rest(): Buffer {
    const start = this.at;
    this.at = this.end;
    return this.message.subarray(start, this.end);
  }

  /** A name that may be compressed; `plain` refuses a compressed one. */
  name(label: string, plain = false): NameKey {
    const { name, next } = this.readNameHere(label);
    if (next > this.end) throw this.tooShort(label);
    // A pointer has two octets, and no name that it stands for has just two.
    if (plain && next - this.at !== nameToWire(name).length) {
      throw new RdataError(`${this.mnemonic} ${label} must not be compressed`);
    }
    this.at = next;
    return name;
  }

  private readNameHere(label: string): NameInMessage {
    try {
      return readName(this.message, this.at);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new RdataError(`${this.mnemonic} ${label}: ${error.message}`);
    }
  }

  /**
   * Text of a name whose wire form is canonical already: RDATA that this program made. Faster than
   * going by way of a key.
   */
  canonicalLabels(): string[] {
    const labels: string[] = [];
    for (;;) {
      if (this.at >= this.end) throw this.tooShort('name');
      const length = this.message[this.at++]!;
      if (length === 0) return labels;
      if (length > limits.labelOctets || this.at + length >= this.end) throw this.tooShort('name');
      labels.push(this.message.toString('latin1', this.at, this.at + length));
      this.at += length;
    }
  }

  tooShort(label: string): RdataError {
    return new RdataError(`${this.mnemonic} RDATA end inside ${label}`);
  }

  refuse(label: string, rule: string): RdataError {
    return new RdataError(`${this.mnemonic} ${label} ${rule}`);
  }

  /** Refuses octets that no field has taken. */
  finish(): void {
    if (this.at < this.end) {
      throw new RdataError(`${this.mnemonic} RDATA have ${this.remaining} octets too many`);
    }
  }

  private advance(octets: number, label: string): number {
    if (octets > this.end - this.at) throw this.tooShort(label);
    const start = this.at;
    this.at += octets;
    return start;
  }
}
