/** Moments as people type them, on a Wednesday in a time zone with summer time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from './field.ts';
import { moment, parseHumanTime } from './moment.ts';

const zoneBefore = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

const now = Date.parse('2026-04-01T10:30:00Z');

describe('parseHumanTime', () => {
  it.each([
    ['now', '2026-04-01T10:30:00Z'],
    ['2h ago', '2026-04-01T08:30:00Z'],
    ['90 minutes ago', '2026-04-01T09:00:00Z'],
    ['3 days ago', '2026-03-29T10:30:00Z'],
    ['1w', '2026-03-25T10:30:00Z'],
    ['today', '2026-03-31T22:00:00Z'],
    ['08:15', '2026-04-01T06:15:00Z'],
    ['Yesterday  14:00', '2026-03-31T12:00:00Z'],
    ['monday', '2026-03-29T22:00:00Z'],
    ['wednesday 12:30', '2026-04-01T10:30:00Z'],
    ['wednesday 12:31', '2026-03-25T11:31:00Z'],
    ['2026-03-28', '2026-03-27T23:00:00Z'],
    ['2026-03-28 23:59:59', '2026-03-28T22:59:59Z'],
    ['0050-07-01', '0050-06-30T23:06:32Z'],
  ])('%s', (text, time) => {
    expect(new Date(parseHumanTime(text, now)!).toISOString()).toBe(new Date(time).toISOString());
  });

  it.each([
    '999999999 w',
    '999999999w ago',
    `${'9'.repeat(400)} days ago`,
    '150000 weeks ago',
    '0000-01-01',
  ])('%j as a field is refused, as no time that can be sent', (given) => {
    const field = moment(text('a time'));
    const problem = expect.objectContaining({ exitCode: 2 });
    const read = () => field.read(given, '--at');
    expect(read).toThrow('--at takes a time of the years 0000 to 9999, not ');
    expect(read).toThrow(problem);
  });

  it.each(['', '7', '2026', 'noon', 'someday', 'yesterday 25:00', '2026-02-30', '2026-13-01'])(
    'knows no moment %j',
    (text) => expect(parseHumanTime(text, now)).toBeUndefined(),
  );
});
