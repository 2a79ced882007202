/**
 * RRSIG: the signature over one RRset (RFC 4034 3, RFC 4035 2.2), made and read.
 *
 * The bytes that are signed are the RRSIG RDATA up to the signature, then each record in canonical
 * form with the RRset's TTL (RFC 4034 3.1.8.1, 6.2 and 6.3). What is stored is canonical already, but
 * for RDATA of a few old types that were stored as bytes (RFC 3597) before their type had a format
 * here: validators lower-case their names, while the stored and served form keeps its case.
 *
 * Times in RRSIG are 32-bit seconds that wrap in 2106 and are compared as serials (3.1.5); inside the
 * program they are plain seconds.
 *
 * ```
 *  inception      now                          enters the refresh period          expiration
 *  ──┼──── 1 h ────┼───────────────────────────────────────┼──────── refresh ────────┼──►
 * ```
 *
 * Expirations are spread: each RRset has its own part of (validity - refresh)/2 taken off, always
 * the same one, so that a zone signed in one go is not signed again in one go.
 */
import { isWildcard, labelCount, type NameKey, nameBytes, nameToWire } from '../dns/name.ts';
import type { Signer } from './key-pair.ts';
import type { Rrset } from './rrset.ts';

/** Bytes of RRSIG RDATA before the signer's name. */
const signerOffset = 18;
/** Bytes of a record besides owner and RDATA: type, class, TTL, length. */
const fixedBytes = 10;
const classIn = 1;

/** What a stored signature says about itself. */
export interface SignatureFacts {
  readonly typeCovered: number;
  readonly algorithm: number;
  readonly labels: number;
  readonly originalTtl: number;
  readonly expirationBits: number;
  readonly inceptionBits: number;
  readonly keyTag: number;
}

export function readSignature(rdata: Buffer): SignatureFacts {
  return {
    typeCovered: rdata.readUInt16BE(0),
    algorithm: rdata[2]!,
    labels: rdata[3]!,
    originalTtl: rdata.readUInt32BE(4),
    expirationBits: rdata.readUInt32BE(8),
    inceptionBits: rdata.readUInt32BE(12),
    keyTag: rdata.readUInt16BE(16),
  };
}

/** The type that a stored signature covers. */
export function typeCovered(rdata: Buffer): number {
  return rdata.readUInt16BE(0);
}

/** The validity of a stored signature, its times taken as near to now. */
export function validityOf(facts: SignatureFacts, nowSeconds: number): ValidityPeriod {
  return {
    inception: timeNear(facts.inceptionBits, nowSeconds),
    expiration: timeNear(facts.expirationBits, nowSeconds),
  };
}

/** Labels of the owner without the root and without a wildcard's asterisk (RFC 4034 3.1.3). */
export function signedLabels(name: NameKey): number {
  return labelCount(name) - (isWildcard(name) ? 1 : 0);
}

/** A signature and what it was made over, for whoever wants to check it. */
export interface MadeSignature {
  readonly rdata: Buffer;
  readonly data: Buffer;
  readonly signature: Buffer;
}

/** Signs an RRset at an absolute name. `apexWire` is the wire form of the signer's name. */
export function signRrset(
  name: NameKey,
  apexWire: Buffer,
  rrset: Rrset,
  signer: Signer,
  validity: ValidityPeriod,
): MadeSignature {
  const rdatas = canonicalRdatas(rrset.type, rrset.rdatas);
  const headBytes = signerOffset + apexWire.length;
  const recordBytes = nameBytes(name) + fixedBytes;
  let bytes = headBytes + rdatas.length * recordBytes;
  for (const rdata of rdatas) bytes += rdata.length;

  const data = Buffer.allocUnsafe(bytes);
  data.writeUInt16BE(rrset.type, 0);
  data[2] = signer.algorithm;
  data[3] = signedLabels(name);
  data.writeUInt32BE(rrset.ttl, 4);
  data.writeUInt32BE(wireTime(validity.expiration), 8);
  data.writeUInt32BE(wireTime(validity.inception), 12);
  data.writeUInt16BE(signer.keyTag, 16);
  data.set(apexWire, signerOffset);
  let at = headBytes;
  const owner = nameToWire(name);
  for (const rdata of rdatas) {
    data.set(owner, at);
    at = data.writeUInt16BE(rrset.type, at + owner.length);
    at = data.writeUInt16BE(classIn, at);
    at = data.writeUInt32BE(rrset.ttl, at);
    at = data.writeUInt16BE(rdata.length, at);
    data.set(rdata, at);
    at += rdata.length;
  }

  if (signer.signLater !== undefined) {
    const rdata = Buffer.allocUnsafe(headBytes + signer.signLater.bytes);
    data.copy(rdata, 0, 0, headBytes);
    const signature = rdata.subarray(headBytes);
    signer.signLater.into(signature, data);
    return { rdata, data, signature };
  }
  const signature = signer.sign(data);
  const rdata = Buffer.allocUnsafe(headBytes + signature.length);
  data.copy(rdata, 0, 0, headBytes);
  rdata.set(signature, headBytes);
  return { rdata, data, signature };
}

