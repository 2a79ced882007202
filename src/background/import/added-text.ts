/**
 * The diff entry of a new record alone at a new owner, written as octets: the same text as
 * http/present/record-text.ts gives, which nearly all entries of a large import are.
 */
import { type NameKey, printAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { absoluteName } from '../../http/present/record.ts';
import { diffValuesText, quoted } from '../../http/present/record-text.ts';
import type { ShownRecord } from './file-table.ts';
import type { OctetWriter } from './octet-writer.ts';

const dot = 0x2e;
const zero = 0x30;

/** Octets of labels that names show as they are (printLabel). */
const plain = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789_*/+=:-') {
  plain[character.charCodeAt(0)] = 1;
}

const start = Buffer.from('{"change":"added","name":"');
/** Octets of a short address and what stands around it, at most. */
const roomForRest = 64;

export class AddedTexts {
  readonly #apex: NameKey;
  /** What stands behind the owner's labels: a dot, the zone's name, the quote. */
  readonly #nameEnd: Buffer;
  #ttl = -1;
  /** What stands behind the address, for the TTL above. */
  #addressEnd: Buffer = Buffer.alloc(0);

  constructor(apex: NameKey) {
    this.#apex = apex;
    this.#nameEnd = Buffer.from(quoted(printAbsoluteName(apex)).slice(1));
  }

  write(shown: ShownRecord, into: OctetWriter): void {
    into.addShort(start, 0, start.length);
    if (!this.#writeName(shown, into)) {
      // What has escapes begins anew as a text.
      into.length -= 1;
      into.add(Buffer.from(quoted(absoluteName(shown.owner, this.#apex))));
    }
    if (shown.type === rrtype.A) this.#writeAddress(shown, into);
    else into.add(Buffer.from(`,${diffValuesText(shown.type, [], [shown])}`));
  }

  /** False when nothing was written, because a label shows otherwise than it is. */
  #writeName({ octets, keyStart, keyEnd }: ShownRecord, into: OctetWriter): boolean {
    const room = into.room(keyEnd - keyStart + this.#nameEnd.length);
    let at = into.length;
    let labelEnd = keyEnd - 1;
    while (labelEnd > keyStart) {
      let labelStart = labelEnd;
      while (labelStart > keyStart && octets[labelStart - 1] !== 0) {
        if (plain[octets[--labelStart]!] === 0) return false;
      }
      for (let from = labelStart; from < labelEnd; from++) room[at++] = octets[from]!;
      room[at++] = dot;
      labelEnd = labelStart - 1;
    }
    into.length = at;
    into.addShort(this.#nameEnd, 0, this.#nameEnd.length);
    return true;
  }

  #writeAddress({ octets, keyEnd, ttl }: ShownRecord, into: OctetWriter): void {
    if (ttl !== this.#ttl) {
      this.#ttl = ttl;
      this.#addressEnd = Buffer.from(`","ttl":${ttl},"priority":null}]}`);
    }
    into.addShort(addressStart, 0, addressStart.length);
    const room = into.room(roomForRest);
    let at = into.length;
    for (let index = 0; index < 4; index++) {
      const number = octets[keyEnd + index]!;
      if (index > 0) room[at++] = dot;
      if (number >= 100) room[at++] = zero + Math.floor(number / 100);
      if (number >= 10) room[at++] = zero + (Math.floor(number / 10) % 10);
      room[at++] = zero + (number % 10);
    }
    into.length = at;
    into.addShort(this.#addressEnd, 0, this.#addressEnd.length);
  }
}

const addressStart = Buffer.from(',"type":"A","from":[],"to":[{"value":"');
