/**
 * The keys of SVCB and HTTPS parameters and the forms of their values (RFC 9460 7 and 14.3, RFC
 * 9461 5 for dohpath, RFC 9540 4 for ohttp).
 *
 * `parse` takes the bytes of the text, one character each, after its escapes are resolved; lists are split at commas
 * after that (RFC 9460 appendix A.1), so a comma inside an item is written `\\,`.
 */
import { isUtf8 } from 'node:buffer';
import { printQuoted } from '../tokens.ts';
import { parseIpv4, parseIpv6, printIpv4, printIpv6 } from './fields/address.ts';
import { parseBase64 } from './fields/binary.ts';

export const svcKey = {
  mandatory: 0,
  alpn: 1,
  noDefaultAlpn: 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
  ohttp: 8,
  invalid: 65_535,
} as const;

const names = [
  'mandatory',
  'alpn',
  'no-default-alpn',
  'port',
  'ipv4hint',
  'ech',
  'ipv6hint',
  'dohpath',
  'ohttp',
];

/** The name of a key: its mnemonic or `keyNNNNN`. */
export function keyName(key: number): string {
  return names[key] ?? `key${key}`;
}

/** The number of a key's name, in any case; undefined when it is none. No leading zeros. */
export function keyNumber(text: string): number | undefined {
  const lower = text.toLowerCase();
  const known = names.indexOf(lower);
  if (known >= 0) return known;
  const generic = /^key(0|[1-9]\d{0,4})$/.exec(lower);
  if (generic === null || Number(generic[1]) > 65_535) return undefined;
  return Number(generic[1]);
}

/** The form of one key's value. */
interface ValueFormat {
  /** What the value must be, to follow the key's name in a message. */
  readonly rule: string;
  parse(text: string): Buffer | undefined;
  isValid(value: Buffer): boolean;
  /** Text after the equals sign, quoted where it needs quotes; empty for no value. */
  print(value: Buffer): string;
}

/** The form of a known key's value; undefined for keys whose values are opaque. */
export function valueFormat(key: number): ValueFormat | undefined {
  return formats[key];
}

const mandatory: ValueFormat = {
  rule: 'lists other keys of the record, each once',
  parse: (text) => {
    const keys = text.split(',').map(keyNumber);
    if (keys.some((key) => key === undefined)) return undefined;
    const value = Buffer.alloc(keys.length * 2);
    const sorted = (keys as number[]).sort((a, b) => a - b);
    sorted.forEach((key, index) => {
      value.writeUInt16BE(key, index * 2);
    });
    return mandatory.isValid(value) ? value : undefined;
  },
  isValid: (value) => {
    if (value.length === 0 || value.length % 2 !== 0) return false;
    let last: number = svcKey.mandatory;
    for (let at = 0; at < value.length; at += 2) {
      const key = value.readUInt16BE(at);
      if (key <= last) return false;
      last = key;
    }
    return true;
  },
  print: (value) => {
    const keys: string[] = [];
    for (let at = 0; at < value.length; at += 2) keys.push(keyName(value.readUInt16BE(at)));
    return keys.join(',');
  },
};

const alpn: ValueFormat = {
  rule: 'lists protocol names of 1 to 255 bytes',
  parse: (text) => {
    const items = splitList(text);
    if (items?.every((item) => item.length > 0 && item.length <= 255) !== true) return undefined;
    const parts = items.map((item) => String.fromCharCode(item.length) + item);
    return Buffer.from(parts.join(''), 'latin1');
  },
  isValid: (value) => {
    let at = 0;
    while (at < value.length && value[at] !== 0) at += value[at]! + 1;
    return value.length > 0 && at === value.length;
  },
  print: (value) => {
    const items: string[] = [];
    for (let at = 0; at < value.length; at += value[at]! + 1) {
      const item = value.toString('latin1', at + 1, at + 1 + value[at]!);
      items.push(item.replace(/[,\\]/g, '\\$&'));
    }
    return printQuoted(items.join(','));
  },
};

/** Splits at commas; `\,` and `\\` are a comma and a backslash inside an item. */
function splitList(text: string): string[] | undefined {
  const items = [''];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ',') {
      items.push('');
      continue;
    }
    if (text[at] === '\\' && ++at === text.length) return undefined;
    items[items.length - 1] += text[at]!;
  }
  return items;
}

const noValue: ValueFormat = {
  rule: 'has no value',
  parse: (text) => (text === '' ? Buffer.alloc(0) : undefined),
  isValid: (value) => value.length === 0,
  print: () => '',
};

const port: ValueFormat = {
  rule: 'is a number from 0 to 65535',
  parse: (text) => {
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) return undefined;
    return Buffer.of(Number(text) >> 8, Number(text) & 0xff);
  },
  isValid: (value) => value.length === 2,
  print: (value) => String(value.readUInt16BE(0)),
};

function hints(
  rule: string,
  width: number,
  parse: (text: string) => Buffer | undefined,
  print: (bytes: Buffer) => string,
): ValueFormat {
  return {
    rule,
    parse: (text) => {
      const addresses = text.split(',').map(parse);
      if (addresses.includes(undefined)) return undefined;
      return Buffer.concat(addresses as Buffer[]);
    },
    isValid: (value) => value.length > 0 && value.length % width === 0,
    print: (value) => {
      const addresses: string[] = [];
      for (let at = 0; at < value.length; at += width) {
        addresses.push(print(value.subarray(at, at + width)));
      }
      return addresses.join(',');
    },
  };
}

const ech: ValueFormat = {
  rule: 'is base64 and not empty',
  parse: (text) => (text === '' ? undefined : parseBase64(text)),
  isValid: (value) => value.length > 0,
  print: (value) => value.toString('base64'),
};

const dohpath: ValueFormat = {
  rule: 'is a URI template that starts with / and has the variable dns, like /dns-query{?dns}',
  parse: (text) => {
    const value = Buffer.from(text, 'latin1');
    return dohpath.isValid(value) ? value : undefined;
  },
  isValid: (value) => {
    if (value[0] !== 0x2f || !isUtf8(value)) return false;
    // Expressions first, the variable second: one pattern for both could take quadratic time.
    const expressions = value.toString('latin1').match(/\{[^{}]*\}/g) ?? [];
    return expressions.some((expression) => /\bdns\b/.test(expression));
  },
  print: (value) => printQuoted(value.toString('latin1')),
};

const formats: readonly ValueFormat[] = [
  mandatory,
  alpn,
  noValue,
  port,
  hints('lists IPv4 addresses', 4, parseIpv4, printIpv4),
  ech,
  hints('lists IPv6 addresses', 16, parseIpv6, printIpv6),
  dohpath,
  noValue,
];
