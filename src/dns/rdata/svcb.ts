/**
 * SVCB and HTTPS: how to reach a service (RFC 9460 2 and 9): priority, target, parameters. Priority 0 is an
 * alias, whose parameters mean nothing but are kept.
 *
 * Parameters are `key` or `key=value` (RFC 9460 2.1, 2.2, 7, 8, appendix A).
 * On the wire keys ascend and are unique; text may have them in any order. A known key given as
 * `keyNNNNN` takes its value as plain bytes and is validated like any other. Refused: a key twice,
 * key 65535, a `mandatory` that lists itself, a key twice or an absent key, `no-default-alpn`
 * without `alpn`, values that break their key's form.
 */
import { limits } from '../../base/limits.ts';
import type { OctetWriter } from '../../base/octet-writer.ts';
import { printQuoted } from '../tokens.ts';
import { RdataError } from './error.ts';
import { plainName } from './fields/name.ts';
import { u16, writeNumber } from './fields/number.ts';
import type { Field, FormatRows } from './format.ts';
import { keyName, keyNumber, svcKey, valueFormat } from './svcvalues.ts';
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
    const texts = readParameters(wire).map(printParameter);
    return texts.length === 0 ? undefined : texts.join(' ');
  },
};

const service = {
  fields: [u16('priority'), plainName('target'), parametersField],
  namesHost: true,
  // BIND 9.18 does not know the parameter `ohttp` (RFC 9540) by name.
  isPortable: (text: string) => !text.includes('ohttp'),
};

export const serviceTypes = { SVCB: service, HTTPS: service } satisfies FormatRows;

function writeValid(mnemonic: string, parameters: readonly Parameter[], out: OctetWriter): void {
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
  if (value.length > limits.rdataOctets) {
    throw tokens.refuse(keyName(key), `has at most ${limits.rdataOctets} bytes`, 'more');
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
  if (format !== undefined) {
    const text = format.print(value);
    return text === '' ? keyName(key) : `${keyName(key)}=${text}`;
  }
  return value.length === 0
    ? keyName(key)
    : `${keyName(key)}=${printQuoted(value.toString('latin1'))}`;
}
