/**
 * Bytes to messages (RFC 1035 4.1, RFC 6891 6.1.1, RFC 8945 5.1, RFC 2136 2.4 and 2.5).
 *
 * Refused with a WireError, which listeners answer with FORMERR: counts that claim more or less than
 * there is, broken names and RDATA, requests without exactly one question (RFC 9619), a second OPT
 * or TSIG or one in the wrong place. The work is bounded by the bytes received: nothing is
 * allocated by a count, and a name costs at most as many steps as it may have labels.
 */
import { limits } from '../../base/limits.ts';
import { RdataError, WireError } from '../error.ts';
import { nameBytes } from '../name.ts';
import { readRdata } from '../rdata/rdata.ts';
import { rrtype } from '../rrtype.ts';
import { decodeOpt } from './edns.ts';
import {
  decodeHeader,
  type Header,
  type HeaderFields,
  headerBytes,
  opcode,
  readUint16,
  recordClass,
} from './header.ts';
import type { Edns, Message, Question, ReceivedTsig, WireRecord } from './message.ts';
import { readName } from './name.ts';

/** Bytes after a question's name, and after a record's owner up to its RDATA. */
const questionTailBytes = 4;
const recordHeadBytes = 10;
/** The shortest question and record have the root as name. */
const minQuestionBytes = 1 + questionTailBytes;
const minRecordBytes = 1 + recordHeadBytes;

/** Everything a message says. */
export function decodeMessage(bytes: Buffer): Message {
  return readMessage(bytes, false);
}

/**
 * What a message says besides RDATA, which are left empty: the error response to a signed request with
 * malformed RDATA has to be signed (RFC 8945 5.3).
 */
export function decodeWithoutRdata(bytes: Buffer): Message {
  return readMessage(bytes, true);
}

function readMessage(bytes: Buffer, withoutRdata: boolean): Message {
  const header = headerOf(bytes);
  const reader = new MessageReader(bytes, header.opcode, withoutRdata);
  const questions = reader.questions(header.questionCount);
  const questionBytes = bytes.subarray(headerBytes, reader.firstQuestionEnd);
  const answers = reader.records(header.answerCount, false);
  const authorities = reader.records(header.authorityCount, false);
  const additionals = reader.records(header.additionalCount, true);
  if (reader.at < bytes.length) throw new WireError('bytes follow the last record');
  const { edns, tsig } = reader;
  return {
    ...fieldsOf(header, reader.extendedRcode),
    questions,
    questionBytes,
    answers,
    authorities,
    additionals,
    edns,
    tsig,
  };
}

/** The header, after the checks that need nothing but its counts. */
function headerOf(bytes: Buffer): Header {
  const header = decodeHeader(bytes);
  if (header === undefined) throw new WireError('the message is shorter than a header');
  if (bytes.length > limits.messageBytes) {
    throw new WireError(`the message has more than ${limits.messageBytes} bytes`);
  }
  const recordCount = header.answerCount + header.authorityCount + header.additionalCount;
  const minBytes =
    headerBytes + header.questionCount * minQuestionBytes + recordCount * minRecordBytes;
  if (minBytes > bytes.length) throw new WireError('the counts claim more than there is');
  if (!mayHaveQuestions(header)) {
    throw new WireError(`the message has ${header.questionCount} questions instead of one`);
  }
  return header;
}

/**
 * Requests that we know have one question, or one zone (RFC 9619, RFC 1996 3.7, RFC 2136 2.3); the
 * later messages of a transfer have none (RFC 5936 2.2), nor has a query that asks for a cookie in its OPT record
 * alone (RFC 7873 5.4). Unknown opcodes are not ours to judge.
 */
function mayHaveQuestions(header: Header): boolean {
  const code = header.opcode;
  if (code !== opcode.QUERY && code !== opcode.NOTIFY && code !== opcode.UPDATE) return true;
  if (header.questionCount !== 0 || header.response) {
    return header.questionCount <= 1;
  }
  const { answerCount, authorityCount, additionalCount } = header;
  return code === opcode.QUERY && answerCount + authorityCount === 0 && additionalCount === 1;
}

function fieldsOf(header: Header, extendedRcode: number): HeaderFields {
  return {
    id: header.id,
    opcode: header.opcode,
    rcode: header.rcode | (extendedRcode << 4),
    response: header.response,
    authoritative: header.authoritative,
    truncated: header.truncated,
    recursionDesired: header.recursionDesired,
    recursionAvailable: header.recursionAvailable,
    authenticData: header.authenticData,
    checkingDisabled: header.checkingDisabled,
  };
}

