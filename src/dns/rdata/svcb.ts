/**
 * SVCB and HTTPS: how to reach a service (RFC 9460 2 and 9): priority, target, parameters. Priority 0 is an
 * alias, whose parameters mean nothing but are kept.
 *
 * Parameters are `key` or `key=value` (RFC 9460 2.1, 2.2, 7, 8, 14.3, appendix A; RFC 9461 5 for dohpath, RFC 9540 4
 * for ohttp).
 * On the wire keys ascend and are unique; text may have them in any order. A known key given as
 * `keyNNNNN` takes its value as plain bytes and is validated like any other. Refused: a key twice,
 * key 65535, a `mandatory` that lists itself, a key twice or an absent key, `no-default-alpn`
 * without `alpn`, values that break their key's form.
 */
import { isUtf8 } from 'node:buffer';
import { limits } from '../../base/limits.ts';
import type { ByteWriter } from '../../base/byte-writer.ts';
import { RdataError } from '../error.ts';
import { escapedByte, printQuoted } from '../tokens.ts';
import { parseIpv4, parseIpv6, printIpv4, printIpv6 } from './fields/address.ts';
import { parseBase64 } from './fields/binary.ts';
import { uncompressedName } from './fields/name.ts';
import { u16, writeNumber } from './fields/number.ts';
import type { Field, FormatRows } from './format.ts';
import type { TokenReader } from './token-reader.ts';
import type { WireReader } from './wire-reader.ts';

interface Parameter {
  readonly key: number;
  readonly value: Buffer;
}

const label = 'parameters';

const parametersField: Field = {
  label,
  parse: (tokens, out) => {
    const parameters: Parameter[] = [];
    while (tokens.hasMore) parameters.push(parseParameter(tokens));
    parameters.sort((a, b) => a.key - b.key);
    writeValid(tokens.mnemonic, parameters, out);
  },
  read: (wire, out) => writeValid(wire.mnemonic, readParameters(wire), out),
  print: (wire) => {
    const { isPortable } = wire.style;
    const texts = readParameters(wire).map(isPortable ? printPortable : printParameter);
    return texts.length === 0 ? undefined : texts.join(' ');
  },
};

const service = {
  fields: [u16('priority'), uncompressedName('target'), parametersField],
  namesHost: true,
  isLater: true,
};

export const serviceTypes = { SVCB: service, HTTPS: service } satisfies FormatRows;

function writeValid(mnemonic: string, parameters: readonly Parameter[], out: ByteWriter): void {
  validate(mnemonic, parameters);
  for (const { key, value } of parameters) {
    writeNumber(key, 2, out);
    writeNumber(value.length, 2, out);
    out.add(value);
  }
}

function parseParameter(tokens: TokenReader): Parameter {
  const word = tokens.word(label);
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  let valueText = equals < 0 ? '' : word.slice(equals + 1);
  if (tokens.isQuotedValue) {
    // Only directly after the equals sign: alpn="h2".
    if (equals !== word.length - 1) throw tokens.refuse(label, 'have one value each', word);
    tokens.take(label);
    valueText = tokens.text;
  }
  const key = keyNumber(name);
  if (key === undefined) throw tokens.refuse(label, 'are written key or key=value', word);
  const resolved = tokens.resolve(valueText, keyName(key));
  const format = /^key/i.test(name) ? undefined : valueFormat(key);
  const value = format === undefined ? Buffer.from(resolved, 'latin1') : format.parse(resolved);
  if (value === undefined) {
    throw tokens.refuse(keyName(key), format!.rule, valueText);
  }
  if (value.length > limits.rdataBytes) {
    throw tokens.refuse(keyName(key), `has at most ${limits.rdataBytes} bytes`, 'more');
  }
  return { key, value };
}

function readParameters(wire: WireReader): Parameter[] {
  const parameters: Parameter[] = [];
  while (wire.remaining > 0) {
    const key = wire.u16(label);
    parameters.push({ key, value: wire.bytes(wire.u16(label), label) });
  }
  return parameters;
}

/** The rules of the wire form, which hold for parsed text as well. */
function validate(mnemonic: string, parameters: readonly Parameter[]): void {
  const keys = new Set<number>();
  let lastKey = -1;
  for (const { key, value } of parameters) {
    if (key === lastKey) throw new RdataError(`${mnemonic} has ${keyName(key)} twice`);
    if (key < lastKey) throw new RdataError(`${mnemonic} keys are not in ascending order`);
    if (key === svcKey.invalid) throw new RdataError(`${mnemonic} key 65535 is reserved`);
    const format = valueFormat(key);
    if (format !== undefined && !format.isValid(value)) {
      throw new RdataError(`${mnemonic} ${keyName(key)} ${format.rule}`);
    }
    keys.add(key);
    lastKey = key;
  }
  if (keys.has(svcKey.noDefaultAlpn) && !keys.has(svcKey.alpn)) {
    throw new RdataError(`${mnemonic} has no-default-alpn without alpn`);
  }
  const mandatory = parameters[0]?.key === svcKey.mandatory ? parameters[0].value : undefined;
  for (let at = 0; mandatory !== undefined && at < mandatory.length; at += 2) {
    const key = mandatory.readUInt16BE(at);
    if (keys.has(key)) continue;
    throw new RdataError(`${mnemonic} mandatory lists ${keyName(key)}, which is absent`);
  }
}

