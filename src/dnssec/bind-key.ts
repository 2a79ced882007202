/**
 * Key pairs as BIND keeps them: `K<zone>.+<algorithm>+<tag>.key` with the DNSKEY in master-file form
 * and `.private` with the numbers (`Private-key-format: v1.3`).
 *
 * Taken in: v1.2 and v1.3, the algorithms we sign with; lines we do not know, such as most times of
 * BIND's own key timing, are skipped. Refused with INVALID_INPUT: another zone's key, a revoked key, an
 * RSA key of fewer bits than we make, two files that do not belong together.
 */
import { createPrivateKey, type KeyObject, sign, verify, type webcrypto } from 'node:crypto';
import { Problem, unreachable } from '../base/problem.ts';
import { labelsOf, type NameKey, parseAbsoluteName, printAbsoluteName } from '../dns/name.ts';
import { parseRdataText, printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { type Algorithm, algorithmOf, findAlgorithm } from './algorithm.ts';
import {
  algorithmOfDnskey,
  fromUrl,
  isEntryPoint,
  isZoneKey,
  keyTagOf,
  publicJwk,
  publicKeyField,
  publicKeyOfDnskey,
  rsaModulusBits,
  toUrl,
} from './dnskey.ts';
import type { KeyPair } from './key-pair.ts';

export interface BindKeyFiles {
  /** Name of both files without `.key` and `.private`. */
  readonly baseName: string;
  readonly key: string;
  readonly private: string;
}

/** Fields of an RSA private-key file beside the JWK's names for them (RFC 7518 6.3). */
const rsaFields = [
  ['Modulus', 'n'],
  ['PublicExponent', 'e'],
  ['PrivateExponent', 'd'],
  ['Prime1', 'p'],
  ['Prime2', 'q'],
  ['Exponent1', 'dp'],
  ['Exponent2', 'dq'],
  ['Coefficient', 'qi'],
] as const;

export function exportBindKey(apex: NameKey, { dnskey, privateKey }: KeyPair): BindKeyFiles {
  const algorithm = algorithmOf(algorithmOfDnskey(dnskey));
  const name = printAbsoluteName(apex);
  const digits = (value: number, width: number) => String(value).padStart(width, '0');
  const tag = keyTagOf(dnskey);
  const role = isEntryPoint(dnskey) ? 'key-signing' : 'zone-signing';
  const jwk = privateKey.export({ format: 'jwk' });
  const fields: readonly (readonly [string, string | undefined])[] =
    algorithm.family === 'rsa'
      ? rsaFields.map(([field, member]) => [field, jwk[member]])
      : [['PrivateKey', jwk.d]];
  const lines = fields.map(([field, value]) => `${field}: ${fromUrl(value).toString('base64')}`);
  return {
    baseName: `K${fileName(apex)}+${digits(algorithm.number, 3)}+${digits(tag, 5)}`,
    key: `; This is a ${role} key, keyid ${tag}, for ${name}\n${name} IN DNSKEY ${printRdata(rrtype.DNSKEY, dnskey)}\n`,
    private: `Private-key-format: v1.3\nAlgorithm: ${algorithm.number} (${algorithm.mnemonic})\n${lines.join('\n')}\n`,
  };
}

/** A name inside a file name: BIND writes other bytes than letters, digits, - and _ as %XX. */
function fileName(apex: NameKey): string {
  const labels = labelsOf(apex).map((label) =>
    label.replace(/[^a-z0-9_-]/g, (byte) => {
      const hex = byte.charCodeAt(0).toString(16).toUpperCase();
      return `%${hex.padStart(2, '0')}`;
    }),
  );
  return `${labels.join('.')}.`;
}

/** Reads both files of a key of the zone `apex`; INVALID_INPUT says what is wrong with them. */
export function importBindKey(apex: NameKey, files: Omit<BindKeyFiles, 'baseName'>): KeyPair {
  const dnskey = readKeyFile(apex, files.key);
  const fields = readFields(files.private);
  const number = algorithmOfDnskey(dnskey);
  const algorithm = findAlgorithm(number);
  if (algorithm === undefined) throw refused(`algorithm ${number} is none that we sign with`);
  checkStrength(algorithm, dnskey);
  const format = fields.get('Private-key-format');
  if (format === undefined || !/^v1\.[23]$/.test(format)) {
    throw refused('the private file does not begin with Private-key-format: v1.3');
  }
  if (Number.parseInt(fields.get('Algorithm') ?? '', 10) !== number) {
    throw refused('the two files name different algorithms');
  }
  const privateKey = buildPrivateKey(algorithm, dnskey, fields);
  if (!belongTogether(algorithm, dnskey, privateKey)) {
    throw refused('the private file does not belong to the DNSKEY');
  }
  return { dnskey, privateKey };
}

/** Times of BIND's key timing after which a key is in use no more. */
const ends = ['Inactive', 'Delete'] as const;

/** Refuses a key whose own files say that it is in use no more; `now` is in milliseconds since 1970. */
export function checkInUse(
  { dnskey }: KeyPair,
  files: Pick<BindKeyFiles, 'private'>,
  now: number,
): void {
  const fields = readFields(files.private);
  for (const field of ends) {
    const [time] = /^\d{14}/.exec(fields.get(field) ?? '') ?? [];
    if (time === undefined) continue;
    const iso = time.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
    if (Date.parse(iso) > now) continue;
    throw refused(
      `key ${keyTagOf(dnskey)} is in use no more since ${iso}, as the ${field} time in its private file says; ` +
        `leave it out, or take the time away (dnssec-settime -I none -D none) if the zone is signed with it`,
    );
  }
}

/** The DNSKEY of a `.key` file: comments, then one record, which may run over several lines. */
function readKeyFile(apex: NameKey, text: string): Buffer {
  const record = text.replace(/;[^\n]*/g, ' ').trim();
  const parts = /^(\S+)\s+(?:\d+\s+)?(?:IN\s+)?(?:\d+\s+)?DNSKEY\s+(.+)$/is.exec(record);
  if (parts === null) throw refused('the key file holds no DNSKEY record');
  const [, owner, rdataText] = parts as unknown as [string, string, string];
  const dnskey = refuseErrors(() => {
    const name = parseAbsoluteName(owner);
    if (name !== apex) {
      throw new Error(`the key is one of ${printAbsoluteName(name)}`);
    }
    return parseRdataText(rrtype.DNSKEY, rdataText);
  });
  if (!isZoneKey(dnskey)) throw refused('the DNSKEY is no zone key, or it is revoked');
  return dnskey;
}

function checkStrength(algorithm: Algorithm, dnskey: Buffer): void {
  if (algorithm.family !== 'rsa') return;
  const bits = refuseErrors(() => rsaModulusBits(publicKeyOfDnskey(dnskey)));
  const { modulusBits: min } = algorithm;
  if (bits < min) throw refused(`the RSA key has ${bits} bit, and ${min} is the least`);
}

/** The lines `Field: value` of a private file. */
function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return fields;
}