/** Walks over a message once, from the first question to the last record. */
class MessageReader {
  at = headerBytes;
  firstQuestionEnd = headerBytes;
  edns: Edns | undefined;
  tsig: ReceivedTsig | undefined;
  /** The eight high bits of the rcode, which an OPT record carries. */
  extendedRcode = 0;
  private readonly bytes: Buffer;
  private readonly isUpdate: boolean;
  private readonly withoutRdata: boolean;

  constructor(bytes: Buffer, code: number, withoutRdata: boolean) {
    this.bytes = bytes;
    this.withoutRdata = withoutRdata;
    this.isUpdate = code === opcode.UPDATE;
  }

  questions(count: number): Question[] {
    // Nearly all messages have one.
    if (count === 1) return [this.question()];
    const questions: Question[] = [];
    for (let index = 0; index < count; index++) questions.push(this.question());
    return questions;
  }

  private question(): Question {
    const start = this.at;
    const { name, next } = readName(this.bytes, start);
    // Nothing but the header is before the first name: a pointer in it leads to no name, and the
    // answer could not echo it.
    if (start === headerBytes && next - start !== nameBytes(name)) {
      throw new WireError('the first question has a compressed name');
    }
    this.need(next, questionTailBytes);
    this.at = next + questionTailBytes;
    if (start === headerBytes) this.firstQuestionEnd = this.at;
    return {
      name,
      type: readUint16(this.bytes, next),
      class: readUint16(this.bytes, next + 2),
    };
  }

  records(count: number, areAdditional: boolean): readonly WireRecord[] {
    if (count === 0) return noRecords;
    const records: WireRecord[] = [];
    for (let index = 0; index < count; index++) {
      const record = this.record(areAdditional);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** The next record, or undefined when it was OPT or TSIG and is kept apart. */
  private record(isAdditional: boolean): WireRecord | undefined {
    if (this.tsig !== undefined) throw new WireError('a record follows the TSIG record');
    const { bytes } = this;
    const offset = this.at;
    const { name, next } = readName(bytes, offset);
    this.need(next, recordHeadBytes);
    const type = readUint16(bytes, next);
    const recordsClass = readUint16(bytes, next + 2);
    const ttl = bytes.readUInt32BE(next + 4);
    const length = readUint16(bytes, next + 8);
    const start = next + recordHeadBytes;
    this.need(start, length);
    this.at = start + length;
    if (type === rrtype.OPT) {
      if (!isAdditional) throw new WireError('an OPT record is outside the additional section');
      if (this.edns !== undefined) throw new WireError('there are two OPT records');
      if (bytes[offset] !== 0) throw new WireError('an OPT record has an owner');
      this.edns = decodeOpt(recordsClass, ttl, bytes.subarray(start, start + length));
      this.extendedRcode = ttl >>> 24;
      return undefined;
    }
    if (type === rrtype.TSIG) {
      if (!isAdditional) throw new WireError('a TSIG record is outside the additional section');
      if (recordsClass !== recordClass.ANY || ttl !== 0) {
        throw new WireError('a TSIG record is not of class ANY and TTL 0');
      }
      const rdata = bytes.subarray(start, start + length);
      this.tsig = { name, type, class: recordsClass, ttl, rdata, offset };
      return undefined;
    }
    return {
      name,
      type,
      class: recordsClass,
      // A TTL with its highest bit set means 0 (RFC 2181 8).
      ttl: ttl > limits.ttl ? 0 : ttl,
      rdata: this.rdata(type, recordsClass, start, length),
    };
  }

  private rdata(type: number, recordsClass: number, start: number, length: number): Buffer {
    if (this.withoutRdata) return noRdata;
    if (this.isUpdate && length === 0) {
      // Deletions and prerequisites name what they mean without data.
      if (recordsClass === recordClass.ANY || recordsClass === recordClass.NONE) return noRdata;
    }
    if (this.isUpdate && recordsClass === recordClass.ANY) {
      throw new WireError('an update has a record of class ANY with data');
    }
    if (recordsClass !== recordClass.IN && recordsClass !== recordClass.NONE) {
      // The other classes have formats of their own, and are refused by whoever looks at them.
      return Buffer.from(this.bytes.subarray(start, start + length));
    }
    try {
      return readRdata(type, this.bytes, start, length);
    } catch (error) {
      if (error instanceof RdataError) throw new WireError(error.message);
      throw error;
    }
  }

  private need(start: number, bytes: number): void {
    if (start + bytes > this.bytes.length) {
      throw new WireError('a question or record ends outside the message');
    }
  }
}

const noRdata = Buffer.alloc(0);
const noRecords: readonly WireRecord[] = [];
