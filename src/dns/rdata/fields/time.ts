/**
 * The times of RRSIG: 32-bit seconds since 1970, written YYYYMMDDHHmmSS in UTC or as that number
 * (RFC 4034 3.2). Printed in the first form.
 */
import type { Field } from '../format.ts';
import { numberBytes } from './number.ts';

export function signatureTime(label: string): Field {
  return {
    label,
    width: 4,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const seconds = parseSignatureTime(text);
      if (seconds === undefined) {
        throw tokens.refuse(label, 'is a time written YYYYMMDDHHmmSS', text);
      }
      out.push(numberBytes(seconds, 4));
    },
    read: (wire, out) => {
      out.push(wire.bytes(4, label));
    },
    print: (wire) => printSignatureTime(wire.u32(label)),
  };
}

function parseSignatureTime(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text)) return Number(text) <= 0xffff_ffff ? Number(text) : undefined;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  // Days and hours past their range would roll over into the next; printing again shows that.
  if (seconds < 0 || seconds > 0xffff_ffff) return undefined;
  return printSignatureTime(seconds) === text ? seconds : undefined;
}

function printSignatureTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace(/\D/g, '');
}
