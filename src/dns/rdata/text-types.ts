/**
 * Types that are text: character-strings (RFC 1035 3.3), or text to the end of the RDATA. The ones that have
 * the RDATA of TXT have its values too: segments, which are kept as they are and never merged.
 */
import { optionalField } from './fields/form.ts';
import { u8, u16 } from './fields/number.ts';
import { characterString, characterStrings, matching, tag, textRest } from './fields/string.ts';
import { type FormatRows, laterAndUnportable } from './format.ts';

const segments = { fields: [characterStrings('string')], hasSegments: true } as const;

const decimal = matching(/^[+-]?(\d+(\.\d*)?|\.\d+)$/, 'is a decimal number');
const maxDegrees = 180;

export const textTypes = {
  /** One or more character-strings (RFC 1035 3.3.14). */
  TXT: segments,
  /** The policy of senders before it moved to TXT (RFC 4408 3.1.1, RFC 7208 3.1). */
  SPF: { ...segments, isLater: true },
  /** Visibility of applications (IANA template AVC). */
  AVC: { ...segments, ...laterAndUnportable },
  /** Adapters of the bundle protocol (draft-johnson-dns-ipn-cla-07 3.2). */
  CLA: { ...segments, ...laterAndUnportable },
  /** The status of a zone (draft-reid-dnsext-zs-01). */
  NINFO: { ...segments, ...laterAndUnportable },
  /** What a resolver can do (RFC 9606 4): keys and values. */
  RESINFO: { ...segments, ...laterAndUnportable },
  /** Public addresses of wallets (IANA template WALLET). */
  WALLET: { ...segments, ...laterAndUnportable },
  /** Host information (RFC 1035 3.3.2, RFC 8482). */
  HINFO: { fields: [characterString('CPU'), characterString('OS')] },
  /**
   * Which authorities may issue certificates (RFC 8659 4). A tag is 1 to 15 letters and digits, stored
   * lower-case: case says nothing (RFC 8659 4.1), and NSD reads no other.
   */
  CAA: { fields: [u8('flags'), tag('tag'), textRest('value', { mayBeEmpty: true })] },
  /** A target URI in quotes (RFC 7553 4), which must not be empty. */
  URI: { fields: [u16('priority'), u16('weight'), textRest('target', { mayBeEmpty: false })] },
  /** A telephone number (RFC 1183 3.2) and, where there is one, a subaddress. */
  ISDN: {
    fields: [characterString('address'), optionalField(characterString('subaddress'))],
    ...laterAndUnportable,
  },
  /** An address in a public packet network (RFC 1183 3.1). */
  X25: {
    fields: [characterString('address', matching(/^\d{4,}$/, 'has four digits or more'))],
    ...laterAndUnportable,
  },
  /**
   * A place on earth before LOC (RFC 1712 3). The RFC's own example has latitude first, so the first may be
   * up to 180 either way.
   */
  GPOS: {
    fields: [
      characterString('longitude', decimal),
      characterString('latitude', decimal),
      characterString('altitude', decimal),
    ],
    ...laterAndUnportable,
    check: checkDegrees,
  },
} satisfies FormatRows;

function checkDegrees(rdata: Buffer): string | undefined {
  const second = rdata[0]! + 1;
  for (const at of [0, second]) {
    const text = rdata.toString('latin1', at + 1, at + 1 + rdata[at]!);
    if (Math.abs(Number(text)) > maxDegrees) {
      return `degrees are at most ${maxDegrees}, not '${text}'`;
    }
  }
  return undefined;
}
