import { expect, it } from 'vitest';
import type { ZoneRecord } from './api.ts';
import { recordLine } from './record-line.ts';

it.each([
  ['A', '192.0.2.1', null, '192.0.2.1'],
  ['MX', 'mail.example.net.', 10, '10 mail.example.net.'],
  ['SRV', '0 443 a.example.net.', 0, '0 0 443 a.example.net.'],
  ['TXT', 'say "a\\b"', null, '"say \\"a\\\\b\\""'],
  ['TXT', ['one', 'ü\n'], null, '"one" "\\195\\188\\010"'],
  ['TXT', '"\\255" "b"', null, '"\\255" "b"'],
  ['TXT', '\\# text', null, '"\\\\# text"'],
  ['SPF', 'v=spf1 -all', null, '"v=spf1 -all"'],
  ['SPF', '\\# 1 05', null, '\\# 1 05'],
  ['CAA', '0 issue "ca.example.net"', null, '0 issue "ca.example.net"'],
])('has the value of %s %s', (type, value, priority, line) => {
  const record = { name: 'a.example.', ttl: 60, type, value, priority } as ZoneRecord;
  expect(recordLine(record)).toBe(`a.example. 60 IN ${type} ${line}`);
});
