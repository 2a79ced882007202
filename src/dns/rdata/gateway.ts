/**
 * IPSECKEY (RFC 4025 2 and 3) and AMTRELAY (RFC 8777 4): a gateway or relay whose form depends on a type
 * before it. In AMTRELAY that type shares its byte with the D bit, and in text both are numbers.
 *
 * An IPSECKEY record without key, which the RFC allows, is refused because BIND takes no zone that has one.
 */
import type { ByteWriter } from '../../base/byte-writer.ts';
import { keyFromWire, printAbsoluteName } from '../name.ts';
import { ipv4, ipv6 } from './fields/address.ts';
import { base64Rest } from './fields/binary.ts';
import { uncompressedName } from './fields/name.ts';
import { u8 } from './fields/number.ts';
import { type Field, type FormatRows, laterAndUnportable } from './format.ts';
import { WireReader } from './wire-reader.ts';

const discoveryBit = 0x80;
const relayTypeMask = 0x7f;

const discoveryAndType: Field = {
  label: 'discovery optional, relay type',
  width: 1,
  parse: (tokens, out) => {
    const discovery = tokens.word('discovery optional');
    if (discovery !== '0' && discovery !== '1') {
      throw tokens.refuse('discovery optional', 'is 0 or 1', discovery);
    }
    const type = tokens.number('relay type', relayTypeMask);
    out.room(1)[out.length++] = (discovery === '1' ? discoveryBit : 0) | type;
  },
  read: (wire, out) => wire.copy(1, 'relay type', out),
  print: (wire) => {
    const byte = wire.u8('relay type');
    return `${byte >> 7} ${byte & relayTypeMask}`;
  },
};

export const gatewayTypes = {
  IPSECKEY: {
    fields: [
      u8('precedence'),
      withGateway('gateway', [u8('gateway type'), u8('algorithm')], 0xff),
      base64Rest('public key'),
    ],
    isLater: true,
    check: checkIpsecKey,
  },
  AMTRELAY: {
    fields: [u8('precedence'), withGateway('relay', [discoveryAndType], relayTypeMask)],
    ...laterAndUnportable,
  },
} satisfies FormatRows;

const gatewayOffset = 3;

/**
 * Knot can not write its file of a zone with algorithm 0, which means that there is no key; NSD reads a gateway in its
 * own file as another name, or not at all, where a label has dots or bytes that are no text.
 */
function checkIpsecKey(rdata: Buffer): string | undefined {
  if (rdata[2] === 0) {
    return 'algorithm is not 0: Knot can not write its file of a zone that has one';
  }
  if (rdata[1] !== 3) return undefined;
  const name = printAbsoluteName(keyFromWire(rdata, gatewayOffset));
  return name.includes('\\')
    ? `gateway '${name}' needs escapes, which NSD does not read back from its file of the zone`
    : undefined;
}

/**
 * The fields of `before`, a byte each, and after them a gateway; the first byte, masked, says of which type:
 * 0 nothing, 1 IPv4, 2 IPv6, 3 a name.
 */
function withGateway(label: string, before: readonly Field[], typeMask: number): Field {
  const forms: readonly Field[] = [
    nothing(label),
    ipv4(label),
    ipv6(label),
    uncompressedName(label),
  ];
  const typeRule = `is a number from 0 to ${forms.length - 1}`;
  const formAt = (bytes: Buffer, at = 0) => forms[bytes[at]! & typeMask];
  return {
    label: [...before.map((field) => field.label), label].join(', '),
    parse: (tokens, out: ByteWriter) => {
      const start = out.length;
      for (const field of before) field.parse(tokens, out);
      const form = formAt(out.buffer, start);
      if (form === undefined) {
        const type = out.buffer[start]! & typeMask;
        throw tokens.refuse(`${label} type`, typeRule, String(type));
      }
      form.parse(tokens, out);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(before.length, label);
      const form = formAt(bytes);
      if (form === undefined) throw wire.refuse(`${label} type`, typeRule);
      out.add(bytes);
      form.read(wire, out);
    },
    print: (wire) => {
      const bytes = wire.bytes(before.length, label);
      const reader = new WireReader(wire.mnemonic, bytes);
      const texts = before.map((field) => field.print(reader));
      return [...texts, formAt(bytes)!.print(wire)].join(' ');
    },
  };
}

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
