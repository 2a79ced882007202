import { expect, it } from 'vitest';
import { tsvOf } from './tsv.ts';

it('a list has a line for each item, below the names of its fields', () => {
  const items = [
    { name: 'a', ttl: 5, by: { kind: 'token', name: 'ci' }, value: ['x', 'y'] },
    { name: 'b', ttl: null, by: null, value: 'tab\there\\\r\n', more: true },
  ];
  expect(tsvOf({ items, next_cursor: null })).toBe(
    'name\tttl\tby\tvalue\tmore\n' +
      'a\t5\t{"kind":"token","name":"ci"}\t["x","y"]\t\n' +
      'b\t\t\ttab\\there\\\\\\r\\n\ttrue\n',
  );
  expect(tsvOf({ items: [] })).toBe('');
});

it('any other answer has one line, and what is in its objects a name with dots', () => {
  expect(tsvOf({ applied: true, zone: { name: 'a', soa: { serial: 3 } }, files: ['x'] })).toBe(
    'applied\tzone.name\tzone.soa.serial\tfiles\ntrue\ta\t3\t["x"]\n',
  );
  expect(tsvOf({ zones: [{ id: 1 }], records: [] })).toBe('zones\trecords\n[{"id":1}]\t[]\n');
  expect(tsvOf('text')).toBe('value\ntext\n');
});

it('of many rows takes no stack', () => {
  const items = Array.from({ length: 200_000 }, (_, id) => ({ id, name: `h${id}` }));
  expect(tsvOf({ items }).split('\n')).toHaveLength(200_002);
});
