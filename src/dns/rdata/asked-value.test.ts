import { describe, expect, it } from 'vitest';
import { parseType } from '../rrtype.ts';
import { AskedValue } from './asked-value.ts';
import { parseRdata, type RecordValue } from './rdata.ts';

type Case = [type: string, stored: RecordValue, asked: string];

function matches([mnemonic, stored, asked]: Case): boolean {
  const type = parseType(mnemonic)!;
  return new AskedValue(asked).matches(type, parseRdata(type, stored));
}

const hash = 'a'.repeat(64);

describe('a value that is sought', () => {
  it.each<Case>([
    ['A', '192.0.2.1', '192.0.2'],
    ['AAAA', '2001:db8::1', '2001:DB8:0:0::1'],
    ['AAAA', '2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0001'],
    ['AAAA', '2001:db8::1', 'DB8'],
    ['AAAA', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['NS', 'ns1.example.com.', 'NS1.Example.COM'],
    ['CNAME', 'ns1.example.com.', '\\110s1.example.com'],
    ['MX', 'mx.example.com.', 'MX.example.com.'],
    ['SRV', '1 443 host.example.com.', '01 0443 HOST.example.com'],
    ['DS', `1 8 2 ${hash}`, `1 8 2 ${hash.slice(0, 10)} ${hash.slice(10)}`],
    ['DS', `1 8 2 ${hash}`, 'AaAaAaAa'],
    ['SSHFP', `1 2 ${hash}`, `1 2 ${hash}`],
    ['TXT', 'Hello World', 'World'],
    ['TXT', ['a', 'b'], '"a" "b"'],
    ['TXT', ['a', 'b'], '"a"    "b"'],
    ['CAA', '0 issue "Example.ORG"', 'Example'],
    ['CAA', '0 issue "example.org"', 'ISSUE'],
    ['A', '192.0.2.1', '\\# 4 C0000201'],
    ['A', '192.0.2.255', '192.0.2.0/24'],
    ['A', '192.0.2.1', '192.0.2.77/24'],
    ['A', '192.0.3.255', '192.0.2.0/23'],
    ['A', '192.0.2.129', '192.0.2.128/25'],
    ['A', '192.0.2.1', '192.0.2.1/32'],
    ['A', '8.8.8.8', '0.0.0.0/0'],
    ['AAAA', '2001:db8:ffff::1', '2001:DB8::/32'],
    ['AAAA', '2001:db8:7fff::1', '2001:db8::/33'],
    ['AAAA', '2001:db8::1', '2001:db8::1/128'],
    ['AAAA', '::1', '::/0'],
    ['TXT', 'v=spf1 ip4:192.0.2.0/24 -all', '192.0.2.0/24'],
    ['APL', '1:192.0.2.0/24', '192.0.2.0/24'],
  ])('%s %j is found by %s', (...row) => expect(matches(row)).toBe(true));

  it.each<Case>([
    ['TXT', 'Hello World', 'world'],
    ['TXT', 'v=spf1', 'V=SPF1'],
    ['SPF', 'v=spf1', 'V=SPF1'],
    ['TXT', '192.0.2.1', '\\# 4 C0000201'],
    ['CAA', '0 issue "example.org"', 'EXAMPLE'],
    ['HINFO', '"PC" "Linux"', 'linux'],
    ['AAAA', '2001:db8::1', '2001:db8:0:0::2'],
    ['NS', 'ns1.example.com.', 'ns2'],
    ['MX', 'mx.example.com.', '10 mx.example.com.'],
    ['A', '192.0.3.1', '192.0.2.0/24'],
    ['A', '192.0.2.127', '192.0.2.128/25'],
    ['A', '192.0.2.1', '192.0.2.0/33'],
    ['A', '192.0.2.1', '192.0.2/24'],
    ['A', '192.0.2.1', '192.0.2.0/024'],
    ['A', '32.1.13.184', '2001:db8::/32'],
    ['AAAA', '2001:db8:8000::1', '2001:db8::/33'],
    ['AAAA', '::1', '0.0.0.0/0'],
    ['TXT', '192.0.2.1', '192.0.2.0/24'],
  ])('%s %j is not found by %s', (...row) => expect(matches(row)).toBe(false));
});
