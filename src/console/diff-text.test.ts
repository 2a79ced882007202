import { describe, expect, it } from 'vitest';
import type { DiffEntry } from './api.ts';
import { diffFiles, fileValue } from './diff-text.ts';

const zone = 'example.com';
const value = (text: string | string[], ttl = 300, priority: number | null = null) => {
  return { value: text, ttl, priority };
};
const entry = (
  name: string,
  type: string,
  from: DiffEntry['from'],
  to: DiffEntry['to'],
): DiffEntry => ({ change: 'changed', name, type, from, to });

describe('a value in a file', () => {
  it.each([
    ['A', value('192.0.2.1'), '192.0.2.1'],
    ['MX', value('mail.example.com.', 300, 10), '10 mail.example.com.'],
    ['TXT', value('a "b" \\ ü;\n'), String.raw`"a \"b\" \\ \195\188;\010"`],
    ['TXT', value(['one', 'two']), '"one" "two"'],
    ['TXT', value(String.raw`"\"x"`), String.raw`"\"x"`],
    ['SPF', value('\\# 2 0161'), '\\# 2 0161'],
  ] as const)('of type %s stands there as in a zone file', (type, given, text) => {
    expect(fileValue(type, given as DiffEntry['from'][number])).toBe(text);
  });
});

const entries = [
  entry(
    'example.com.',
    'NS',
    [value('ns1.example.com.'), value('ns2.example.com.')],
    [value('ns1.example.com.', 600), value('ns3.example.com.', 600)],
  ),
  entry('www.example.com.', 'A', [], [value('192.0.2.1')]),
  entry('www.example.com.', 'CNAME', [value('old.example.com.')], []),
];
const sides = [
  { zone, serial: 3 },
  { zone, serial: 5 },
] as const;

describe('a difference as a file', () => {
  it('is unified text', () => {
    const { head, part, tail } = diffFiles.unified;
    expect(head(...sides) + part(entries, zone, true) + tail(false)).toBe(
      [
        '--- example.com serial 3',
        '+++ example.com serial 5',
        '-example.com. 300 IN NS ns1.example.com.',
        '-example.com. 300 IN NS ns2.example.com.',
        '+example.com. 600 IN NS ns1.example.com.',
        '+example.com. 600 IN NS ns3.example.com.',
        '+www.example.com. 300 IN A 192.0.2.1',
        '-www.example.com. 300 IN CNAME old.example.com.',
        '',
      ].join('\n'),
    );
    expect(tail(true)).toMatch(/^# There is more/);
  });

  it('is JSON, made of any number of parts', () => {
    const { head, part, tail } = diffFiles.json;
    const text =
      head(...sides) + part(entries.slice(0, 1), zone, true) + part(entries.slice(1), zone, false);
    const whole = { from: sides[0], to: sides[1], entries };
    expect(JSON.parse(text + tail(false))).toEqual({ ...whole, truncated: false });
    expect(JSON.parse(head(...sides) + tail(true))).toMatchObject({ entries: [], truncated: true });
  });

  it('is a script that deletes before it adds, but the NS of the apex after it', () => {
    const { head, part, tail } = diffFiles.nsupdate;
    expect(head(...sides) + part(entries, zone, true) + tail(false)).toBe(
      [
        '; Makes example.com serial 3 what example.com serial 5 is.',
        'zone example.com.',
        'update add example.com. 600 NS ns1.example.com.',
        'update add example.com. 600 NS ns3.example.com.',
        'update delete example.com. NS ns2.example.com.',
        'update delete www.example.com. CNAME old.example.com.',
        'update add www.example.com. 300 A 192.0.2.1',
        'send',
        '',
      ].join('\n'),
    );
    expect(part([], zone, true)).toBe('');
    expect(tail(true)).toMatch(/^; There is more/);
  });

  it('is a script of several updates, with the records of an owner in one', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      entry(`h${index >> 1}.example.com.`, index % 2 === 0 ? 'A' : 'AAAA', [], [value('::1')]),
    );
    const updates = diffFiles.nsupdate.part(many, zone, true).split('send\n');
    expect(updates).toHaveLength(4);
    for (const update of updates.slice(0, 3)) {
      const lines = update.trim().split('\n');
      expect(lines.length).toBeLessThan(210);
      expect(lines.length % 2).toBe(0);
    }
  });
});
