/**
 * What an entry of a master file takes from the entries before it (RFC 1035 5.1, RFC 2308 4): origin,
 * owner, TTL.
 *
 * A record without TTL gets, as named does it: that of the last $TTL; without any, the TTL stated
 * last; without that either, an SOA gets its own minimum, which then counts as a $TTL, and another
 * record gets the default that the caller gave (named refuses the file there).
 */
import { limits } from '../../base/limits.ts';
import { excerpt } from '../../base/problem.ts';
import {
  emptyName,
  joinNames,
  keyFromLabels,
  keyToBytes,
  NameError,
  type NameKey,
  nameToWire,
  printAbsoluteName,
  relativeTo,
  splitNameText,
} from '../name.ts';

/** Why an entry is refused; the message is one clause for people. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
}

export class FileContext {
  readonly apex: NameKey;
  /** Changes with every $ORIGIN; the fast path keeps what it has worked out of the origin. */
  origin: NameKey;
  originWire: Buffer;
  originKey: Buffer;
  /** The owner named last, relative to the apex; undefined before the first and after a bad one. */
  owner: NameKey | undefined;
  /** The TTL that the first $TTL gave. */
  firstDefaultTtl: number | undefined;

  private ownerRefusal = 'has no owner, and no record stands before it';
  private defaultTtl: number | undefined;
  private statedTtl: number | undefined;
  private readonly fallbackTtl: number;

  constructor(apex: NameKey, fallbackTtl: number) {
    this.apex = apex;
    this.origin = apex;
    this.originWire = nameToWire(apex);
    this.originKey = keyToBytes(apex);
    this.fallbackTtl = fallbackTtl;
  }

  setOrigin(text: string): void {
    this.origin = this.absoluteName('$ORIGIN', text);
    this.originWire = nameToWire(this.origin);
    this.originKey = keyToBytes(this.origin);
  }

  setDefaultTtl(seconds: number): void {
    this.defaultTtl = seconds;
    this.firstDefaultTtl ??= seconds;
  }

  /** Makes the name the owner of this record and of those after it that name none. */
  setOwner(text: string): NameKey {
    try {
      const key = this.absoluteName('owner', text);
      const owner = relativeTo(key, this.apex);
      if (owner === undefined) {
        const zone = printAbsoluteName(this.apex);
        throw new EntryError(`owner '${excerpt(text)}' is outside the zone ${zone}`);
      }
      this.owner = owner;
      return owner;
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      this.refuseOwner(error.message);
      throw error;
    }
  }

  /** Records without an owner would belong to this one, so they are refused like it. */
  refuseOwner(reason: string): void {
    this.owner = undefined;
    this.ownerRefusal = reason;
  }

  ownerBefore(): NameKey {
    if (this.owner === undefined) throw new EntryError(this.ownerRefusal);
    return this.owner;
  }

  /** Records that a TTL was stated, for the records after it that state none. */
  stateTtl(seconds: number): number {
    this.statedTtl = seconds;
    return seconds;
  }

  /** The TTL of a record that states none. */
  unstatedTtl(): number {
    return this.defaultTtl ?? this.statedTtl ?? this.fallbackTtl;
  }

  /** The TTL of an SOA that states none. */
  unstatedSoaTtl(minimum: number): number {
    const known = this.defaultTtl ?? this.statedTtl;
    if (known !== undefined) return known;
    this.defaultTtl = Math.min(minimum, limits.ttl);
    return this.defaultTtl;
  }

  private absoluteName(what: string, text: string): NameKey {
    if (text === '@') return this.origin;
    try {
      const { labels, absolute } = splitNameText(text);
      const key = labels.length === 0 ? emptyName : keyFromLabels(labels);
      return absolute ? key : joinNames(key, this.origin);
    } catch (error) {
      if (!(error instanceof NameError)) throw error;
      throw new EntryError(`${what} '${excerpt(text)}' ${error.message}`);
    }
  }
}
