/**
 * The records of a zone at an earlier serial as the JSON text of an answer, commas between them. It is made
 * where they are read: their text as bytes goes to another thread without a copy, while records as
 * objects would take longer on that way than to be read.
 */
import { ByteWriter } from '../base/byte-writer.ts';
import { quoted, versionDataText, versionRecordText } from '../contract/record-json.ts';
import { isWithin, labelsToWire, type NameKey, printOwner } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { writeIpv4, writeLabels } from '../dns/text-bytes.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { RecordCursor } from './record-cursor.ts';
import type { JoinedBlockQuery } from '../projection/block-row.ts';
import { type VersionSink, walkThen } from './version-records.ts';
import type { TouchedRange } from './version-undo.ts';

/** Bytes of text handed on at a time, about. */
const pieceBytes = 128 * 1024;

export function* textThen(
  blocks: JoinedBlockQuery,
  zone: Zone,
  ranges: Iterable<TouchedRange>,
): Generator<Uint8Array> {
  const text = new VersionText(apexOf(zone));
  for (const touched of ranges) {
    for (const _ of walkThen(blocks, zone.id, touched, 'user', text)) {
      if (text.length >= pieceBytes) yield text.take();
    }
  }
  if (text.length > 0) yield text.take();
}

const start = Buffer.from('{"name":"');
const addressStart = Buffer.from('","type":"A","value":"');
const quote = Buffer.from('"');
const comma = Buffer.from(',');

class VersionText implements VersionSink {
  readonly #apex: NameKey;
  readonly #apexLabels: Buffer;
  readonly #text = new ByteWriter(2 * pieceBytes);
  #isEmpty = true;
  #ttl = -1;
  /** What stands behind an address, for the TTL above. */
  #addressEnd: Buffer = Buffer.alloc(0);

  constructor(apex: NameKey) {
    this.#apex = apex;
    this.#apexLabels = labelsToWire(apex);
  }

  get length(): number {
    return this.#text.length;
  }

  take(): Uint8Array {
    return this.#text.take();
  }

  passed(record: ZoneRecord): void {
    this.#separate();
    this.#text.add(Buffer.from(versionRecordText(record, this.#apex)));
  }

  now(cursor: RecordCursor): void {
    const text = this.#text;
    this.#separate();
    text.addShort(start, 0, start.length);
    const { packed, start: labels, labelsEnd, type } = cursor;
    const isUnescaped =
      labels < labelsEnd &&
      !(this.#endsAsZone(packed, labels, labelsEnd) && isWithin(cursor.owner, this.#apex)) &&
      writeLabels(packed, labels, labelsEnd, text);
    if (!isUnescaped) {
      // The apex, a name with escapes, or one that is absolute: it begins anew as a text.
      text.length -= 1;
      text.add(Buffer.from(quoted(printOwner(cursor.owner, this.#apex)).slice(0, -1)));
    }
    if (type === rrtype.A) {
      text.addShort(addressStart, 0, addressStart.length);
      writeIpv4(packed, cursor.rdataStart, text);
      const end = this.#endFor(cursor.ttl);
      text.addShort(end, 0, end.length);
    } else {
      text.addShort(quote, 0, 1);
      text.add(Buffer.from(versionDataText({ type, ttl: cursor.ttl, rdata: cursor.rdata })));
    }
  }

  /** By its bytes, which costs nothing; an owner may end so by chance. */
  #endsAsZone(packed: Buffer, start: number, end: number): boolean {
    const apex = this.#apexLabels;
    const from = end - apex.length;
    return from >= start && packed.compare(apex, 0, apex.length, from, end) === 0;
  }

  #separate(): void {
    if (!this.#isEmpty) this.#text.addShort(comma, 0, 1);
    this.#isEmpty = false;
  }

  #endFor(ttl: number): Buffer {
    if (ttl !== this.#ttl) {
      this.#ttl = ttl;
      this.#addressEnd = Buffer.from(`","ttl":${ttl},"priority":null}`);
    }
    return this.#addressEnd;
  }
}
