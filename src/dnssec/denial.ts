/**
 * Records that deny: NSEC (RFC 4034 4) and NSEC3 (RFC 5155 3; SHA-1, no iterations, no salt, no
 * opt-out, as RFC 9276 3.1 asks). The two differ in who owns a record and how it names the next one;
 * everything else about a chain is the same.
 *
 * Refused: NSEC3 in a zone whose name leaves no room for a hashed label (INVALID_INPUT).
 */
import { hash } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { Memory } from '../base/memory.ts';
import { Problem } from '../base/problem.ts';
import {
  emptyName,
  joinNames,
  keyFromWire,
  labelsToWire,
  type NameKey,
  nameBytes,
  nameToWire,
  printAbsoluteName,
  relativeTo,
} from '../dns/name.ts';
import { base32HexText, parseBase32Hex } from '../dns/rdata/fields/binary.ts';
import { rrtype } from '../dns/rrtype.ts';

export type DenialMode = 'nsec' | 'nsec3';

/** One way to deny. Owners are relative to the apex. */
export interface Denial {
  readonly mode: DenialMode;
  readonly type: number;
  /** True when names that hold nothing but have names below them are in the chain (RFC 5155 7.1). */
  readonly listsEmptyNames: boolean;
  /** The owner of the record that stands for a name. */
  ownerFor(name: NameKey): NameKey;
  /** RDATA that name the owner `next` and hold a bitmap. */
  rdata(next: NameKey, bitmap: Buffer): Buffer;
  /** The owner that RDATA name as the next. */
  nextOf(rdata: Buffer): NameKey;
  bitmapOf(rdata: Buffer): Buffer;
}

export function denialOf(mode: DenialMode, apex: NameKey): Denial {
  return denials[mode].of(apex, mode === 'nsec' ? nsecDenial : nsec3Denial);
}

/** Those of the zones that were changed last: every step of a zone asks for its own. */
const denials: Record<DenialMode, Memory<NameKey, Denial>> = {
  nsec: new Memory(1000),
  nsec3: new Memory(1000),
};

function nsecDenial(apex: NameKey): Denial {
  return {
    mode: 'nsec',
    type: rrtype.NSEC,
    listsEmptyNames: false,
    ownerFor: (name) => name,
    rdata: (next, bitmap) => Buffer.concat([nameToWire(joinNames(next, apex)), bitmap]),
    nextOf: (rdata) => relativeTo(keyFromWire(rdata), apex)!,
    bitmapOf: (rdata) => rdata.subarray(nameEnd(rdata)),
  };
}

function nameEnd(rdata: Buffer): number {
  let at = 0;
  while (rdata[at]! > 0) at += rdata[at]! + 1;
  return at + 1;
}

/** Algorithm SHA-1, flags 0, iterations 0, no salt: the RDATA of NSEC3PARAM, and how NSEC3 begin. */
export const nsec3Parameters: Buffer = Buffer.of(1, 0, 0, 0, 0);

const hashBytes = 20;
const hashOffset = nsec3Parameters.length + 1;
/** A label of 32 characters and its length. */
const hashedLabelBytes = 33;

function nsec3Denial(apex: NameKey): Denial {
  const apexWire = nameToWire(apex);
  const start = Buffer.concat([nsec3Parameters, Buffer.of(hashBytes)]);
  const ownerOfApex = ownerOfHash(nsec3Hash(apexWire));
  return {
    mode: 'nsec3',
    type: rrtype.NSEC3,
    listsEmptyNames: true,
    ownerFor: (name) =>
      name === emptyName
        ? ownerOfApex
        : ownerOfHash(nsec3Hash(Buffer.concat([labelsToWire(name), apexWire]))),
    rdata: (next, bitmap) => {
      const nextHash = parseBase32Hex(next.slice(0, -1))!;
      return Buffer.concat([start, nextHash, bitmap]);
    },
    nextOf: (rdata) => ownerOfHash(rdata.subarray(hashOffset, hashOffset + hashBytes)),
    bitmapOf: (rdata) => rdata.subarray(hashOffset + hashBytes),
  };
}

/** The hash of a name in wire form, lower-case, root label included (RFC 5155 5). */
export function nsec3Hash(wire: Buffer): Buffer {
  // Asked for a Buffer, node:crypto takes three times as long.
  return Buffer.from(hash('sha1', wire, 'binary'), 'latin1');
}

/** The order of these owners is the order of the hashes, as base32hex keeps it (RFC 5155 1.3). */
function ownerOfHash(bytes: Buffer): NameKey {
  return `${base32HexText(bytes)}\0` as NameKey;
}

/** Refuses a way to deny that the name of the zone leaves no room for. */
export function checkDenialFits(apex: NameKey, mode: DenialMode): void {
  if (mode === 'nsec' || nameBytes(apex) + hashedLabelBytes <= limits.nameBytes) return;
  throw new Problem(
    'INVALID_INPUT',
    `zone ${printAbsoluteName(apex)} has ${nameBytes(apex)} bytes: NSEC3 ` +
      `needs a name of at most ${limits.nameBytes - hashedLabelBytes}, NSEC takes it`,
  );
}

/** Bytes that a wildcard's label puts before a name. */
const wildcardBytes = 2;

/** Whether no name could be its wildcard, in a way to deny that hashes names. */
export function leavesNoWildcard(mode: DenialMode, name: NameKey, apex: NameKey): boolean {
  return mode === 'nsec3' && nameBytes(name) - 1 > maxLabelBytes(apex);
}

/** Bytes of the labels that an owner has at most, so that a wildcard may stand before it. */
export function maxLabelBytes(apex: NameKey): number {
  return limits.nameBytes - wildcardBytes - nameBytes(apex);
}

/**
 * Refuses a name that joins a chain of hashes and leaves no room for a wildcard below it (RECORD_CONFLICT): NSD 4.6
 * hashes `*.` before every name, and ends where that is none.
 */
export function refuseLongName(name: NameKey, apex: NameKey): never {
  const absolute = joinNames(name, apex);
  throw new Problem(
    'RECORD_CONFLICT',
    `${printAbsoluteName(absolute)} has ${nameBytes(absolute)} bytes: in a zone that is signed with NSEC3 a name has ` +
      `at most ${limits.nameBytes - wildcardBytes}, for NSD hashes its wildcard too; NSEC takes it`,
  );
}

/** A zone has few different sets of types, in few orders, so each bitmap is made once and shared. */
const bitmaps = new Memory<string, Buffer>(4096);

/** The bitmap of a set of types, in any order, without repetitions (RFC 4034 4.1.2). */
export function typeBitmap(types: readonly number[]): Buffer {
  return bitmaps.of(types.join(), () => buildBitmap(types.toSorted((a, b) => a - b)));
}

/** Windows of 256 types, each with as many bytes as its highest type needs; those without a type are left out. */
function buildBitmap(sorted: readonly number[]): Buffer {
  const blocks = Map.groupBy(sorted, (type) => type >> 8);
  const parts: Buffer[] = [];
  for (const [block, types] of blocks) {
    const bytes = ((types.at(-1)! & 0xff) >> 3) + 1;
    const bits = Buffer.alloc(bytes);
    for (const type of types) bits[(type & 0xff) >> 3]! |= 0x80 >> (type & 7);
    parts.push(Buffer.of(block, bytes), bits);
  }
  return Buffer.concat(parts);
}
