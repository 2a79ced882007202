/**
 * Reads the records of a bulk insert from the bytes they were written as into a table. Addresses at
 * single labels, which most of very many records are, are read without an object or a string.
 *
 * Refused as one command refuses them (domain/decide-records.ts), with the number of the first that is wrong.
 */
import { readEach } from '../../base/item-errors.ts';
import { limits } from '../../base/limits.ts';
import { inputOf, type ScannedRecord, scannedRecords } from '../../contract/scanned-bulk.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { unescapedCharacters } from '../../dns/text-bytes.ts';
import {
  type NewRecordTarget,
  parseInput,
  readNewRecords,
  placed,
} from '../../domain/decide-records.ts';
import type { RecordInput } from '../../domain/record.ts';
import { FileTable } from './file-table.ts';

const zero = 0x30;
const dot = 0x2e;
const letterA = 0x41;

/** Bytes of labels as keys have them, by the characters they are written as; 0 for all others. */
const labelBytes = new Uint8Array(256);
for (const character of unescapedCharacters) {
  labelBytes[character.charCodeAt(0)] = character.charCodeAt(0);
  labelBytes[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0);
}

/** Takes records that were parsed, too. */
export function readInputs(inputs: readonly RecordInput[], target: NewRecordTarget): FileTable {
  const table = new FileTable(inputs.length);
  readNewRecords({ records: inputs, isList: true }, target, (record, line) =>
    table.add({ ...record, line }),
  );
  return table;
}

/** `target`: the zone as it is, and what the maker of the records may do. */
export function readRecords(bytes: Buffer, count: number, target: NewRecordTarget): FileTable {
  const { zone, apex, rights } = target;
  const mayAny = rights.whole('record:create', zone.id);
  // Of a written record a third or so are its name and its value.
  const table = new FileTable(count, bytes.length >>> 1);
  // A single label could be the zone's own name when that is a single one too.
  const hasRoomForLabel = apex.indexOf('\0') < apex.length - 1;
  const maxLabel = Math.min(limits.labelBytes, limits.nameBytes - apex.length - 2);
  const key = Buffer.alloc(limits.labelBytes + 1);
  const address = Buffer.alloc(4);

  function isSimple({ nameStart, nameEnd, typeStart, typeEnd, ...rest }: ScannedRecord): boolean {
    const length = nameEnd - nameStart;
    if (bytes[typeStart] !== letterA || typeEnd !== typeStart + 1 || rest.priority >= 0) {
      return false;
    }
    if (!mayAny || !hasRoomForLabel || length === 0 || length > maxLabel) return false;
    for (let index = 0; index < length; index++) {
      const byte = labelBytes[bytes[nameStart + index]!]!;
      if (byte === 0) return false;
      key[index] = byte;
    }
    key[length] = 0;
    return readAddress(bytes, rest.valueStart, rest.valueEnd, address);
  }

  function add(record: ScannedRecord, index: number): void {
    if (isSimple(record)) {
      const ttl = record.ttl < 0 ? zone.defaultTtl : record.ttl;
      const keyBytes = record.nameEnd - record.nameStart + 1;
      table.addBytes(key, keyBytes, address, rrtype.A, ttl, index);
      return;
    }
    const input = inputOf(bytes, record);
    table.add({ ...placed(index, () => parseInput(input, target)), line: index });
  }

  readEach(scannedRecords(bytes), add);
  return table;
}

/** Reads an address in its ordinary form; false for every other. */
function readAddress(bytes: Buffer, start: number, end: number, into: Buffer): boolean {
  let at = start;
  for (let index = 0; index < 4; index++) {
    if (index > 0 && bytes[at++] !== dot) return false;
    const first = at;
    let number = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - zero;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    const digits = at - first;
    if (digits === 0 || digits > 3 || number > 255) return false;
    if (digits > 1 && bytes[first] === zero) return false;
    into[index] = number;
  }
  return at === end;
}
