import { expect, it } from 'vitest';
import type { ZoneRecord } from './api.ts';
import { collectedOf, type Item, withEdits, withErrors, writeOf } from './collected.ts';

const a = { name: 'www', type: 'A', ttl: 300, value: '192.0.2.1' };
const b = { ...a, value: '192.0.2.2' };
const text = { name: 'x', type: 'TXT', value: ['one', 'two'] };
const items: readonly Item[] = [{ before: a, after: b }, { after: text }, { before: text }];

it('makes one change of all items', () => {
  expect(writeOf('example.com', items)).toMatchObject({
    title: 'Make 3 edits of example.com',
    button: 'Make 3 edits',
    path: '/changes',
    body: {
      zones: [
        {
          name: 'example.com',
          delete: [
            { name: 'www', type: 'A', value: '192.0.2.1' },
            { name: 'x', type: 'TXT', value: ['one', 'two'] },
          ],
          add: [
            { name: 'www', type: 'A', ttl: 300, values: ['192.0.2.2'] },
            { name: 'x', type: 'TXT', values: [['one', 'two']] },
          ],
        },
      ],
    },
  });
});

it('has one item for a stored record, the last', () => {
  const record = { name: 'www', type: 'A', ttl: 60, value: '192.0.2.1' };
  expect(withEdits(items, [{ before: record }])).toEqual([items[1], items[2], { before: record }]);
  expect(withEdits(items, [{ after: a }])).toEqual([...items, { after: a }]);
});

it('writes the priority with the value', () => {
  const mx = { type: 'MX', ttl: 60, value: 'mail.example.com.', priority: 10 } as ZoneRecord;
  expect(collectedOf(mx, '@')).toEqual({
    name: '@',
    type: 'MX',
    ttl: 60,
    value: '10 mail.example.com.',
  });
});

it('finds the item that a refusal points at, and drops what was said before', () => {
  const told = items.map((item) => ({ ...item, error: 'before' }));
  const code = 'INVALID_RECORD_VALUE';
  const found = withErrors(told, [
    { pointer: '/zones/0/add/1/values/0', code, message: 'zones[0].add[1].values[0]: too long' },
    { pointer: '/zones/0/delete/1', code, message: 'zones[0].delete[1]: unknown' },
  ]);
  expect(found?.map(({ error }) => error)).toEqual([undefined, 'too long', 'unknown']);
  const first = { pointer: '/zones/0/add/0/ttl', code, message: 'zones[0].add[0].ttl: too much' };
  expect(withErrors(items, [first])?.[0]?.error).toBe('too much');
  // What is of no item stays in the dialog.
  expect(withErrors(items, [{ pointer: '/zones/0/name', code, message: 'x' }])).toBeUndefined();
  expect(withErrors(items, [{ code, message: 'x' }])).toBeUndefined();
  expect(withErrors(items, [{ pointer: '/zones/0/add/7', code, message: 'x' }])).toBeUndefined();
});
