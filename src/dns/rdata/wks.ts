/**
 * WKS: services of a host (RFC 1035 3.4.2): its address, a protocol, and a bitmap with a bit for each port.
 *
 * Printed as numbers, read as numbers or as the names that RFC 1010 gave the usual ones. Zero bytes at
 * the end of a bitmap mean nothing and are left out.
 */
import { lowerAscii } from '../name.ts';
import { ipv4 } from './fields/address.ts';
import { bitsOfNumbers, numbersOfBits, setField } from './fields/bitmap.ts';
import { namedNumber } from './fields/number.ts';
import { type FormatRows, laterAndUnportable } from './format.ts';
import type { TokenReader } from './token-reader.ts';

/** Bytes before the bitmap. */
const portsOffset = 5;

/** Bytes of a bitmap of all ports. */
const maxBitmapBytes = 8192;

const protocols = { TCP: 6, UDP: 17 };

/** Numbers by name, as they are assigned for both protocols. */
const assigned = {
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
const ports = new Map<string, number>(
  Object.entries(assigned).map(([name, port]) => [lowerAscii(name), port]),
);

const portBitmap = setField('ports', {
  rule: `have at most ${maxBitmapBytes} bytes`,
  parseWord: parsePort,
  printWord: String,
  encode: bitsOfNumbers,
  decode: (bits) => (bits.length > maxBitmapBytes ? undefined : numbersOfBits(bits)),
});

export const wksTypes = {
  WKS: {
    fields: [ipv4('address'), namedNumber('protocol', 1, protocols, false), portBitmap],
    ...laterAndUnportable,
    check: checkServices,
  },
} satisfies FormatRows;

/** NSD writes others, by the names that its host has for protocols, and then may not read its own file. */
function checkServices(rdata: Buffer): string | undefined {
  const protocol = rdata[portsOffset - 1]!;
  if (protocol !== protocols.TCP && protocol !== protocols.UDP) {
    return `protocol is 6 (TCP) or 17 (UDP), not ${protocol}`;
  }
  return rdata.length > portsOffset ? undefined : 'names one port at least';
}

function parsePort(tokens: TokenReader, label: string): number {
  const text = tokens.word(label);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : ports.get(lowerAscii(text));
  if (port !== undefined && port <= 0xffff) return port;
  throw tokens.refuse(label, 'are numbers from 0 to 65535 or names of usual services', text);
}
