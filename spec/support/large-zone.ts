/** A zone of thousands of names: hosts, and every so often a node of another kind. */
import type { ResourceRecord } from '../../src/dns/record.ts';
import { recordsOf } from './signed-zone.ts';

const digest = 'AB'.repeat(32);

export function largeZone(names: number): ResourceRecord[] {
  const lines = ['@ NS ns.other.test.'];
  for (let at = 0; at < names; at++) {
    lines.push(`h${at}.g${at % 50} A 192.0.2.${at % 256}`);
    if (at % 100 === 0) {
      lines.push(`cut${at} NS ns.cut${at}.large.test.`, `ns.cut${at} A 192.0.2.1`);
    }
    if (at % 200 === 0) lines.push(`cut${at} DS 1 13 2 ${digest}`);
    if (at % 150 === 0) lines.push(`*.w${at} TXT "wild"`, `a.b.c${at} AAAA 2001:db8::1`);
    if (at % 500 === 0) lines.push(`alias${at} CNAME h${at}.g${at % 50}.large.test.`);
  }
  return recordsOf(lines.join('\n'));
}
