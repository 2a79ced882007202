/**
 * Moments as people type them: `2h ago`, `yesterday 14:00`, `monday`, `2026-01-31`. They are sent as RFC 3339; days and
 * times of day are those of the host's time zone. Serials, and what is no moment, are sent as they are typed: the
 * service refuses what it can not read.
 */
import { formatTime, hasForm, systemClock } from '../base/clock.ts';
import { excerpt } from '../base/problem.ts';
import { usageFailure } from './failure.ts';
import { converted, type Field, type NameValue } from './field.ts';

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const ago = /^(\d+) ?(?:([smhdw])|(sec|min|hr|second|minute|hour|day|week)s?)(?: ago)?$/;
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const onDay =
  /^(today|yesterday|[a-z]{6,9}|\d{4}-\d{2}-\d{2})?(?:(?:^| )(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** Milliseconds since 1970, however far away; undefined for a text that is no moment of this kind. */
export function parseHumanTime(text: string, now: number): number | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (words === 'now') return now;
  const before = ago.exec(words);
  if (before !== null) return now - Number(before[1]) * units[(before[2] ?? before[3])![0]!]!;
  const [found, day, ...numbers] = onDay.exec(words) ?? [];
  if (!found) return undefined;
  const [hour = 0, minute = 0, second = 0] = numbers.map((number) => Number(number ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return dayOf(day, now, (date) => date.setHours(hour, minute, second, 0));
}

/** A time of a day, which is the last one of its name that is not yet to come. */
function dayOf(
  day: string | undefined,
  now: number,
  at: (date: Date) => number,
): number | undefined {
  const date = new Date(now);
  if (day === undefined || day === 'today') return at(date);
  if (day === 'yesterday') {
    date.setDate(date.getDate() - 1);
    return at(date);
  }
  const weekday = days.indexOf(day);
  if (weekday >= 0) {
    date.setDate(date.getDate() - ((date.getDay() - weekday + 7) % 7));
    if (at(date) > now) date.setDate(date.getDate() - 7);
    return at(date);
  }
  const [year, month, dayOfMonth] = day.split('-').map(Number);
  if (dayOfMonth === undefined) return undefined;
  // Not by the constructor, which takes years before 100 for those of the last century.
  const start = new Date(2000, 0, 1);
  start.setFullYear(year!, month! - 1, dayOfMonth);
  return start.getMonth() === month! - 1 ? at(start) : undefined;
}

/** A field that takes such moments besides those that the service takes. */
export function moment<Value extends NameValue>(field: Field<Value>): Field<Value> {
  return converted(field, (text, label) => {
    const time = parseHumanTime(text, systemClock());
    if (time === undefined) return text;
    if (hasForm(time)) return formatTime(time);
    throw usageFailure(`${label} takes a time of the years 0000 to 9999, not '${excerpt(text)}'`);
  });
}
