/**
 * Protocol and ports of WKS (RFC 1035 3.4.2): a protocol number, and a bitmap with a bit for each port.
 *
 * Printed as numbers, read as numbers or as the names that RFC 1010 gave the usual ones. Zero octets at
 * the end of a bitmap mean nothing and are left out.
 */
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';
import { namedNumber } from './number.ts';

/** Octets of a bitmap of all ports. */
const mostBitmapOctets = 8192;

/** Numbers by name, as they are assigned for both protocols. */
const ports: Readonly<Record<string, number>> = {
  ECHO: 7,
  DISCARD: 9,
  SYSTAT: 11,
  DAYTIME: 13,
  NETSTAT: 15,
  QOTD: 17,
  CHARGEN: 19,
  'FTP-DATA': 20,
  FTP: 21,
  SSH: 22,
  TELNET: 23,
  SMTP: 25,
  TIME: 37,
  NICNAME: 43,
  WHOIS: 43,
  DOMAIN: 53,
  BOOTPS: 67,
  BOOTPC: 68,
  TFTP: 69,
  GOPHER: 70,
  FINGER: 79,
  HTTP: 80,
  WWW: 80,
  HOSTNAMES: 101,
  POP3: 110,
  SUNRPC: 111,
  NNTP: 119,
  NTP: 123,
  IMAP: 143,
  SNMP: 161,
  HTTPS: 443,
};
const portOf = new Map(Object.entries(ports));

export function protocol(): Field {
  return namedNumber('protocol', 1, { TCP: 6, UDP: 17 }, false);
}

export function portBitmap(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const bitmap = Buffer.alloc(mostBitmapOctets);
      while (tokens.hasMore) {
        const port = parsePort(tokens, label);
        bitmap[port >> 3] = bitmap[port >> 3]! | (0x80 >> (port & 7));
      }
      out.push(withoutZeros(bitmap));
    },
    read: (wire, out) => {
      const bitmap = wire.rest();
      if (bitmap.length > mostBitmapOctets) {
        throw wire.refuse(label, `have at most ${mostBitmapOctets} octets`);
      }
      out.push(withoutZeros(bitmap));
    },
    print: (wire) => {
      const numbers: number[] = [];
      for (const [index, octet] of wire.rest().entries()) {
        for (let bit = 0; bit < 8; bit++) if (octet & (0x80 >> bit)) numbers.push(index * 8 + bit);
      }
      return numbers.length === 0 ? undefined : numbers.join(' ');
    },
  };
}

function parsePort(tokens: TokenReader, label: string): number {
  const text = tokens.word(label);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : portOf.get(text.toUpperCase());
  if (port !== undefined && port <= 0xffff) return port;
  throw tokens.refuse(label, 'are numbers from 0 to 65535 or names of usual services', text);
}

function withoutZeros(bitmap: Buffer): Buffer {
  let used = bitmap.length;
  while (used > 0 && bitmap[used - 1] === 0) used--;
  return bitmap.subarray(0, used);
}
