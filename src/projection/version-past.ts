/**
 * The user records of one owner as they were at an earlier serial, told by the steps since.
 *
 * No two records of a zone have the same owner, type and RDATA. So what the first step since then says
 * about such a one settles it: if it was removed, it was there as the step has it, and if it was added,
 * it was not. Whatever no step mentions is as it is now.
 */
import { compareRecords, rdataKey } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { RecordCursor } from './record-cursor.ts';

/** What the first step that mentions a record says of it. */
interface Mention {
  readonly key: string;
  /** As it was; undefined when it was not there. */
  readonly record: ZoneRecord | undefined;
}

/** About what a mention takes in memory besides the octets of the record. */
const octetsPerMention = 300;
/** Mentions that are looked through one by one; for most owners there is but one. */
const fewMentions = 8;

export class OwnerPast {
  readonly #mentions: Mention[] = [];
  #byKey: Map<string, Mention> | undefined;

  /** Takes in a record that a step removed or added; steps come oldest first. Returns octets used. */
  mention(cursor: RecordCursor, wasThere: boolean): number {
    const key = rdataKey(cursor.type, cursor.rdata);
    if (this.#find(key) !== undefined) return 0;
    const mention = { key, record: wasThere ? detached(cursor.zoneRecord()) : undefined };
    this.#mentions.push(mention);
    if (this.#byKey !== undefined) this.#byKey.set(key, mention);
    else if (this.#mentions.length > fewMentions) this.#byKey = byKey(this.#mentions);
    return octetsPerMention + 2 * key.length;
  }

  #find(key: string): Mention | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(key);
    for (const mention of this.#mentions) if (mention.key === key) return mention;
    return undefined;
  }

  /** The records of then, in canonical order, from those of now. */
  recordsThen(recordsNow: readonly ZoneRecord[]): ZoneRecord[] {
    const then: ZoneRecord[] = [];
    for (const record of recordsNow) {
      if (this.#find(rdataKey(record.type, record.rdata)) === undefined) then.push(record);
    }
    for (const { record } of this.#mentions) if (record !== undefined) then.push(record);
    return then.length < 2 ? then : then.sort(compareRecords);
  }
}

function byKey(mentions: readonly Mention[]): Map<string, Mention> {
  return new Map(mentions.map((mention) => [mention.key, mention]));
}

/** A record of its own: as a view it would keep many steps in memory. */
function detached({ owner, type, ttl, rdata, id, createdAt }: ZoneRecord): ZoneRecord {
  return { id, owner, type, ttl, rdata: Buffer.from(rdata), createdAt };
}

/** True when two versions of an owner have the same records with the same ids and TTLs. */
export function sameRecords(a: readonly ZoneRecord[], b: readonly ZoneRecord[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((record, index) => {
    const other = b[index]!;
    const { id, type, ttl, rdata } = record;
    return other.id === id && other.ttl === ttl && other.type === type && rdata.equals(other.rdata);
  });
}