function buildPrivateKey(
  algorithm: Algorithm,
  dnskey: Buffer,
  fields: ReadonlyMap<string, string>,
): KeyObject {
  const bytes = (field: string): Buffer => {
    const text = fields.get(field);
    if (text === undefined) throw refused(`the private file has no ${field}`);
    return Buffer.from(text, 'base64');
  };
  const jwk: webcrypto.JsonWebKey = publicJwk(algorithm.number, publicKeyOfDnskey(dnskey));
  switch (algorithm.family) {
    case 'rsa':
      for (const [field, member] of rsaFields) jwk[member] = toUrl(bytes(field));
      break;
    case 'ec':
      jwk.d = toUrl(padLeft(bytes('PrivateKey'), algorithm.fieldBytes));
      break;
    case 'ed':
      jwk.d = toUrl(bytes('PrivateKey'));
      break;
    default:
      return unreachable(algorithm);
  }
  return refuseErrors(() => createPrivateKey({ key: jwk, format: 'jwk' }));
}

/** Some writers leave out leading zeros of the private number. */
function padLeft(number: Buffer, bytes: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, bytes - number.length)), number]);
}

/** A key made of both halves proves nothing about them: what one signs the other must accept. */
function belongTogether(algorithm: Algorithm, dnskey: Buffer, privateKey: KeyObject): boolean {
  const publicKey = publicKeyOfDnskey(dnskey);
  if (!publicKeyField(algorithm.number, privateKey).equals(publicKey)) return false;
  const { hash } = algorithm;
  const sample = Buffer.from('do these two halves belong together?');
  const key = { key: publicJwk(algorithm.number, publicKey), format: 'jwk' } as const;
  return verify(hash, sample, key, sign(hash, sample, privateKey));
}

function refuseErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function refused(reason: string): Problem {
  return new Problem('INVALID_INPUT', `the key files can not be used: ${reason}`);
}
