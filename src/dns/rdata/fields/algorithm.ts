/**
 * The algorithm of a DNSSEC key (RFC 4034 A.1 and the IANA registry) and the times of a signature.
 */
import type { Field } from '../format.ts';
import { fixedField } from './form.ts';
import { namedNumber } from './number.ts';

const mnemonics = {
  RSAMD5: 1,
  DH: 2,
  DSA: 3,
  RSASHA1: 5,
  NSEC3DSA: 6,
  'DSA-NSEC3-SHA1': 6,
  NSEC3RSASHA1: 7,
  'RSASHA1-NSEC3-SHA1': 7,
  RSASHA256: 8,
  RSASHA512: 10,
  ECCGOST: 12,
  'ECC-GOST': 12,
  ECDSAP256SHA256: 13,
  ECDSAP384SHA384: 14,
  ED25519: 15,
  ED448: 16,
  INDIRECT: 252,
  PRIVATEDNS: 253,
  PRIVATEOID: 254,
};

/** A number, or on input a mnemonic. */
export function keyAlgorithm(label: string): Field {
  return namedNumber(label, 1, mnemonics, false);
}

/** As above, printed as mnemonic where there is one, as is usual in CERT (RFC 4398 2.2). */
export function keyAlgorithmName(label: string): Field {
  return namedNumber(label, 1, mnemonics, true);
}

/** 32-bit seconds since 1970, written YYYYMMDDHHmmSS in UTC, on input also as that number (RFC 4034 3.2). */
export function signatureTime(label: string): Field {
  return fixedField(label, 4, {
    rule: 'is a time written YYYYMMDDHHmmSS',
    parse: (text) => {
      const seconds = parseSignatureTime(text);
      if (seconds === undefined || seconds < 0 || seconds > 0xffff_ffff) return undefined;
      const bytes = Buffer.allocUnsafe(4);
      bytes.writeUInt32BE(seconds);
      return bytes;
    },
    print: (bytes) => printSignatureTime(bytes.readUInt32BE(0)),
  });
}

function parseSignatureTime(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day, hour, minute, second] = parts.slice(1).map(Number);
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  // Days and hours past their range would roll over into the next; printing again shows that.
  return printSignatureTime(seconds) === text ? seconds : undefined;
}

function printSignatureTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace(/\D/g, '');
}