function printParameter({ key, value }: Parameter): string {
  const format = valueFormat(key);
  const text = format?.print(value, keyName) ?? printOpaque(value);
  return text === '' ? keyName(key) : `${keyName(key)}=${text}`;
}

/**
 * As other servers read it. By name are the keys of RFC 9460, as not all know later ones; PowerDNS 4.7 wants a value
 * for every numbered key.
 */
function printPortable({ key, value }: Parameter): string {
  if (key > svcKey.lastOfRfc9460)
    return `key${key}=${withoutSigns(printQuoted(value.latin1Slice()))}`;
  const text = withoutSigns(valueFormat(key)!.print(value, portableKeyName));
  return text === '' ? keyName(key) : `${keyName(key)}=${text}`;
}

function portableKeyName(key: number): string {
  return key > svcKey.lastOfRfc9460 ? `key${key}` : keyName(key);
}

/** Without the signs of parentheses and comments, which mean that to PowerDNS in these values, quoted or not. */
function withoutSigns(text: string): string {
  return text.replace(/[();]/g, escapedByte);
}

function printOpaque(value: Buffer): string {
  return value.length === 0 ? '' : printQuoted(value.latin1Slice());
}

/** The name of a key: its mnemonic or `keyNNNNN`. */
function keyName(key: number): string {
  return names[key] ?? `key${key}`;
}

/** The number of a key's name, in any case; undefined when it is none. No leading zeros. */
function keyNumber(text: string): number | undefined {
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
  /**
   * Takes the bytes of the text, one character each, after its escapes are resolved; lists are split at commas after
   * that (RFC 9460 appendix A.1), so a comma inside an item is written `\\,`.
   */
  parse(text: string): Buffer | undefined;
  isValid(value: Buffer): boolean;
  /** Text after the equals sign, quoted where it needs quotes; empty for no value. */
  print(value: Buffer, keyText: (key: number) => string): string;
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
  print: (value, keyText) => {
    const keys: string[] = [];
    for (let at = 0; at < value.length; at += 2) keys.push(keyText(value.readUInt16BE(at)));
    return keys.join(',');
  },
};

/**
 * Knot writes signs of parentheses and comments into its file of a zone as they are, and does not read that file then;
 * nor one with a list in which a name has one byte.
 */
const alpn: ValueFormat = {
  rule:
    'lists protocol names of 2 to 255 bytes (one alone may have 1) without ( ) and ;, ' +
    'as Knot does not read its own file of a zone that has others',
  parse: (text) => {
    const items = splitList(text);
    if (items?.every((item) => item.length > 0 && item.length <= 255) !== true) return undefined;
    const parts = items.map((item) => String.fromCharCode(item.length) + item);
    const value = Buffer.from(parts.join(''), 'latin1');
    return alpn.isValid(value) ? value : undefined;
  },
  isValid: (value) => {
    const items = protocolsOf(value);
    if (items === undefined || items.length === 0) return false;
    return items.every((item) => {
      return !/[();]/.test(item) && (item.length > 1 || (items.length === 1 && item !== ','));
    });
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

/** Names with a byte of length each; undefined for bytes that are no such list. */
function protocolsOf(value: Buffer): string[] | undefined {
  const items: string[] = [];
  let at = 0;
  while (at < value.length && value[at] !== 0) {
    items.push(value.toString('latin1', at + 1, at + 1 + value[at]!));
    at += value[at]! + 1;
  }
  return at === value.length ? items : undefined;
}

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
    // Part by part: one pattern for the whole could take quadratic time.
    const expressions: string[] = [];
    const rest = value.latin1Slice().replace(/\{([^{}]*)\}/g, (_, expression: string) => {
      expressions.push(expression);
      return '';
    });
    if (/\{|%(?![0-9A-Fa-f]{2})/.test(rest) || !expressions.every(isExpression)) return false;
    return expressions.some((expression) => variablesOf(expression).some((name) => name === 'dns'));
  },
  print: (value) => printQuoted(value.toString('latin1')),
};

/** A variable of RFC 6570 2.3 and 2.4, with its modifier. */
const variable = /^(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?::[1-9]\d{0,3}|\*)?$/;

/** Whether BIND takes it, which refuses a zone with another (RFC 6570 2.2): an operator, and variables. */
function isExpression(text: string): boolean {
  return text
    .replace(/^[+#./;?&]/, '')
    .split(',')
    .every((part) => variable.test(part));
}

function variablesOf(expression: string): string[] {
  return expression
    .replace(/^[+#./;?&]/, '')
    .split(',')
    .map((part) => part.replace(/[:*].*$/, ''));
}

/** By the names of their keys, which are numbered in this order. */
const formatOf: Readonly<Record<string, ValueFormat>> = {
  mandatory,
  alpn,
  'no-default-alpn': noValue,
  port,
  ipv4hint: hints('lists IPv4 addresses', 4, parseIpv4, printIpv4),
  ech,
  ipv6hint: hints('lists IPv6 addresses', 16, parseIpv6, printIpv6),
  dohpath,
  ohttp: noValue,
};
const names = Object.keys(formatOf);

/** Keys that rules are about. */
const svcKey = {
  mandatory: 0,
  alpn: 1,
  noDefaultAlpn: 2,
  lastOfRfc9460: 6,
  invalid: 65_535,
} as const;

/** The form of a known key's value; undefined for keys whose values are opaque. */
function valueFormat(key: number): ValueFormat | undefined {
  return formatOf[keyName(key)];
}
