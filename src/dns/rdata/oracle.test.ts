/**
 * Other people's code as judge: dnspython reads what we print and prints what we read, dns-packet
 * agrees on the simple types. One python process does all.
 */
import { spawnSync } from 'node:child_process';
import packet from 'dns-packet';
import { describe, expect, it } from 'vitest';
import examples from '../../../fixtures/rdata/examples.json' with { type: 'json' };
import svcbVectors from '../../../fixtures/rdata/svcb.json' with { type: 'json' };
import { needsPeers, peer } from '../../../spec/support/peers.ts';
import { parseType } from '../rrtype.ts';
import { parseRdata, parseRdataText, printRdata } from './rdata.ts';

const python = peer('dnspython') ?? 'python3';

/** Texts in other than the canonical spelling. */
const spellings: [string, string][] = [
  ['A', '192.0.2.1'],
  ['AAAA', '::FFFF:7F00:1'],
  ['AAAA', '1:2:3:4:5:6:7::'],
  ['AAAA', '2001:db8::192.0.2.33'],
  ['LOC', '42 21 54 N 71 06 18 W -24m 30m'],
  ['LOC', '0 S 0.5 E 15.2m 15m 99m 123456m'.replace('0.5', '0 0 0.5')],
  ['LOC', '1 2 3.004 S 179 59 59.999 W -99999.99 0.01 0.99 9'],
  ['CERT', '65535 1 RSASHA1 AQID'],
  ['APL', '1:10.0.0.0/8 !2:2001:db8::/32'],
  ['DS', `1 ECDSAP256SHA256 2 ${'ab'.repeat(16)} ${'cd'.repeat(16)}`],
  ['NSEC', 'b.example. TYPE65280 MX A CAA TYPE512'],
  ['NSEC3', '1 0 0 - 2VPTU5TIMAMQTTGL4LUU9KG21E0AOR3S CAA A'],
  ['RRSIG', 'MX 13 2 300 4294967295 0 1 example. AQID'],
  ['CSYNC', '1 3 AAAA A NS'],
  ['CAA', '0 issue letsencrypt.org'],
  ['NAPTR', '1 2 u E2U+sip "!^.*$!sip:x\\\\.y!" .'],
  ['HINFO', 'a "b \\"c\\" \\\\d \\065"'],
  ['TXT', '"a\\"b\\\\c" unquoted "\\001\\127"'],
  ['SVCB', '1 foo. port=53 alpn=h2,h3 mandatory=port,alpn'],
  ['TYPE65280', '\\# 3 ab cdEF'],
  ['MX', '\\# 5 000a016100'],
  ['CNAME', 'a\\.b\\064\\000.example.'],
  ...svcbVectors.accepted.map(({ text }): [string, string] => ['HTTPS', text]),
];

const program = `
import dns.rdata, dns.rdatatype, json, sys
answers = []
for mnemonic, text in json.load(sys.stdin):
    try:
        rdtype = dns.rdatatype.from_text(mnemonic)
    except dns.rdatatype.UnknownRdatatype:
        rdtype = None
    if rdtype is None or (dns.rdata.get_rdata_class(1, rdtype) is dns.rdata.GenericRdata
                          and not mnemonic.startswith('TYPE')):
        answers.append(None)
        continue
    rdata = dns.rdata.from_text('IN', mnemonic, text, relativize=False)
    wire = rdata.to_wire()
    again = dns.rdata.from_wire('IN', rdata.rdtype, wire, 0, len(wire))
    answers.append([wire.hex(), again.to_text()])
json.dump(answers, sys.stdout)
`;

/** BIND judges these (spec/master-files/record-types.test.ts). */
const unknownToDnspython = [
  'A6',
  'ATMA',
  'BRID',
  'CLA',
  'DOA',
  'DSYNC',
  'EID',
  'HHIT',
  'IPN',
  'KEY',
  'MB',
  'MD',
  'MF',
  'MG',
  'MINFO',
  'MR',
  'NIMLOC',
  'NXT',
  'RESINFO',
  'RKEY',
  'SIG',
  'SINK',
  'TA',
  'TALINK',
  'WALLET',
];

/** Answers are null for types that dnspython does not know. */
function askDnspython(
  questions: readonly [string, string][],
): ([hex: string, text: string] | null)[] {
  const run = spawnSync(python, ['-c', program], {
    input: JSON.stringify(questions),
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
}

needsPeers('dnspython')('dnspython', () => {
  it('reads every text to our bytes, and we read its texts', () => {
    const table = [
      ...examples.map(({ type, text }): [string, string] => [type, text]),
      ...spellings,
    ];
    const answers = askDnspython(table);
    const unknown = new Set<string>();
    answers.forEach((answer, index) => {
      const [mnemonic, ours] = table[index]!;
      if (answer === null) {
        unknown.add(mnemonic);
        return;
      }
      const [hex, text] = answer;
      const type = parseType(mnemonic)!;
      expect(parseRdataText(type, ours).toString('hex'), `${mnemonic} ${ours}`).toBe(hex);
      expect(parseRdataText(type, text).toString('hex'), `${mnemonic} ${text}`).toBe(hex);
    });
    expect(answers).toHaveLength(table.length);
    expect([...unknown].sort()).toEqual(unknownToDnspython);
  });

  it('reads what we print', () => {
    const printed = spellings.map(([mnemonic, text]): [string, string] => {
      const type = parseType(mnemonic)!;
      return [mnemonic, printRdata(type, parseRdataText(type, text))];
    });
    askDnspython(printed).forEach((answer, index) => {
      const hex = answer?.[0];
      const [mnemonic, text] = spellings[index]!;
      expect(parseRdataText(parseType(mnemonic)!, text).toString('hex'), text).toBe(hex);
    });
  });
});

describe('dns-packet', () => {
  it.each([
    ['A', '192.0.2.1', '192.0.2.1'],
    ['AAAA', '2001:db8::1', '2001:db8::1'],
    ['CNAME', 'www.example.com', 'www.example.com'],
    ['NS', 'ns.example.com', 'ns.example.com'],
    ['PTR', 'host.example.com', 'host.example.com'],
    ['TXT', '"a" "bc" ""', [Buffer.from('a'), Buffer.from('bc'), Buffer.alloc(0)]],
    ['MX', 'mail.example.com', { preference: 10, exchange: 'mail.example.com' }],
    ['SRV', '2 80 a.example', { priority: 10, weight: 2, port: 80, target: 'a.example' }],
    ['CAA', '0 issue "ca.example"', { flags: 0, tag: 'issue', value: 'ca.example' }],
    ['HINFO', 'PC Linux', { cpu: 'PC', os: 'Linux' }],
  ])('writes the same bytes for %s %s', (mnemonic, text, data) => {
    const answer = { name: '.', type: mnemonic, ttl: 0, data } as unknown as packet.Answer;
    // Header 12, name 1, type, class, TTL and length 10: the RDATA are the rest.
    const theirs = packet.encode({ type: 'response', answers: [answer] }).subarray(23);
    expect(parseRdata(parseType(mnemonic)!, text)).toEqual(Buffer.from(theirs));
  });
});
