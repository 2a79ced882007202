/**
 * DNSKEY RDATA (RFC 4034 2): flags, protocol, algorithm and the public key in the form of its algorithm (RFC 3110 2,
 * RFC 6605 4, RFC 8080 3); the key tag (RFC 4034 B). DS of a key (RFC 4034 5, RFC 4509, RFC 6605), and CDS and
 * CDNSKEY, by which a zone tells its parent which DS it wants (RFC 7344), or that it wants none (RFC 8078 4).
 */
import { createPublicKey, hash, type KeyObject, type webcrypto } from 'node:crypto';
import { assert, unreachable } from '../base/problem.ts';
import { type NameKey, nameToWire } from '../dns/name.ts';
import { algorithmOf } from './algorithm.ts';

/** Bit 7: the key signs a zone. */
const zoneKeyFlag = 0x0100;
/** Bit 15, secure entry point: the key is one that a DS may name (RFC 4034 2.1.1). */
const entryPointFlag = 0x0001;
/** Bit 8: the key is revoked (RFC 5011 2.1). We revoke none, but others count its tag. */
const revokeFlag = 0x0080;

const protocol = 3;
const publicKeyOffset = 4;

/** The RDATA of a key: flags 257 for a secure entry point, 256 for a ZSK. */
export function dnskeyRdata(algorithm: number, publicKey: Buffer, entryPoint: boolean): Buffer {
  const flags = zoneKeyFlag | (entryPoint ? entryPointFlag : 0);
  return Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, protocol, algorithm), publicKey]);
}

export function isEntryPoint(dnskey: Buffer): boolean {
  return (dnskey.readUInt16BE(0) & entryPointFlag) !== 0;
}

/** True when the key may sign zone data at all: a zone key, not revoked, of protocol 3. */
export function isZoneKey(dnskey: Buffer): boolean {
  const flags = dnskey.readUInt16BE(0);
  return (flags & zoneKeyFlag) !== 0 && (flags & revokeFlag) === 0 && dnskey[2] === protocol;
}

export function algorithmOfDnskey(dnskey: Buffer): number {
  return dnskey[3]!;
}

/** The public key in the form of its algorithm, as the end of the RDATA has it. */
export function publicKeyOfDnskey(dnskey: Buffer): Buffer {
  return dnskey.subarray(publicKeyOffset);
}

/** The key tag (RFC 4034 B): a sum over the RDATA, not unique by itself. */
export function keyTagOf(dnskey: Buffer): number {
  let sum = 0;
  for (let at = 0; at < dnskey.length; at++) sum += at % 2 === 0 ? dnskey[at]! << 8 : dnskey[at]!;
  return (sum + (sum >>> 16)) & 0xffff;
}

/** The tags that a key has and would have if it were revoked: two keys of a zone share none. */
export function tagsOfKey(dnskey: Buffer): [tag: number, revokedTag: number] {
  const revoked = Buffer.from(dnskey);
  revoked[1] = revoked[1]! | revokeFlag;
  return [keyTagOf(dnskey), keyTagOf(revoked)];
}

/** The public key of a key pair in the form of its algorithm. */
export function publicKeyField(algorithm: number, key: KeyObject): Buffer {
  const jwk = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  const facts = algorithmOf(algorithm);
  switch (facts.family) {
    case 'rsa':
      assert(jwk.kty === 'RSA', 'the key is an RSA key');
      return rsaPublicKey(fromUrl(jwk.e), fromUrl(jwk.n));
    case 'ec':
      assert(jwk.kty === 'EC' && jwk.crv === facts.curve, `the key is on ${facts.curve}`);
      return Buffer.concat([fromUrl(jwk.x), fromUrl(jwk.y)]);
    case 'ed':
      assert(jwk.kty === 'OKP' && jwk.crv === facts.curve, `the key is on ${facts.curve}`);
      return fromUrl(jwk.x);
    default:
      return unreachable(facts);
  }
}

/** The JWK of a public key field (RFC 7517), from which node:crypto makes a key. */
export function publicJwk(algorithm: number, publicKey: Buffer): webcrypto.JsonWebKey {
  const facts = algorithmOf(algorithm);
  switch (facts.family) {
    case 'rsa': {
      const { exponent, modulus } = splitRsaPublicKey(publicKey);
      return { kty: 'RSA', e: toUrl(exponent), n: toUrl(modulus) };
    }
    case 'ec': {
      const x = toUrl(publicKey.subarray(0, facts.fieldBytes));
      const y = toUrl(publicKey.subarray(facts.fieldBytes));
      return { kty: 'EC', crv: facts.curve, x, y };
    }
    case 'ed':
      return { kty: 'OKP', crv: facts.curve, x: toUrl(publicKey) };
    default:
      return unreachable(facts);
  }
}

/** Exponent and modulus of an RSA public key field (RFC 3110 2). */
export function splitRsaPublicKey(publicKey: Buffer): { exponent: Buffer; modulus: Buffer } {
  const long = publicKey[0] === 0;
  const start = long ? 3 : 1;
  const length = long ? publicKey.readUInt16BE(1) : publicKey[0]!;
  const modulus = publicKey.subarray(start + length);
  return { exponent: publicKey.subarray(start, start + length), modulus };
}

/** Bits of the modulus of an RSA public key field. */
export function rsaModulusBits(publicKey: Buffer): number {
  const { modulus } = splitRsaPublicKey(publicKey);
  const start = modulus.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (modulus.length - start) * 8 - (Math.clz32(modulus[start]!) - 24);
}

function rsaPublicKey(exponent: Buffer, modulus: Buffer): Buffer {
  assert(exponent.length < 256, 'the RSA exponent has fewer than 256 bytes');
  return Buffer.concat([Buffer.of(exponent.length), exponent, modulus]);
}

export function fromUrl(text: string | undefined): Buffer {
  assert(text !== undefined, 'the JWK has all its fields');
  return Buffer.from(text, 'base64url');
}

export function toUrl(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** The hash of a digest type that we can compute; SHA-1 (1) is still met at parents. */
export const digestNames: ReadonlyMap<number, string> = new Map([
  [1, 'SHA-1'],
  [2, 'SHA-256'],
  [4, 'SHA-384'],
]);

const digestOffset = 4;

/** The DS of a key, in the digest type that its algorithm goes with. CDS RDATA are the same. */
export function dsRdata(apex: NameKey, dnskey: Buffer): Buffer {
  return dsOfType(apex, dnskey, algorithmOf(algorithmOfDnskey(dnskey)).dsDigestType)!;
}

/** The DS of a key in a given digest type, or undefined when we can not compute that type. */
export function dsOfType(apex: NameKey, dnskey: Buffer, digestType: number): Buffer | undefined {
  const name = digestNames.get(digestType);
  if (name === undefined) return undefined;
  const tag = keyTagOf(dnskey);
  const start = Buffer.of(tag >> 8, tag & 0xff, algorithmOfDnskey(dnskey), digestType);
  const data = Buffer.concat([nameToWire(apex), dnskey]);
  return Buffer.concat([start, hash(name.replace('-', ''), data, 'buffer')]);
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
