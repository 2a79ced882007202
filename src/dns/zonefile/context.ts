/**
 * What an entry of a master file takes from the entries before it (RFC 1035 5.1, RFC 2308 4): origin,
 * owner, TTL.
 *
 * A record without TTL gets, as named does it: that of the last $TTL; without any, the TTL stated
 * last; without that either, an SOA gets its own minimum, which then counts as a $TTL, and another
 * record gets the default that the caller gave (named refuses the file there).
 */
import { limits } from '../../base/limits.ts';
import type { NameKey } from '../name.ts';
import { type Origin, originOf } from '../rdata/token-reader.ts';
import { ZoneFileError } from './reported-lines.ts';

export class FileContext {
  readonly apex: NameKey;
  origin: Origin;
  /** The TTL that the first $TTL gave. */
  firstDefaultTtl: number | undefined;

  /** The owner named last, relative to the apex; undefined before the first and after a bad one. */
  #owner: NameKey | undefined;
  #ownerRefusal = 'has no owner, and no record stands before it';
  #defaultTtl: number | undefined;
  #statedTtl: number | undefined;
  readonly #fallbackTtl: number;

  constructor(apex: NameKey, fallbackTtl: number) {
    this.apex = apex;
    this.origin = originOf(apex);
    this.#fallbackTtl = fallbackTtl;
  }

  setDefaultTtl(seconds: number): void {
    this.#defaultTtl = seconds;
    this.firstDefaultTtl ??= seconds;
  }

  /** Makes the name the owner of this record and of those after it that name none. */
  setOwner(owner: NameKey): NameKey {
    this.#owner = owner;
    return owner;
  }

  /** Records without an owner would belong to this one, so they are refused like it. */
  refuseOwner(reason: string): void {
    this.#owner = undefined;
    this.#ownerRefusal = reason;
  }

  ownerBefore(): NameKey {
    if (this.#owner === undefined) throw new ZoneFileError(this.#ownerRefusal);
    return this.#owner;
  }

  /** Records that a TTL was stated, for the records after it that state none. */
  stateTtl(seconds: number): number {
    this.#statedTtl = seconds;
    return seconds;
  }

  /** The TTL of a record that states none. */
  unstatedTtl(): number {
    return this.#defaultTtl ?? this.#statedTtl ?? this.#fallbackTtl;
  }

  /** The TTL of an SOA that states none. */
  unstatedSoaTtl(minimum: number): number {
    const known = this.#defaultTtl ?? this.#statedTtl;
    if (known !== undefined) return known;
    this.#defaultTtl = Math.min(minimum, limits.ttl);
    return this.#defaultTtl;
  }
}
