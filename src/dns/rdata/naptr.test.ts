import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../../spec/support/long.ts';
import { needsPeers, peer } from '../../../spec/support/peers.ts';
import { brokenSubstitutionRule } from './naptr.ts';

describe('substitution expressions (RFC 3402 3.2)', () => {
  it.each([
    '',
    '!^.*$!sip:info@example.com!',
    '/^(\\+44)([0-9]+)$/tel:\\2/i',
    '!^(a|b)*[[:digit:]]{1,3}$!\\1!',
    '#^urn:cid:.+@([^\\.]+\\.)(.*)$#\\2#i',
  ])('are: %s', (text) => {
    expect(brokenSubstitutionRule(text)).toBeUndefined();
  });

  it.each([
    ['both', /three delimiters/],
    ['!a!b', /three delimiters/],
    ['!a!b!i!', /three delimiters/],
    ['!a!b!x', /flag/],
    ['1a1b1', /delimiter/],
    ['!a!\\1!', /refers to \\1, but its groups are 0/],
    ['!(a)!\\0!', /refers to/],
    ['!*a!b!', /regular expression/],
    ['!a**!b!', /regular expression/],
    ['!(a!b!', /regular expression/],
    ['!a{2,1}!b!', /regular expression/],
    ['!a|!b!', /regular expression/],
    ['![b!c!', /regular expression/],
    ['![2-[a-z]!b!', /regular expression/],
    ['![a-[:alpha:]]!b!', /regular expression/],
    ['![[:alpha:]-z]!b!', /regular expression/],
    ['![a-c-e]!b!', /regular expression/],
    ['!!b!', /regular expression/],
    ['!a!b\\', /three delimiters/],
    ['!a\0!b!', /byte 0/],
  ])('are not: %j', (text, fault) => {
    expect(brokenSubstitutionRule(text)).toMatch(fault);
  });
});

const pieces = [
  ...['a', 'b', '.', '*', '+', '?', '(', ')', '|', '^', '$', '\\1', '\\2', '\\.', '\\a', '[', '[^'],
  ...[']', '-', '{', '}', '{1}', '{1,}', '{1,2}', '{2,1}', '{,3}', '1', ',', '[:alpha:]', '[.a.]'],
  ...['[=a=]', '{300}', '(a)', '[a-z]', '[z-a]', '[]a]', '^*', '\\(', '()', '!'],
];
const part = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((all) => all.join(''));
const bracket = fc
  .array(fc.constantFrom(...pieces), { maxLength: 5 })
  .map((all) => `[${all.join('')}]`);
const expression = fc
  .tuple(fc.oneof(part, bracket), fc.oneof(part, fc.constant('x')), fc.constantFrom('', '', 'i'))
  .map(([pattern, replacement, flags]) => `!${pattern}!${replacement}!${flags}`);

needsPeers('named-checkzone')('named', () => {
  it('takes every expression that is taken', () => {
    const count = isLong ? 200_000 : 20_000;
    const taken = new Set(
      fc.sample(expression, count).filter((text) => brokenSubstitutionRule(text) === undefined),
    );
    expect(taken.size).toBeGreaterThan(100);
    const lines = [...taken].map((text, index) => {
      return `n${index} IN NAPTR 1 1 "u" "s" "${text.replaceAll('\\', '\\\\')}" .`;
    });
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-naptr-'));
    try {
      const head = ['$TTL 60', '@ IN SOA ns h 1 60 60 60 60', '@ IN NS ns', 'ns IN A 192.0.2.1'];
      writeFileSync(join(folder, 'zone'), [...head, ...lines, ''].join('\n'));
      const args = ['example.test', join(folder, 'zone')];
      const { stdout, status } = spawnSync(peer('named-checkzone')!, args, { encoding: 'utf8' });
      const refused = stdout.matchAll(/zone:([0-9]+):/g);
      expect([...refused].map(([, line]) => lines[Number(line) - head.length - 1])).toEqual([]);
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
