/**
 * DS (RFC 4034 5, RFC 4509, RFC 6605), and CDS and CDNSKEY, by which a zone tells its parent which
 * DS it wants (RFC 7344), or that it wants none (RFC 8078 4).
 */
import { hash } from 'node:crypto';
import { type NameKey, nameToWire } from '../dns/name.ts';
import { algorithmOf } from './algorithm.ts';
import { algorithmOfDnskey, keyTagOf } from './dnskey.ts';

/** The hash of a digest type that we can compute; SHA-1 (1) is still met at parents. */
const digestHash = new Map<number, string>([
  [1, 'sha1'],
  [2, 'sha256'],
  [4, 'sha384'],
]);

const digestOffset = 4;

/** The DS of a key, in the digest type that its algorithm goes with. CDS RDATA are the same. */
export function dsRdata(apex: NameKey, dnskey: Buffer): Buffer {
  return dsOfType(apex, dnskey, algorithmOf(algorithmOfDnskey(dnskey)).dsDigestType)!;
}

/** The DS of a key in a given digest type, or undefined when we can not compute that type. */
function dsOfType(apex: NameKey, dnskey: Buffer, digestType: number): Buffer | undefined {
  const name = digestHash.get(digestType);
  if (name === undefined) return undefined;
  const tag = keyTagOf(dnskey);
  const start = Buffer.of(tag >> 8, tag & 0xff, algorithmOfDnskey(dnskey), digestType);
  const data = Buffer.concat([nameToWire(apex), dnskey]);
  return Buffer.concat([start, hash(name, data, 'buffer')]);
}

/** `0 0 0 00`: the parent shall remove the DS. */
export const deleteCds: Buffer = Buffer.of(0, 0, 0, 0, 0);

/** `0 3 0 AA==`: the same, said with CDNSKEY. */
export const deleteCdnskey: Buffer = Buffer.of(0, 0, 3, 0, 0);

/** A DS as people read it: what the status of a zone shows. */
export interface DsFields {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: Buffer;
}

export function readDs(rdata: Buffer): DsFields {
  return {
    keyTag: rdata.readUInt16BE(0),
    algorithm: rdata[2]!,
    digestType: rdata[3]!,
    digest: rdata.subarray(digestOffset),
  };
}

/**
 * Whether a DS as a parent serves it names this key: the digest is computed again, because tag and
 * algorithm alone name no key. 'uncomputable' when they fit but the digest type is none of ours.
 */
export function matchDs(apex: NameKey, dnskey: Buffer, ds: Buffer): boolean | 'uncomputable' {
  const fields = readDs(ds);
  if (fields.keyTag !== keyTagOf(dnskey) || fields.algorithm !== algorithmOfDnskey(dnskey)) {
    return false;
  }
  return dsOfType(apex, dnskey, fields.digestType)?.equals(ds) ?? 'uncomputable';
}
