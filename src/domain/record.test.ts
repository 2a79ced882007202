import { describe, expect, it } from 'vitest';
import { parseAbsoluteName, printRelativeName } from '../dns/name.ts';
import { parseOwner } from './record.ts';

const apex = parseAbsoluteName('example.com');

describe('owner names in requests (decisions 6)', () => {
  it.each([
    ['@', '@'],
    ['www', 'www'],
    ['WWW', 'www'],
    [' www ', 'www'],
    ['a.b', 'a.b'],
    ['www.example.com.', 'www'],
    ['www.Example.COM', 'www'],
    ['example.com.', '@'],
    ['example.com', '@'],
    ['notexample.com', 'notexample.com'],
    ['com', 'com'],
    ['example.com.example.com', 'example.com'],
    ['*', '*'],
    ['*.sub', '*.sub'],
    ['a*b', 'a*b'],
    ['_sip._tcp', '_sip._tcp'],
    ['a\\.b', 'a\\.b'],
    ['\\000\\255', '\\000\\255'],
    ['\\195\\188', '\\195\\188'],
    ['x'.repeat(63), 'x'.repeat(63)],
  ])('%j is %j', (written, owner) => {
    expect(printRelativeName(parseOwner(written, apex))).toBe(owner);
  });

  const long = 'x'.repeat(63);
  it.each([
    '',
    ' ',
    '.',
    'a..b',
    '.a',
    'www.example.org.',
    'com.',
    'www.badexample.com.',
    '\\256',
    'a\\',
    'ü',
    `${long}x`,
    `${long}.${long}.${long}.${long}`,
    // 255 bytes with its own root label, but not below example.com.
    `${long}.${long}.${long}.${'x'.repeat(61)}`,
  ])('%j is refused', (written) => {
    let code = 'not refused';
    try {
      parseOwner(written, apex);
    } catch (error) {
      code = (error as { code: string }).code;
    }
    expect(code).toBe('INVALID_RECORD_NAME');
  });

  it('takes 255 bytes in all, origin included', () => {
    // example.com. has 13 bytes: 242 remain.
    const fits = `${long}.${long}.${long}.${'x'.repeat(49)}`;
    expect(printRelativeName(parseOwner(fits, apex))).toBe(fits);
    expect(() => parseOwner(`${fits}x`, apex)).toThrow(/256 bytes/);
    expect(printRelativeName(parseOwner(`${fits}.example.com`, apex))).toBe(fits);
  });
});
