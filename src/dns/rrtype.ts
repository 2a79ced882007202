/**
 * Record types: numbers, mnemonics and which kind each is (IANA DNS parameters; RFC 3597 for
 * `TYPEnnn`).
 *
 * "user" types are stored and edited; DNSSEC types are made by signing; "meta" and "query" ones
 * never are data in a zone. A number without a row here is an unknown data type: stored in the
 * form of RFC 3597.
 */

export const rrtype = {
  A: 1,
  NS: 2,
  MD: 3,
  MF: 4,
  CNAME: 5,
  SOA: 6,
  MB: 7,
  MG: 8,
  MR: 9,
  WKS: 11,
  PTR: 12,
  HINFO: 13,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  X25: 19,
  ISDN: 20,
  RT: 21,
  NSAP: 22,
  'NSAP-PTR': 23,
  SIG: 24,
  KEY: 25,
  PX: 26,
  GPOS: 27,
  AAAA: 28,
  LOC: 29,
  NXT: 30,
  EID: 31,
  NIMLOC: 32,
  SRV: 33,
  ATMA: 34,
  NAPTR: 35,
  KX: 36,
  CERT: 37,
  A6: 38,
  DNAME: 39,
  SINK: 40,
  OPT: 41,
  APL: 42,
  DS: 43,
  SSHFP: 44,
  IPSECKEY: 45,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  HIP: 55,
  NINFO: 56,
  RKEY: 57,
  TALINK: 58,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  DSYNC: 66,
  HHIT: 67,
  BRID: 68,
  SPF: 99,
  NID: 104,
  L32: 105,
  L64: 106,
  LP: 107,
  EUI48: 108,
  EUI64: 109,
  TKEY: 249,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
  URI: 256,
  CAA: 257,
  AVC: 258,
  DOA: 259,
  AMTRELAY: 260,
  RESINFO: 261,
  WALLET: 262,
  CLA: 263,
  IPN: 264,
  TA: 32_768,
  DLV: 32_769,
} as const;

const mnemonicOf = new Map<number, string>(
  Object.entries(rrtype).map(([mnemonic, number]) => [number, mnemonic]),
);
const numberOf = new Map<string, number>(Object.entries(rrtype));

/** Types that signing generates; returned with signed=true, never edited. */
export const dnssecTypes: ReadonlySet<number> = new Set([
  rrtype.RRSIG,
  rrtype.NSEC,
  rrtype.DNSKEY,
  rrtype.NSEC3,
  rrtype.NSEC3PARAM,
  rrtype.CDS,
  rrtype.CDNSKEY,
]);

/** NULL (RFC 1035 3.3.10), which has no presentation form. */
const nullType = 10;

/** Types that secondaries take by transfer, and whose records they do not read in their own file of the zone. */
export const unreadableTypes: ReadonlyMap<number, string> = new Map([
  [rrtype.MD, 'it is obsolete since MX (RFC 973), and BIND reads no file that has one'],
  [rrtype.MF, 'it is obsolete since MX (RFC 973), and BIND reads no file that has one'],
  [nullType, 'Knot writes it into its file of the zone, and then does not read that file'],
  [
    rrtype.SIG,
    'it is for messages (RFC 3755 3), and Knot does not read its file of a zone that has one',
  ],
]);

/** Others that no record of a zone has. */
const notForRecords: ReadonlySet<number> = new Set([0, rrtype.SOA, rrtype.ZONEMD]);

/** True for types a caller may store as a record: known data types and unknown ones. */
export function isStorable(type: number): boolean {
  if (notForRecords.has(type) || unreadableTypes.has(type) || dnssecTypes.has(type)) return false;
  return !isMetaType(type) && type < 65_535;
}

/** Why secondaries lose a zone that has records of a type, to follow a colon; undefined for every other type. */
export function whyUnreadable(type: number): string | undefined {
  return unreadableTypes.get(type);
}

/** True for types of records that are stored: those of today, and those that older versions took. */
export function mayBeStored(type: number): boolean {
  return isStorable(type) || unreadableTypes.has(type);
}

/** True for types that exist only in questions and messages (RFC 6895 3.1: 128..255, and OPT). */
export function isMetaType(type: number): boolean {
  if (type === rrtype.EUI48 || type === rrtype.EUI64) return false;
  return type === rrtype.OPT || (type >= 128 && type <= 255);
}

/** The mnemonic, or `TYPEnnn` for a type without one. */
export function printType(type: number): string {
  return mnemonicOf.get(type) ?? `TYPE${type}`;
}

/** The number of a mnemonic or `TYPEnnn`, in any case; undefined when it is neither. */
export function parseType(text: string): number | undefined {
  const upper = upperAscii(text);
  const known = numberOf.get(upper);
  if (known !== undefined) return known;
  const generic = /^TYPE(\d{1,5})$/.exec(upper);
  if (generic === null) return undefined;
  const number = Number(generic[1]);
  return number <= 65_535 ? number : undefined;
}

/** Types of IANA without a presentation form: zone files of others name them, and hold RDATA in generic form. */
const formless: Readonly<Record<string, number>> = {
  NULL: 10,
  UINFO: 100,
  UID: 101,
  GID: 102,
  UNSPEC: 103,
};

/** At the apex BIND notes under this number, unless it is configured otherwise, how far it has signed the zone. */
const signingNote = 65_534;

/** Types that other servers made up, without a wire form, and what these do with them, for a message. */
const foreign: Readonly<Record<string, string>> = {
  ALIAS: 'PowerDNS, which looks its target up and serves addresses',
  LUA: 'PowerDNS, which runs its value as a program',
  ADDR: 'PowerDNS, which keeps it for itself',
  CURL: 'PowerDNS, which answers with an HTTP redirection of its own',
  FWD: 'PowerDNS, which forwards questions',
  MBOXFW: 'PowerDNS, which forwards mail by it',
  URL: 'PowerDNS, which answers with an HTTP redirection of its own',
  ANAME: 'an Internet-Draft that expired, and servers look its target up instead of serving it',
  [`TYPE${signingNote}`]: 'BIND, which notes by it at the apex how far it has signed the zone',
};

/** Numbers for private use under which PowerDNS transfers records that it makes answers of. */
const foreignNumbers: ReadonlyMap<number, string> = new Map([
  [65_401, 'ALIAS'],
  [65_402, 'LUA'],
]);

const numberInFile = new Map([...numberOf, ...Object.entries(formless)]);
const foreignOf = new Map(Object.entries(foreign));

/** As parseType, for zone files: mnemonics of types without a presentation form are known too. */
export function parseFileType(text: string): number | undefined {
  return numberInFile.get(upperAscii(text)) ?? parseType(text);
}

/** Why no record can have the type of a mnemonic, in any case; undefined for every other word. */
export function foreignType(mnemonic: string): string | undefined {
  return foreignOf.get(upperAscii(mnemonic));
}

/** The mnemonic under which another server knows a number in its transfers; undefined for all other types. */
export function transferredForeign(type: number, isApex: boolean): string | undefined {
  return isSigningNote(type, isApex) ? printType(type) : foreignNumbers.get(type);
}

/** Whether a record is one of those by which BIND signs a zone: its own, like the DNSSEC records that it made. */
export function isSigningNote(type: number, isApex: boolean): boolean {
  return isApex && type === signingNote;
}

/** Upper-case; empty for text beyond printable ASCII, whose letters can have upper cases inside it, like the long s. */
function upperAscii(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text.toUpperCase() : '';
}
