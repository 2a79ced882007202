/**
 * The parameters of SVCB and HTTPS (RFC 9460 2.1, 2.2, 7, 8, appendix A): `key` or `key=value`.
 *
 * On the wire keys ascend and are unique; text may have them in any order. A known key given as
 * `keyNNNNN` takes its value as plain octets and is validated like any other. Refused: a key twice,
 * key 65535, a `mandatory` that lists itself, a key twice or an absent key, `no-default-alpn`
 * without `alpn`, values that break their key's form.
 */
import { limits } from '../../base/limits.ts';
import { printQuoted } from '../zonefile/tokens.ts';
import { RdataError } from './error.ts';
import type { Field } from './format.ts';
import { keyName, keyNumber, svcKey, valueFormat } from './svcvalues.ts';
import type { TokenReader } from './tokenreader.ts';
import type { WireReader } from './wirereader.ts';

interface Parameter {
  readonly key: number;
  readonly value: Buffer;
}

export function serviceParameters(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      const parameters: Parameter[] = [];
      while (tokens.hasMore) parameters.push(parseParameter(tokens, label));
      parameters.sort((a, b) => a.key - b.key);
      validate(tokens.mnemonic, parameters);
      for (const { key, value } of parameters) out.push(header(key, value.length), value);
    },
    read: (wire, out) => {
      const parameters = readParameters(wire, label);
      validate(wire.mnemonic, parameters);
      for (const { key, value } of parameters) out.push(header(key, value.length), value);
    },
    print: (wire) => {
      const texts = readParameters(wire, label).map(printParameter);
      return texts.length === 0 ? undefined : texts.join(' ');
    },
  };
}

function header(key: number, length: number): Buffer {
  return Buffer.of(key >> 8, key & 0xff, length >> 8, length & 0xff);
}

function parseParameter(tokens: TokenReader, label: string): Parameter {
  const word = tokens.word(label);
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  let valueText = equals < 0 ? '' : word.slice(equals + 1);
  const following = tokens.peek();
  if (following?.quoted && following.joined) {
    // Only directly after the equals sign: alpn="h2".
    if (equals !== word.length - 1) throw tokens.refuse(label, 'have one value each', word);
    valueText = tokens.next(label).text;
  }
  const key = keyNumber(name);
  if (key === undefined) throw tokens.refuse(label, 'are written key or key=value', word);
  const octets = tokens.resolve(valueText, keyName(key));
  const format = /^key/i.test(name) ? undefined : valueFormat(key);
  const value = format === undefined ? Buffer.from(octets, 'latin1') : format.parse(octets);
  if (value === undefined) {
    throw tokens.refuse(keyName(key), format!.rule, valueText);
  }
  if (value.length > limits.rdataOctets) {
    throw tokens.refuse(keyName(key), `has at most ${limits.rdataOctets} octets`, 'more');
  }
  return { key, value };
}

function readParameters(wire: WireReader, label: string): Parameter[] {
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
  if (format !== undefined) {
    const text = format.print(value);
    return text === '' ? keyName(key) : `${keyName(key)}=${text}`;
  }
  return value.length === 0
    ? keyName(key)
    : `${keyName(key)}=${printQuoted(value.toString('latin1'))}`;
}

/** BIND 9.18 does not know the parameter `ohttp` (RFC 9540) by name. */
export function hasPortableParameters(text: string): boolean {
  return !text.includes('ohttp');
}
