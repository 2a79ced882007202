/**
 * Mnemonics of data types that have no format of their own here (IANA DNS parameters). Files of other
 * programs hold them; the records are stored in the generic form of RFC 3597 only.
 */
const otherTypes: Readonly<Record<string, number>> = {
  MD: 3,
  MF: 4,
  MB: 7,
  MG: 8,
  MR: 9,
  NULL: 10,
  WKS: 11,
  MINFO: 14,
  X25: 19,
  ISDN: 20,
  RT: 21,
  NSAP: 22,
  'NSAP-PTR': 23,
  SIG: 24,
  KEY: 25,
  PX: 26,
  GPOS: 27,
  NXT: 30,
  EID: 31,
  NIMLOC: 32,
  ATMA: 34,
  A6: 38,
  SINK: 40,
  IPSECKEY: 45,
  HIP: 55,
  NINFO: 56,
  RKEY: 57,
  TALINK: 58,
  DSYNC: 66,
  HHIT: 67,
  BRID: 68,
  SPF: 99,
  UINFO: 100,
  UID: 101,
  GID: 102,
  UNSPEC: 103,
  NID: 104,
  L32: 105,
  L64: 106,
  LP: 107,
  AVC: 258,
  DOA: 259,
  AMTRELAY: 260,
  RESINFO: 261,
  WALLET: 262,
  CLA: 263,
  IPN: 264,
  TA: 32_768,
  DLV: 32_769,
};

const numberOf = new Map(Object.entries(otherTypes));

/** The number of a mnemonic, in any case, that has no format of its own. */
export function otherType(mnemonic: string): number | undefined {
  return /^[\x21-\x7e]+$/.test(mnemonic) ? numberOf.get(mnemonic.toUpperCase()) : undefined;
}
