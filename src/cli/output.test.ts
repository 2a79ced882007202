import { describe, expect, it } from 'vitest';
import { createPaint } from './terminal.ts';
import { renderFields, renderTable } from './output.ts';

const paint = createPaint(false, {});

describe('tables', () => {
  it('align columns, also under wide and combining characters', () => {
    const rows = [
      [1, 'a.example.', true],
      [20, '日本', null],
      [3, 'e\u0301', 'x\u001b[2J\ny'],
    ];
    expect(renderTable(['id', 'name', 'more'], rows, paint).split('\n')).toEqual([
      'ID  NAME        MORE',
      '1   a.example.  yes',
      '20  日本        -',
      '3   e\u0301           x\\x1b[2J\\x0ay',
    ]);
  });

  it('fit the columns of a terminal: the widest are cut, the last goes on below itself', () => {
    const rows = [
      ['short', 'a-name-that-is-much-too-long.example.com.', 'a sentence of several words'],
      ['x', '日本日本日本日本日本日本', 'wordwithoutanyblanksinit'],
    ];
    const lines = (columns?: number) =>
      renderTable(['id', 'name', 'message'], rows, paint, columns).split('\n');
    expect(lines(40)).toEqual([
      'ID     NAME             MESSAGE',
      'short  a-name-that-is…  a sentence of',
      '                        several words',
      'x      日本日本日本日…  wordwithoutanyb',
      '                        lanksinit',
    ]);
    expect(lines()).toEqual(lines(1000));
    // Where nothing fits, nothing is cut to nothing.
    expect(lines(3)[1]).toBe('short  a-name-…  a');
  });

  it('of many rows take a moment', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [index, `h${index}.example.`, 'A']);
    // Time of the processor, for the host may have other things to do.
    const before = process.cpuUsage();
    expect(renderTable(['id', 'name', 'type'], rows, paint).split('\n')).toHaveLength(200_001);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });

  it('of one thing stand below each other', () => {
    const fields = [
      ['name', 'example.com'],
      ['description', ''],
    ] as const;
    expect(renderFields(fields, paint)).toBe('name         example.com\ndescription  -');
  });
});
