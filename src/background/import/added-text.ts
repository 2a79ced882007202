/**
 * The diff entry of a new record alone at a new owner, written as bytes: the same text as
 * contract/record-json.ts gives, which nearly all entries of a large import are.
 */
import type { ByteWriter } from '../../base/byte-writer.ts';
import { absoluteName, diffValuesText, quoted } from '../../contract/record-json.ts';
import { type NameKey, printAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { writeIpv4, writeKey } from '../../dns/text-bytes.ts';
import type { PresentedRecord } from './file-table.ts';

const dot = Buffer.from('.');
const start = Buffer.from('{"change":"added","name":"');
export class AddedTexts {
  readonly #apex: NameKey;
  /** What stands behind the owner's labels and a dot: the zone's name, the quote. */
  readonly #nameEnd: Buffer;
  #ttl = -1;
  /** What stands behind the address, for the TTL above. */
  #addressEnd: Buffer = Buffer.alloc(0);

  constructor(apex: NameKey) {
    this.#apex = apex;
    this.#nameEnd = Buffer.from(quoted(printAbsoluteName(apex)).slice(1));
  }

  write(presented: PresentedRecord, into: ByteWriter): void {
    into.addShort(start, 0, start.length);
    if (!this.#writeName(presented, into)) {
      // What has escapes begins anew as a text.
      into.length -= 1;
      into.add(Buffer.from(quoted(absoluteName(presented.owner, this.#apex))));
    }
    if (presented.type === rrtype.A) this.#writeAddress(presented, into);
    else into.add(Buffer.from(`,${diffValuesText(presented.type, [], [presented])}`));
  }

  #writeName({ bytes, keyStart, keyEnd }: PresentedRecord, into: ByteWriter): boolean {
    if (keyEnd > keyStart) {
      if (!writeKey(bytes, keyStart, keyEnd, into)) return false;
      into.addShort(dot, 0, 1);
    }
    into.addShort(this.#nameEnd, 0, this.#nameEnd.length);
    return true;
  }

  #writeAddress({ bytes, keyEnd, ttl }: PresentedRecord, into: ByteWriter): void {
    if (ttl !== this.#ttl) {
      this.#ttl = ttl;
      this.#addressEnd = Buffer.from(`","ttl":${ttl},"priority":null}]}`);
    }
    into.addShort(addressStart, 0, addressStart.length);
    writeIpv4(bytes, keyEnd, into);
    into.addShort(this.#addressEnd, 0, this.#addressEnd.length);
  }
}

const addressStart = Buffer.from(',"type":"A","from":[],"to":[{"value":"');
