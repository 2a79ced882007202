/**
 * Types that hold addresses and names of hosts, services and mailboxes. Names of the types of RFC 1035 may
 * be compressed in messages; what the other kinds of name allow stands in fields/name.ts.
 */
import { ipv4, ipv6 } from './fields/address.ts';
import { compressibleName, name, uncompressedName } from './fields/name.ts';
import { u16, u32 } from './fields/number.ts';
import { type FormatRows, laterAndUnportable } from './format.ts';

export const hostTypes = {
  /** An IPv4 address (RFC 1035 3.4.1). */
  A: { fields: [ipv4('value')] },
  /** An IPv6 address (RFC 3596 2); presented as RFC 5952 says. */
  AAAA: { fields: [ipv6('value')] },
  /** A name server of a zone (RFC 1035 3.3.11). */
  NS: { fields: [compressibleName('name server')], namesHost: true },
  /** The canonical name of an alias (RFC 1035 3.3.1). */
  CNAME: { fields: [compressibleName('target')] },
  /** An alias of a whole subtree (RFC 6672); the target is never compressed when sent. */
  DNAME: { fields: [name('target')] },
  /** A pointer to another name (RFC 1035 3.3.12). */
  PTR: { fields: [compressibleName('target')] },
  /**
   * The start of authority (RFC 1035 3.3.13): not a record a caller stores; the zone has its fields. Times
   * are plain seconds: units such as `1h` are refused.
   */
  SOA: {
    fields: [
      compressibleName('mname'),
      compressibleName('rname'),
      u32('serial'),
      u32('refresh'),
      u32('retry'),
      u32('expire'),
      u32('minimum'),
    ],
  },
  /** A mail exchange (RFC 1035 3.3.9); host `.` means no mail (RFC 7505). */
  MX: {
    fields: [u16('preference'), compressibleName('exchange')],
    hasPriority: true,
    namesHost: true,
  },
  /** The server of a service (RFC 2782); target `.` means no service. */
  SRV: {
    fields: [u16('priority'), u16('weight'), u16('port'), name('target')],
    hasPriority: true,
    namesHost: true,
  },
  /** A key exchanger (RFC 2230). */
  KX: { fields: [u16('preference'), name('exchanger')] },
  /** A cell database server (RFC 1183 1, RFC 5864). */
  AFSDB: { fields: [u16('subtype'), name('host')] },
  /** A responsible person (RFC 1183 2.2): a mailbox as a name, and the name of a TXT record. */
  RP: { fields: [name('mailbox'), name('text name')] },
  /** A host that forwards to this one (RFC 1183 3.3). */
  RT: { fields: [u16('preference'), name('host')], ...laterAndUnportable },
  /** A name that has locators of ILNP (RFC 6742 2.4). */
  LP: { fields: [u16('preference'), uncompressedName('name')], isLater: true },
  /** Who answers for a mailbox or list (RFC 1035 3.3.7). */
  MINFO: { fields: [name('responsible mailbox'), name('error mailbox')], isLater: true },
  /** The host of a mailbox (RFC 1035 3.3.3). */
  MB: { fields: [name('host')], ...laterAndUnportable },
  /** A mail destination (RFC 1035 3.3.4), obsolete since MX (RFC 973). */
  MD: { fields: [name('host')], ...laterAndUnportable },
  /** A mail forwarder (RFC 1035 3.3.5), obsolete since MX (RFC 973). */
  MF: { fields: [name('host')], ...laterAndUnportable },
  /** A mailbox that belongs to a group (RFC 1035 3.3.6). */
  MG: { fields: [name('mailbox')], ...laterAndUnportable },
  /** The new name of a mailbox (RFC 1035 3.3.8). */
  MR: { fields: [name('mailbox')], ...laterAndUnportable },
  /** X.400 mail addresses (RFC 2163 4). */
  PX: {
    fields: [u16('preference'), name('RFC 822 domain'), name('X.400 domain')],
    ...laterAndUnportable,
  },
  /** The host with an NSAP address (RFC 1348). */
  'NSAP-PTR': { fields: [name('host')], ...laterAndUnportable },
  /** The neighbours in a list of trust anchors (draft-wijngaards-dnsop-trust-history-02). */
  TALINK: {
    fields: [uncompressedName('previous name'), uncompressedName('next name')],
    ...laterAndUnportable,
  },
} satisfies FormatRows;
