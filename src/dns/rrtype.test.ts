import { describe, expect, it } from 'vitest';
import { dnssecTypes, isMetaType, isStorable, parseType, printType, rrtype } from './rrtype.ts';

describe('record types', () => {
  it('print as their mnemonic and parse back, in any case', () => {
    for (const [mnemonic, number] of Object.entries(rrtype)) {
      expect(printType(number)).toBe(mnemonic);
      expect(parseType(mnemonic)).toBe(number);
      expect(parseType(mnemonic.toLowerCase())).toBe(number);
    }
  });

  it('RFC 3597 5: are TYPEnnn without a mnemonic, and TYPEnnn is the type when there is one', () => {
    expect(printType(65_280)).toBe('TYPE65280');
    expect(parseType('TYPE65280')).toBe(65_280);
    expect(parseType('type1')).toBe(rrtype.A);
    expect(parseType('TYPE65535')).toBe(65_535);
  });

  it.each([
    'TYPE65536',
    'TYPE',
    'TYPE-1',
    'TYPE1x',
    'TYPE123456',
    '',
    'FOO',
    '1',
    'constructor',
    'N\u017f',
  ])('refuse %j', (text) => {
    expect(parseType(text)).toBeUndefined();
  });

  it('store what is data and nothing that signing makes (decisions 6)', () => {
    const storable = `A AAAA CAA CNAME DNAME DS HINFO HTTPS LOC MX NAPTR NS OPENPGPKEY PTR RP SMIMEA
      SRV SSHFP SVCB TLSA TXT URI CERT APL AFSDB DHCID EUI48 EUI64 KX CSYNC TYPE65280 TYPE65534`;
    for (const text of storable.split(/\s+/)) {
      expect([text, isStorable(parseType(text)!)]).toEqual([text, true]);
    }
    const refused = `MD MF SIG TYPE10 SOA RRSIG DNSKEY NSEC NSEC3 NSEC3PARAM CDS CDNSKEY ZONEMD OPT TSIG TKEY IXFR AXFR
      MAILB MAILA ANY TYPE0 TYPE128 TYPE65535`;
    for (const text of refused.split(/\s+/)) {
      expect([text, isStorable(parseType(text)!)]).toEqual([text, false]);
    }
  });

  it('RFC 6895 3.1: tell meta types, which live in messages only, from data', () => {
    for (const type of [41, 128, 249, 250, 251, 252, 253, 254, 255]) {
      expect(isMetaType(type)).toBe(true);
    }
    for (const type of [1, 6, 40, 42, 108, 109, 127, 256, 257, 65_280]) {
      expect(isMetaType(type)).toBe(false);
    }
  });

  it('know the derived ones of interface 2.3', () => {
    const names = [...dnssecTypes].map(printType).sort();
    expect(names).toEqual('CDNSKEY CDS DNSKEY NSEC NSEC3 NSEC3PARAM RRSIG'.split(' '));
  });
});
