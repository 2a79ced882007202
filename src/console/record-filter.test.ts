import { expect, it } from 'vitest';
import { filterText, readFilter } from './record-filter.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const read = (text: string) => readFilter(text, now);

it.each([
  ['', {}],
  ['www', { search: 'www' }],
  ['two  words', { search: 'two words' }],
  ['type:MX', { type: 'MX' }],
  ['TYPE:mx mail', { type: 'mx', search: 'mail' }],
  ['name:www value:192.0.2.', { name: 'www', value: '192.0.2.' }],
  ['name:*.dyn', { below: 'dyn' }],
  ['name:*', { below: '@' }],
  ['value:"two words" "type:A"', { value: 'two words', search: 'type:A' }],
  ['value:2001:db8::1', { value: '2001:db8::1' }],
  ['2001:db8::1', { search: '2001:db8::1' }],
  ['fe80::1', { search: 'fe80::1' }],
  ['dead:beef::1', { search: 'dead:beef::1' }],
  ['name:', {}],
  ['"half', { search: 'half' }],
])('reads %s', (text, query) => {
  expect(read(text)).toEqual({ query, changes: {}, wrong: [] });
});

it('reads words about changes for records and for the timeline', () => {
  expect(read('by:ci since:7d type:A')).toEqual({
    query: { type: 'A', changed_by: 'ci', changed_since: '2026-01-24T12:00:00.000Z' },
    changes: { actor: 'ci', since: '2026-01-24T12:00:00.000Z' },
    wrong: [],
  });
  expect(read('since:2026-01-31T11:00:00Z').changes).toEqual({ since: '2026-01-31T11:00:00.000Z' });
});

it('says which words are wrong, and goes by the others', () => {
  const { query, wrong } = read('typ:MX since:soon type:A type:MX include:x www');
  expect(query).toEqual({ type: 'A', search: 'www' });
  expect(wrong).toEqual([
    'There is no filter typ: here. Put typ:MX in quotes to look for it as text.',
    'since: takes 30m, 12h, 7d, 2w or a day like 2026-01-31.',
    'type: can be given once; type:MX is ignored.',
    'There is no filter include: here. Put include:x in quotes to look for it as text.',
  ]);
});

it('writes what links ask for as words', () => {
  const words = { name: 'a b', type: 'MX', value: '' };
  expect(filterText(words, 'text')).toBe('name:"a b" type:MX text');
  expect(read(filterText(words, 'text')).query).toEqual({
    name: 'a b',
    type: 'MX',
    search: 'text',
  });
});
