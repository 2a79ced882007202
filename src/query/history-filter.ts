/** What a history is asked for, by whom: as bytes that steps are searched for, and as a test of their records. */
import { labelsToWire, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { identityBytes } from '../journal/identity.ts';
import { OwnerScan } from '../dns/packed.ts';
import { RecordCursor } from './record-cursor.ts';
import type { ReadablePart } from './record-scope.ts';

export interface HistoryFilter {
  /** Relative to the apex. */
  readonly name?: NameKey | undefined;
  readonly type?: number | undefined;
  readonly recordId?: number | undefined;
}

/** What closes the owner of a packed record, and its class (dns/record.ts). */
const pointerToApex = Buffer.from([0xc0, 0x0c]);
const classIn = Buffer.from([0, 1]);

interface PackedPart {
  readonly records: Buffer;
  readonly ids: Buffer;
}

/** A part as it is read: DNSSEC records have no identities. */
interface StoredPart extends Pick<PackedPart, 'records'> {
  readonly ids: Buffer | null;
}

const noIds = Buffer.alloc(0);

export class HistoryTest {
  readonly #filter: HistoryFilter;
  readonly #readable: ReadablePart;
  readonly #cursor = new RecordCursor();

  /** `readable`: what the caller may read of the zone. */
  constructor(filter: HistoryFilter, readable: ReadablePart) {
    this.#filter = filter;
    this.#readable = readable;
  }

  get passesAll(): boolean {
    const { name, type, recordId } = this.#filter;
    return (
      this.#readable.isAll && name === undefined && type === undefined && recordId === undefined
    );
  }

  /** True when `bytes` are to be found among identities, not among packed records. */
  get wantsId(): boolean {
    return this.#filter.recordId !== undefined;
  }

  /** Bytes that every part has in which a record passes; other parts may have them by chance. */
  get bytes(): Buffer {
    const { name, type, recordId } = this.#filter;
    if (recordId !== undefined) return number32(recordId);
    const labels = name === undefined ? [] : [labelsToWire(name)];
    const end = type === undefined ? [] : [number32(type).subarray(2), classIn];
    return Buffer.concat([...labels, pointerToApex, ...end]);
  }

  /** The records of a part that pass. Their RDATA are views into it. */
  *matching({ records, ids }: StoredPart): Generator<ZoneRecord> {
    const { type, recordId } = this.#filter;
    const cursor = this.#cursor.openBlock(this.#ofOwner({ records, ids: ids ?? noIds }));
    while (cursor.next()) {
      if (recordId !== undefined && cursor.id !== recordId) continue;
      if (type !== undefined && cursor.type !== type) continue;
      if (!this.#readable.isAll && !this.#readable.has(cursor.owner, cursor.type)) continue;
      yield cursor.zoneRecord();
    }
  }

  /** What a part, which is in canonical order, holds of the owner that is asked for. */
  #ofOwner(part: PackedPart): PackedPart {
    const { name } = this.#filter;
    if (name === undefined) return part;
    const scan = new OwnerScan(part.records);
    const start = scan.pass(name);
    return {
      records: part.records.subarray(start.at, scan.at),
      ids: part.ids.subarray(start.count * identityBytes, scan.count * identityBytes),
    };
  }
}

function number32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
