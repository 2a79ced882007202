import { expect, it } from 'vitest';
import { formatTime, parseTime } from './clock.ts';

it.each([
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59+01:00', '9999-12-31T22:59:59.000Z'],
  ['2026-01-31 12:00:00-00:30', '2026-01-31T12:30:00.000Z'],
])('%s is a time', (text, shown) => {
  expect(formatTime(parseTime(text)!)).toBe(shown);
});

it.each([
  // In UTC they are of years that RFC 3339 has no form for.
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '9999-12-31T23:59:59-23:59',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '275761-01-01T00:00:00Z',
  '2026-02-30T12:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:00:60Z',
  '2026-01-31T12:00:00+99:99',
])('%s is none', (text) => expect(parseTime(text)).toBeUndefined());
