/**
 * A field whose form depends on the fields before it: the gateway of IPSECKEY (RFC 4025 2.5), the
 * relay of AMTRELAY (RFC 8777 4.2.4).
 */
import type { Field } from '../format.ts';
import { WireReader } from '../wirereader.ts';
import { ipv4, ipv6 } from './address.ts';
import { plainName } from './name.ts';

/** The greatest of the types of `gateway`: 0 nothing, 1 IPv4, 2 IPv6, 3 a name. */
const greatestGatewayType = 3;

/**
 * The fields of `before`, which have fixed widths, and after them a gateway of the type that
 * `typeOf` finds in their bytes.
 */
export function withGateway(
  label: string,
  before: readonly Field[],
  typeOf: (bytes: Buffer) => number,
): Field {
  const forms: readonly Field[] = [nothing(label), ipv4(label), ipv6(label), plainName(label)];
  const width = before.reduce((sum, field) => sum + Number(field.width), 0);
  return {
    label: [...before.map((field) => field.label), label].join(', '),
    parse: (tokens, out) => {
      const parts: Buffer[] = [];
      for (const field of before) field.parse(tokens, parts);
      const bytes = Buffer.concat(parts);
      const type = typeOf(bytes);
      const form = forms[type];
      if (form === undefined) throw tokens.refuse(`${label} type`, typeRule, String(type));
      out.push(bytes);
      form.parse(tokens, out);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(width, label);
      const form = forms[typeOf(bytes)];
      if (form === undefined) throw wire.refuse(`${label} type`, typeRule);
      out.push(bytes);
      form.read(wire, out);
    },
    print: (wire) => {
      const bytes = wire.bytes(width, label);
      const reader = new WireReader(wire.mnemonic, bytes);
      const texts = before.map((field) => field.print(reader));
      return [...texts, forms[typeOf(bytes)]!.print(wire)].join(' ');
    },
  };
}

const typeRule = `is a number from 0 to ${greatestGatewayType}`;

/** No gateway: written as a dot, no bytes. */
function nothing(label: string): Field {
  return {
    label,
    parse: (tokens) => {
      const text = tokens.word(label);
      if (text !== '.') throw tokens.refuse(label, 'of type 0 is written as a dot', text);
    },
    read: () => {},
    print: () => '.',
  };
}
