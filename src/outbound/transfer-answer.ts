/**
 * The answer to an AXFR request (RFC 5936 2.2): messages in, the zone's records out.
 *
 * ```
 *   before the zone --SOA of the apex--> in the zone --the same SOA--> ended
 *                                         |      ^
 *                                         +------+ any other record
 * ```
 *
 * The zone may be cut into messages anywhere and of any size. Refused with a TransferError: RCODEs
 * other than NOERROR, another id, QR, opcode or question than those of our request, TC, bytes that
 * are no message, many messages without records, records outside the zone or of another class, a zone
 * that does not begin with its SOA, a closing SOA that differs from it, records after that, more
 * records or bytes than allowed, and signatures that do not hold. Like the RFC we take messages without a
 * question, and look neither at AA nor at the authority and additional sections.
 */
import { excerpt } from '../base/problem.ts';
import { WireError } from '../dns/error.ts';
import { type NameKey, printAbsoluteName, relativeTo } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { decodeHeader, opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import type { RequestSigner } from '../dns/wire/tsig-exchange.ts';
import { requestHeader } from './question.ts';
import { TransferError } from './transfer-connection.ts';

/** The SOA comes first and once; its repetition at the end is checked and not handed on. */
export type ZonePart =
  | { readonly kind: 'soa'; readonly rdata: Buffer; readonly ttl: number }
  | {
      readonly kind: 'records';
      readonly records: readonly ResourceRecord[];
      /** Of all records so far: their owners relative to the apex, and their RDATA uncompressed. */
      readonly bytes: number;
    };

export interface TransferRequest {
  readonly id: number;
  /** Absolute. */
  readonly apex: NameKey;
  /** Records taken at most, the SOA not counted. */
  readonly maxRecords: number;
  /** Bytes of their names and RDATA taken at most. */
  readonly maxBytes: number;
  readonly signer?: RequestSigner | undefined;
}

/** Bytes of an SOA's RDATA from the serial to the end. */
const soaTailBytes = 20;
/** A server may send some; NSD 4.6 sends them without end when a record has more than 16 KiB. */
const emptyMessagesInRow = 10;
const noSoa = 'sent a zone that does not begin with its SOA';

export class TransferAnswer {
  readonly #request: TransferRequest;
  #soa: Buffer | undefined;
  #ended = false;
  #recordCount = 0;
  #bytes = 0;
  #emptyInRow = 0;

  constructor(request: TransferRequest) {
    this.#request = request;
  }

  /** True once the closing SOA has come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What the next message adds to the zone. */
  take(bytes: Buffer): readonly ZonePart[] {
    this.#checkHeader(bytes);
    const message = decode(bytes);
    this.#checkQuestion(message);
    this.#checkEmptiness(message);
    const parts: ZonePart[] = [];
    const records: ResourceRecord[] = [];
    for (const record of message.answers) {
      const owner = this.#ownerOf(record);
      const { type, ttl, rdata } = record;
      if (this.#soa === undefined) {
        if (type !== rrtype.SOA || owner !== '') {
          throw new TransferError(noSoa);
        }
        this.#soa = rdata;
        parts.push({ kind: 'soa', rdata, ttl });
      } else if (this.#ended) {
        throw new TransferError('sent records after the closing SOA');
      } else if (type === rrtype.SOA) {
        this.#close(record, owner);
      } else {
        records.push({ owner, type, ttl, rdata });
        this.#bytes += owner.length + rdata.length;
      }
    }
    this.#recordCount += records.length;
    this.#checkSize();
    if (this.#ended) this.#trust(this.#request.signer?.finish());
    if (records.length > 0) parts.push({ kind: 'records', records, bytes: this.#bytes });
    return parts;
  }

  #checkSize(): void {
    const { maxRecords, maxBytes } = this.#request;
    if (this.#recordCount > maxRecords) {
      throw new TransferError(`sent more than ${maxRecords} records`);
    }
    if (this.#bytes > maxBytes) throw new TransferError(`sent more than ${maxBytes} bytes`);
  }

  #checkHeader(bytes: Buffer): void {
    const header = decodeHeader(bytes);
    if (header === undefined) throw new TransferError('sent a message shorter than a header');
    if (header.id !== this.#request.id) throw new TransferError('answered with another id');
    if (!header.response) throw new TransferError('sent a request instead of an answer');
    if (header.opcode !== opcode.QUERY) throw new TransferError('answered with another opcode');
    const distrust = this.#request.signer?.verify(bytes);
    if (header.rcode !== rcode.NOERROR) {
      // Servers that do not know the key can not sign, so their refusal is believed unsigned.
      const cause = distrust === undefined ? '' : `; ${distrust}`;
      const reason = `refused the transfer (${rcodeName(header.rcode)}${cause})`;
      throw new TransferError(reason, true);
    }
    this.#trust(distrust);
    if (header.truncated) throw new TransferError('sent a truncated message');
  }

  #trust(distrust: string | undefined): void {
    if (distrust !== undefined) throw new TransferError(`sent a bad signature: ${distrust}`);
  }

  #checkQuestion({ questions }: Message): void {
    for (const { name, type, class: questionClass } of questions) {
      const same = name === this.#request.apex && type === rrtype.AXFR;
      if (!same || questionClass !== recordClass.IN) {
        throw new TransferError('answered another question');
      }
    }
  }

  #checkEmptiness({ answers }: Message): void {
    if (answers.length > 0) this.#emptyInRow = 0;
    else if (this.#soa === undefined) throw new TransferError(noSoa);
    else if (++this.#emptyInRow > emptyMessagesInRow) {
      throw new TransferError(`sent more than ${emptyMessagesInRow} messages without records`);
    }
  }

  #ownerOf(record: WireRecord): NameKey {
    if (record.class !== recordClass.IN) {
      throw new TransferError(`sent ${title(record)} in class ${record.class}`);
    }
    const owner = relativeTo(record.name, this.#request.apex);
    if (owner === undefined) throw new TransferError(`sent ${title(record)} outside the zone`);
    return owner;
  }

  #close(record: WireRecord, owner: NameKey): void {
    if (owner !== '') throw new TransferError(`sent ${title(record)} inside the zone`);
    const first = serialOf(this.#soa!);
    const last = serialOf(record.rdata);
    if (first !== last) {
      throw new TransferError(`began with serial ${first} and ended with serial ${last}`);
    }
    if (!record.rdata.equals(this.#soa!)) {
      throw new TransferError('sent a closing SOA that differs from the first');
    }
    this.#ended = true;
  }
}

/** The request for a whole zone (RFC 5936 2.1). */
export function transferRequest(id: number, apex: NameKey): Buffer {
  const writer = new MessageWriter(requestHeader(id));
  writer.question({ name: apex, type: rrtype.AXFR, class: recordClass.IN });
  return writer.finish();
}

function decode(bytes: Buffer): Message {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new TransferError(`sent a malformed message: ${error.message}`);
  }
}

function title({ name, type }: WireRecord): string {
  return `the ${printType(type)} record of ${excerpt(printAbsoluteName(name))}`;
}

function serialOf(soa: Buffer): number {
  return soa.readUInt32BE(soa.length - soaTailBytes);
}
