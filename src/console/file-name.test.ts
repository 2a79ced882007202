import { expect, it } from 'vitest';
import { zoneNameOf } from './file-name.ts';

it.each([
  ['$TTL 300\n$ORIGIN Example.COM.\n@ IN SOA ns1 h 1 2 3 4 5\n', '', 'example.com'],
  ['example.net. 300 IN SOA ns1 h 1 2 3 4 5\n', 'db.example.com', 'example.net'],
  ['example.org. IN 300 SOA ns1 h 1 2 3 4 5\n', '', 'example.org'],
  ['@ IN SOA ns1 h 1 2 3 4 5\n', 'db.example.com', 'example.com'],
  ['@ IN SOA ns1 h 1 2 3 4 5\n', 'example.com.zone', 'example.com'],
  ['@ IN SOA ns1 h 1 2 3 4 5\n', '2.0.192.in-addr.arpa', '2.0.192.in-addr.arpa'],
  ['@ IN SOA ns1 h 1 2 3 4 5\n', 'master', ''],
  ['', '', ''],
])('finds the name of a zone in %j of %j', (text, file, name) => {
  expect(zoneNameOf(text, file)).toBe(name);
});