/** Bytes before the names, how many names follow, by type (RFC 1035 3.3, 1183, 2163, 2535, 2874). */
const oldTypes = new Map<number, { readonly skip: number; readonly names: number }>([
  [3, { skip: 0, names: 1 }], // MD
  [4, { skip: 0, names: 1 }], // MF
  [7, { skip: 0, names: 1 }], // MB
  [8, { skip: 0, names: 1 }], // MG
  [9, { skip: 0, names: 1 }], // MR
  [14, { skip: 0, names: 2 }], // MINFO
  [21, { skip: 2, names: 1 }], // RT
  [24, { skip: 18, names: 1 }], // SIG
  [26, { skip: 2, names: 2 }], // PX
  [30, { skip: 0, names: 1 }], // NXT
]);

/** The canonical form of stored RDATA: the same bytes for all types but those above. */
export function canonicalRdata(type: number, rdata: Buffer): Buffer {
  const shape = oldTypes.get(type);
  return shape === undefined ? rdata : lowerNames(rdata, shape.skip, shape.names);
}

/** A copy with the names lower-cased; bytes that are no names of this type stay as they are. */
function lowerNames(rdata: Buffer, skip: number, names: number): Buffer {
  const lower = Buffer.from(rdata);
  let at = skip;
  for (let name = 0; name < names; name++) {
    for (;;) {
      const length = lower[at];
      if (length === undefined || length > 63) return rdata;
      const end = at + 1 + length;
      if (end > lower.length) return rdata;
      for (let byte = at + 1; byte < end; byte++) {
        const code = lower[byte]!;
        if (code >= 0x41 && code <= 0x5a) lower[byte] = code + 0x20;
      }
      at = end;
      if (length === 0) break;
    }
  }
  return lower;
}

/** RDATA of one RRset in the order and form that is signed: sorted as bytes, each once. */
export function canonicalRdatas(type: number, rdatas: readonly Buffer[]): readonly Buffer[] {
  if (rdatas.length === 1 && !oldTypes.has(type)) return rdatas;
  const sorted = rdatas.map((rdata) => canonicalRdata(type, rdata)).sort(Buffer.compare);
  return sorted.filter((rdata, index) => index === 0 || !rdata.equals(sorted[index - 1]!));
}

/** What a policy says about the life of signatures, in seconds. */
export interface SignatureLifetime {
  readonly validitySeconds: number;
  readonly refreshSeconds: number;
}

export interface ValidityPeriod {
  readonly inception: number;
  readonly expiration: number;
}

/** How far clocks of validators may be behind ours. */
const inceptionBackSeconds = 3600;

/** The validity of a signature made now for the RRset of `type` at `owner`. */
export function validityFor(
  owner: NameKey,
  type: number,
  lifetime: SignatureLifetime,
  nowSeconds: number,
): ValidityPeriod {
  const spread = Math.floor((lifetime.validitySeconds - lifetime.refreshSeconds) / 2);
  const offset = spread > 0 ? mix(owner, type) % spread : 0;
  return {
    inception: nowSeconds - inceptionBackSeconds,
    expiration: nowSeconds + lifetime.validitySeconds - offset,
  };
}

/** True while a signature may be kept: valid now, not yet to be refreshed, not longer than allowed. */
export function isFresh(
  { inception, expiration }: ValidityPeriod,
  lifetime: SignatureLifetime,
  nowSeconds: number,
): boolean {
  if (inception > nowSeconds || expiration > nowSeconds + lifetime.validitySeconds) return false;
  return expiration > nowSeconds + lifetime.refreshSeconds;
}

/** When a signature enters the refresh period, in the unit of `expiration`. */
export function refreshAt(expiration: number, lifetime: SignatureLifetime): number {
  return expiration - lifetime.refreshSeconds;
}

/** The 32 bits of a time, as RRSIG has it. */
export function wireTime(seconds: number): number {
  return seconds >>> 0;
}

/** The time near `nowSeconds` (within 68 years) whose 32 bits these are (RFC 1982 3.2). */
export function timeNear(bits: number, nowSeconds: number): number {
  return nowSeconds + ((bits - nowSeconds) | 0);
}

/** A number that looks random and is always the same for the same RRset (FNV-1a, then mixed). */
function mix(owner: NameKey, type: number): number {
  let hash = 0x811c9dc5 ^ type;
  for (let at = 0; at < owner.length; at++) {
    hash = Math.imul(hash ^ owner.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
