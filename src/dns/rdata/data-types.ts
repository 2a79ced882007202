/**
 * Types that hold identifiers, addresses of other networks and data that mean nothing to the DNS.
 */
import { eui, hexGroups, ipv4 } from './fields/address.ts';
import { base64Rest, hexRest } from './fields/binary.ts';
import { optionalField } from './fields/form.ts';
import { atmAddress, nodeNumber, nsapAddress } from './fields/network-address.ts';
import { u8, u16, u32 } from './fields/number.ts';
import { characterString } from './fields/string.ts';
import { type FormatRows, laterAndUnportable } from './format.ts';

export const dataTypes = {
  /** A link-layer address of 48 bits (RFC 7043). */
  EUI48: { fields: [eui('address', 6)] },
  /** A link-layer address of 64 bits (RFC 7043). */
  EUI64: { fields: [eui('address', 8)] },
  /** Which DHCP client owns a name (RFC 4701 3). */
  DHCID: { fields: [base64Rest('digest')] },
  /** A node identifier of ILNP (RFC 6742 2.1). */
  NID: { fields: [u16('preference'), hexGroups('node identifier')], isLater: true },
  /** A locator of ILNP of 32 bits (RFC 6742 2.2), written like an IPv4 address. */
  L32: { fields: [u16('preference'), ipv4('locator')], isLater: true },
  /** A locator of ILNP of 64 bits (RFC 6742 2.3). */
  L64: { fields: [u16('preference'), hexGroups('locator')], isLater: true },
  /** An address of the OSI network service (RFC 1706 5). */
  NSAP: { fields: [nsapAddress('address')], ...laterAndUnportable },
  /** An address of an ATM network (ATM Forum af-saa-0069). */
  ATMA: { fields: [atmAddress('address')], ...laterAndUnportable },
  /** The node number of the bundle protocol (draft-johnson-dns-ipn-cla-07 3.1). */
  IPN: { fields: [nodeNumber('node number')], ...laterAndUnportable },
  /** An endpoint identifier of Nimrod (draft-ietf-nimrod-dns-02). */
  EID: { fields: [hexRest('identifier')], ...laterAndUnportable },
  /** A locator of Nimrod (draft-ietf-nimrod-dns-02). */
  NIMLOC: { fields: [hexRest('locator')], ...laterAndUnportable },
  /** The identity of a drone (RFC 9886 5.1): CBOR. */
  HHIT: { fields: [base64Rest('data')], ...laterAndUnportable },
  /** The broadcast of a drone (RFC 9886 5.2): CBOR. */
  BRID: { fields: [base64Rest('data')], ...laterAndUnportable },
  /** Anything (draft-eastlake-kitchen-sink-02). */
  SINK: {
    fields: [u8('meaning'), u8('coding'), u8('subcoding'), optionalField(base64Rest('data'))],
    ...laterAndUnportable,
  },
  /** A digital object (draft-durand-doa-over-dns-03 3); `-` for no data. */
  DOA: {
    fields: [
      u32('enterprise'),
      u32('type'),
      u8('location'),
      characterString('media type'),
      optionalField(base64Rest('data'), '-'),
    ],
    ...laterAndUnportable,
  },
} satisfies FormatRows;
