/** Other spellings become the canonical one; broken values and RDATA are refused, type by type. */
import { describe, expect, it } from 'vitest';
import { parseType } from '../rrtype.ts';
import { parseRdata, RdataError, readRdata, showRdata } from './rdata.ts';

function canonical(mnemonic: string, text: string): unknown {
  const type = parseType(mnemonic)!;
  return showRdata(type, parseRdata(type, text)).value;
}

const digest32 = 'ab'.repeat(32);
const label63 = 'a'.repeat(63);

describe('canonical text', () => {
  it.each([
    ['A', ' ( 192.0.2.1 ) ', '192.0.2.1'],
    ['AAAA', '::FFFF:7F00:1', '::ffff:127.0.0.1'],
    ['AAAA', '2001:DB8:0:0:8:800:200C:417A', '2001:db8::8:800:200c:417a'],
    ['AAAA', '1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['AAAA', '1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['AAAA', '::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    ['AAAA', '0:0:0:0:0:0:0:0', '::'],
    ['AAAA', '64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['CNAME', 'WWW.Example.COM', 'www.example.com.'],
    ['CNAME', 'a\\046b.\\065', 'a\\.b.a.'],
    ['CNAME', '\\195\\188.example', '\\195\\188.example.'],
    [
      'CNAME',
      `${`${label63}.`.repeat(3)}${'a'.repeat(61)}`,
      `${`${label63}.`.repeat(3)}${'a'.repeat(61)}.`,
    ],
    ['HINFO', 'PC "Linux x"', '"PC" "Linux x"'],
    [
      'LOC',
      '42 21 54 N 71 06 18 W -24m 30m',
      '42 21 54.000 N 71 6 18.000 W -24.00m 30m 10000m 10m',
    ],
    ['LOC', '0 s 0 w 1.5 15m 0.25', '0 0 0.000 N 0 0 0.000 E 1.50m 10m 0.20m 10m'],
    ['CERT', '1 1 8 AQ ID', 'PKIX 1 RSASHA256 AQID'],
    ['APL', '1:10.0.0.0/8 2:FF00:0:0::/8', '1:10.0.0.0/8 2:ff00::/8'],
    ['APL', '', ''],
    [
      'DS',
      `1 RSASHA256 2 ${digest32.slice(0, 8)} ${digest32.slice(8)}`,
      `1 8 2 ${digest32.toUpperCase()}`,
    ],
    ['DS', '1 13 200 ff', '1 13 200 FF'],
    ['SSHFP', '1 9 abcd', '1 9 ABCD'],
    ['TLSA', '3 1 0 abcd', '3 1 0 ABCD'],
    ['RRSIG', 'a 13 0 0 4294967295 0 0 . AA==', 'A 13 0 0 21060207062815 19700101000000 0 . AA=='],
    ['NSEC', 'B. TYPE65280 mx A A', 'b. A MX TYPE65280'],
    [
      'NSEC3',
      '1 0 0 - 2VPTU5TIMAMQTTGL4LUU9KG21E0AOR3S A',
      '1 0 0 - 2vptu5timamqttgl4luu9kg21e0aor3s A',
    ],
    ['CSYNC', '1 0 AAAA A', '1 0 A AAAA'],
    ['EUI48', '00-00-5e-00-53-2a', '00-00-5E-00-53-2A'],
    ['URI', '1 2 http://x/', '1 2 "http://x/"'],
    ['CAA', '0 ISSUE "X"', '0 issue "X"'],
    ['CAA', '0 tbs unquoted', '0 tbs "unquoted"'],
    ['SVCB', '1 A. port=53 alpn=h2', '1 a. alpn="h2" port=53'],
    ['SVCB', '1 a. key1=\\002h2 key3=\\000\\053', '1 a. alpn="h2" port=53'],
    ['SVCB', '1 a. key9= key10="" key11', '1 a. key9 key10 key11'],
    ['HTTPS', '1 . dohpath=/q{?dns} ohttp', '1 . dohpath="/q{?dns}" ohttp'],
    ['SVCB', '0 a. port=1', '0 a. port=1'],
    ['WKS', '192.0.2.1 TCP telnet SMTP 80 080', '192.0.2.1 6 23 25 80'],
    ['NSAP', '0x47.0005.80.005a00', '0x47000580005A00'],
    ['ATMA', '39.246f.00', '39246F00'],
    ['ATMA', '+358.400.1234567', '+3584001234567'],
    ['GPOS', '-32.6882 116.8652 10.0', '"-32.6882" "116.8652" "10.0"'],
    ['NXT', 'B. MX A A', 'b. A MX'],
    ['A6', '60 2001:DB8::1:2 A.', '60 ::1:2 a.'],
    ['IPSECKEY', '10 3 2 GW.Example AQ ID', '10 3 2 gw.example. AQID'],
    ['HIP', '2 ab AwEA RVS1 rvs2.', '2 AB AwEA rvs1. rvs2.'],
    ['DSYNC', 'TYPE59 notify 1 A', 'CDS NOTIFY 1 a.'],
    ['DSYNC', 'CSYNC 2 1 .', 'CSYNC 2 1 .'],
    ['NID', '10 14:4FFF:ff20:ee64', '10 0014:4fff:ff20:ee64'],
    ['AMTRELAY', '0 1 2 2001:DB8::1', '0 1 2 2001:db8::1'],
    ['IPN', '977000.1', '4196183048192001'],
    ['DOA', '0 1 2 text/plain -', '0 1 2 "text/plain" -'],
  ])('%s %s', (mnemonic, text, expected) => {
    expect(canonical(mnemonic, text)).toBe(expected);
  });
});

describe('refused values', () => {
  it.each([
    [
      'A',
      [
        '',
        '1.2.3',
        '1.2.3.4.5',
        '1.2.3.256',
        '01.2.3.4',
        '1.2.3.',
        '1..2.3',
        '::1',
        '"1.2.3.4"',
        '1.2.3.4 5',
        '1.2.3.4 ; x',
        '0x1.2.3.4',
      ],
    ],
    [
      'AAAA',
      [
        '',
        ':',
        ':::',
        '1::2::3',
        '1:2:3:4:5:6:7',
        '1:2:3:4:5:6:7:8:9',
        '1:2:3:4:5:6:7:8::',
        '12345::',
        '::g',
        'fe80::1%eth0',
        '::1.2.3',
        '::1.2.3.4:5',
        '1.2.3.4::',
        '1.2.3.4',
        '1:2:3:4:5:6:7:1.2.3.4',
        ':1::',
        '::1:',
      ],
    ],
    [
      'CNAME',
      [
        '',
        'a..b',
        '.a',
        'a b',
        '"a"',
        'a'.repeat(64),
        `${`${label63}.`.repeat(3)}${'a'.repeat(62)}`,
        'a\\256',
        'a\\1',
        '@',
        `${'\\097'.repeat(64)}`,
      ],
    ],
    ['MX', ['', 'a b', '"a"']],
    ['SRV', ['1 a.', '1 65536 a.', '1 -1 a.', '1 2 3 4 a.', '1 2.5 a.', '1 1e3 a.']],
    ['HINFO', ['a', 'a b c', `"${'a'.repeat(256)}" b`, '']],
    ['RP', ['a.', 'a. b. c.']],
    [
      'LOC',
      [
        '',
        '91 N 0 E 0',
        '90 0 0.001 N 0 E 0',
        '0 N 181 E 0',
        '0 60 N 0 E 0',
        '0 0 60 N 0 E 0',
        '0 0 0.0001 N 0 E 0',
        'N 0 E 0',
        '0 N 0 E',
        '0 E 0 N 0',
        '0 N 0 E -100000.01',
        '0 N 0 E 42849672.96',
        '0 N 0 E 0 90000000.01',
        '0 N 0 E 0 -1',
        '0 N 0 E 0 1 1 1 1',
        '0 0 0 0 N 0 E 0',
      ],
    ],
    ['NAPTR', ['1 2 "u" "" "" ', '1 2 "u+" "" "" .', '65536 2 "u" "" "" .']],
    ['CERT', ['PKIX 1 8', 'FOO 1 8 AQID', 'PKIX 1 8 AQI', 'PKIX 1 8 A?==']],
    [
      'APL',
      ['3:1/1', '1:10.0.0.0', '1:10.0.0.0/33', '2:::/129', '1:::1/8', '!!1:10.0.0.0/8', '1:/8'],
    ],
    [
      'DS',
      [
        `1 13 2 ${digest32}ff`,
        '1 13 1 ff',
        '1 13 0 00',
        '1 13 2',
        '1 13 4 ff',
        '1 13 200 f',
        '1 256 2 ff',
      ],
    ],
    ['CDS', ['0 0 0 0000', '0 0 2 00']],
    ['SSHFP', ['1 1 ff', '1 2 ff', '1 9 xx', '1 9']],
    ['TLSA', ['3 1 1 ff', `3 1 2 ${digest32}`, '3 1 0', '256 1 0 ff', '3 1 0 "ff"']],
    [
      'RRSIG',
      [
        'A 13 2 1 20260230000000 0 1 . AA==',
        'A 13 2 1 21060207062816 0 1 . AA==',
        'FOO 13 2 1 1 0 1 . AA==',
        'A 13 2 1 1 0 1 .',
      ],
    ],
    ['DNSKEY', ['256 3 13', '256 3 13 AQI=x', '256 3 13 AR==']],
    ['NSEC3', ['1 0 0 - AW==', '1 0 0 abc 2vptu5timamqttgl4luu9kg21e0aor3s', '1 0 0 - 2v w']],
    ['CSYNC', ['1', '1 0 FOO', '1 0 TYPE65536']],
    ['OPENPGPKEY', ['', 'A===']],
    ['EUI48', ['00-00-5e-00-53', '00:00:5e:00:53:2a', '00-00-5e-00-53-2g', '00005e00532a']],
    ['EUI64', ['00-00-5e-00-53-2a']],
    ['URI', ['1 1 ""', '1 1', '1 http://x/']],
    [
      'CAA',
      [
        '0 issue',
        '256 issue "x"',
        '0 iss-ue "x"',
        '0 "" "x"',
        `0 ${'a'.repeat(256)} "x"`,
        '0 issue "x" y',
      ],
    ],
    [
      'SVCB',
      [
        '1',
        '65536 a.',
        '1 a. port=65536',
        '1 a. port="1" port=2',
        '1 a. port =1',
        '1 a. =1',
        '1 a. key65535=x',
        '1 a. key65536=x',
        '1 a. key01=x',
        '1 a. alpn=""',
        '1 a. alpn=h2,,h3',
        '1 a. alpn="h2\\\\"',
        `1 a. alpn=${'a'.repeat(256)}`,
        '1 a. no-default-alpn',
        '1 a. ipv4hint=1.2.3',
        '1 a. ipv6hint=1.2.3.4',
        '1 a. ech=',
        '1 a. ech=?',
        '1 a. mandatory=port',
        '1 a. mandatory=port,port port=1',
        '1 a. mandatory=mandatory',
        '1 a. "port=1"',
        '1 a. alpn=h"2"',
        '1 a. dohpath=/q',
        '1 a. ohttp=x',
        '1 a. foo=1',
        '1 a. key1=h2',
        `1 a. key9=${'x'.repeat(65_536)}`,
      ],
    ],
    ['WKS', ['192.0.2.1', '192.0.2.1 256', '192.0.2.1 6 65536', '192.0.2.1 6 nonsense']],
    ['X25', ['', '123', '12a4', '1234 5']],
    ['ISDN', ['', '1 2 3']],
    ['NSAP', ['', '47', '0x', '0x4', '0x.47', '0x47 00']],
    ['ATMA', ['', '+', '+12a', '1', '.39']],
    [
      'KEY',
      [
        ...['512 3 8', '49152 3 8 AQID', '1 2'],
        // No name, a name and nothing after it, no object identifier, and one with nothing after it.
        ...['2 3 253 /////////////w==', '2 3 253 AWEA', '2 3 254 AQID', '2 3 254 BAYCKgM='],
      ],
    ],
    ['GPOS', ['a b c', '181 0 0', '0 -181 0', '1 2', '1 2 3 4', '1. . 3']],
    ['NXT', ['', 'b.', 'b. TYPE128', 'b. TYPE0', 'b. NOTYPE']],
    ['A6', ['0', '0 ::1 a.', '128 ::1 a.', '129 a.', '64 a.', '64 ::1']],
    ['SINK', ['1 2', '1 2 256', '1 2 3 ?']],
    ['IPSECKEY', ['10 1 2 192.0.2.1', '10 0 2 a. AQID', '10 4 2 . AQID', '10 1 2 ::1 AQID']],
    ['HIP', ['2 AB', '2 A AQID', '2 AB AQ ID', `2 ${'ab'.repeat(256)} AQID`, '2 AB AQID "a."']],
    ['RKEY', ['1 3 8 AQID', '0 3 8', '0 3 253 /////////////w==']],
    ['CSYNC', ['0 1 TYPE0 A NS']],
    ['DSYNC', ['CDS NOTIFY 1', 'CDS 256 1 .', 'NOTYPE 1 1 .', 'CDS SOMEHOW 1 .']],
    ['NID', ['1 1:2:3', '1 1:2:3:44444', '1 1:2:3:', '1 1::2:3']],
    ['AMTRELAY', ['1 2 0 .', '1 0 4 .', '1 0 0 a.', '1 0 128 .', '1 0 1 ::1']],
    ['DOA', ['0 1 2 x', '0 1 2 x ""', '0 1 2 x "-"', '4294967296 1 2 x -']],
    ['IPN', ['', '-1', '01', '18446744073709551616', '4294967296.0', '1.2.3']],
    ['SIG', ['TYPE0 5 0 0 20300101000000 20200101000000 1 . AQID']],
    ['TA', ['1 13 2 ABCD', '1 13 0 ']],
  ])('%s', (mnemonic, texts) => {
    for (const text of texts) {
      expect(() => canonical(mnemonic, text), text.slice(0, 80)).toThrow(RdataError);
    }
  });

  it('are refused early when no RDATA can be that long', () => {
    expect(() => canonical('A', ' '.repeat(1024 * 1024 + 1))).toThrow(/characters/);
  });

  it('name the rule and show the text', () => {
    expect(() => canonical('A', '1.2.3')).toThrow(
      "A value is an IPv4 address like 192.0.2.1, not '1.2.3'",
    );
    expect(() => canonical('SRV', '1 70000 a.')).toThrow(
      "SRV port is a number from 0 to 65535, not '70000'",
    );
    expect(() => parseRdata(1, ['192.0.2.1'])).toThrow('belongs to TXT');
    expect(() => canonical('HINFO', `${'x'.repeat(5000)} y`)).toThrow(/^.{1,200}$/);
  });
});

describe('refused RDATA', () => {
  it.each([
    ['A', ['', '010203', '0102030405']],
    ['MX', ['', '000a', '000a0161', '000a01610000']],
    ['TXT', ['', '02', '0261', '016102']],
    ['HINFO', ['0161', '0161016101']],
    [
      'LOC',
      [
        '01'.padEnd(32, '0'),
        `00a00000${'80000000'.repeat(3)}`,
        `0000000000000000${'80000000'.repeat(2)}`,
      ],
    ],
    [
      'APL',
      [
        '000300',
        '00030800',
        '00010821',
        '00012100',
        '0001080101020304',
        '0001080500',
        '00010802ff00',
      ],
    ],
    ['NSEC', ['0000', '000020', '00000100', '0000020000', '000100010000018000']],
    ['CAA', ['', '00', '0000', '00012d61', '000561']],
    ['URI', ['00010001']],
    [
      'SVCB',
      [
        '000100000300010035',
        '00010000030002003500010003026832',
        '000100000300020035000300020035',
        '00010000000000',
        '000100ffff0000',
        '0001000003000200',
        '000100000100020368',
      ],
    ],
    ['NSEC3', ['0100000000', '010000000000']],
    ['DS', ['0001080200', '00010801']],
    ['MB', ['', '0161', '01610000', 'c000']],
    ['WKS', ['', 'c000020106'.slice(0, 8), `c000020106${'ff'.repeat(8193)}`]],
    ['ATMA', ['', '00', '01', '0161', '0201']],
    ['NXT', ['0080', '0000', `00${'00'.repeat(15)}0180`]],
    ['A6', ['8100', '40', '3cff00000000000000000161 00'.replace(' ', '')]],
    ['IPSECKEY', ['0a0002', '0a0102c00002', '0a0402ff', '0a0302c000ff']],
    ['HIP', ['010203', '00020001ff', '01020000ff', '0102000201ff']],
    ['LP', ['0001c000', '0001']],
    ['AMTRELAY', ['0a', '0a01c00002', '0a04', '0a0000']],
    ['NID', ['000100', '0001000000000000000000']],
    ['SPF', ['', '02', '0261']],
  ])('%s', (mnemonic, hexes) => {
    for (const hex of hexes) {
      const rdata = Buffer.from(hex, 'hex');
      expect(() => readRdata(parseType(mnemonic)!, rdata, 0, rdata.length), hex).toThrow(
        RdataError,
      );
    }
  });

  it('never reaches past its length', () => {
    const message = Buffer.from('01020304', 'hex');
    expect(() => readRdata(1, message, 1, 4)).toThrow(RdataError);
    expect(() => readRdata(65_280, message, 1, 4)).toThrow(RdataError);
  });
});
