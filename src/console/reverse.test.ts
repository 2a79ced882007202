import { expect, it } from 'vitest';
import { reverseName } from './reverse.ts';

const zeros = (count: number) => '0.'.repeat(count);

it.each([
  ['A', '192.0.2.1', '1.2.0.192.in-addr.arpa'],
  ['A', '0.0.0.255', '255.0.0.0.in-addr.arpa'],
  ['AAAA', '2001:db8::1', `1.${zeros(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ['AAAA', '2001:DB8:0:1::', `${zeros(16)}1.${zeros(7)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ['AAAA', '::', `${zeros(32)}ip6.arpa`],
  ['AAAA', '::ffff:192.0.2.1', `1.0.2.0.0.0.0.c.f.f.f.f.${zeros(20)}ip6.arpa`],
  [
    'AAAA',
    '1:2:3:4:5:6:7:8',
    '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa',
  ],
])('of %s %s', (type, address, name) => {
  expect(reverseName(type, address)).toBe(name);
});

it.each([
  ['A', '192.0.2'],
  ['A', '192.0.2.256'],
  ['A', '2001:db8::1'],
  ['AAAA', '192.0.2.1'],
  ['AAAA', '2001:db8:::1'],
  ['AAAA', '2001:db8'],
  ['AAAA', ''],
  ['TXT', '192.0.2.1'],
])('is none of %s %s', (type, address) => {
  expect(reverseName(type, address)).toBeUndefined();
});
