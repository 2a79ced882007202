/**
 * Mnemonics in files of other programs that are no records here.
 *
 * Types of IANA without a presentation form: their records are stored in the generic form of RFC 3597.
 * Types that other servers made up: they have no wire form, so nothing can store or serve them.
 */
const formless: Readonly<Record<string, number>> = {
  NULL: 10,
  UINFO: 100,
  UID: 101,
  GID: 102,
  UNSPEC: 103,
};

/** What each server does with its own types instead of serving them, for a message. */
const foreign: Readonly<Record<string, string>> = {
  ALIAS: 'PowerDNS, which looks its target up and serves addresses',
  LUA: 'PowerDNS, which runs its value as a program',
  ADDR: 'PowerDNS, which keeps it for itself',
  CURL: 'PowerDNS, which answers with an HTTP redirection of its own',
  FWD: 'PowerDNS, which forwards questions',
  MBOXFW: 'PowerDNS, which forwards mail by it',
  URL: 'PowerDNS, which answers with an HTTP redirection of its own',
  ANAME: 'an Internet-Draft that expired, and servers look its target up instead of serving it',
};

const numberOf = new Map(Object.entries(formless));
const foreignOf = new Map(Object.entries(foreign));

/** The number of a mnemonic, in any case, whose type has only the generic form. */
export function formlessType(mnemonic: string): number | undefined {
  return numberOf.get(upperCase(mnemonic));
}

/** Why no record can have the type of a mnemonic, in any case; undefined for every other word. */
export function foreignType(mnemonic: string): string | undefined {
  return foreignOf.get(upperCase(mnemonic));
}

/** Letters outside ASCII can have upper cases inside it, like the long s. */
function upperCase(mnemonic: string): string {
  return /^[\x21-\x7e]+$/.test(mnemonic) ? mnemonic.toUpperCase() : '';
}
