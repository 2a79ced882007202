/**
 * The moment that the page looks at: now, or an earlier instant, which is in the address. Times are in the zone of the
 * browser or in UTC, as the person chose.
 */
import { computed, signal } from '@preact/signals';
import { parameter } from './router.ts';

/** RFC 3339, or '' for now. */
export const at = computed(() => parameter('at'));
export const isEarlier = computed(() => at.value !== '');

const storedKey = 'zonebook-times';
export const isUtc = signal(localStorage.getItem(storedKey) === 'utc');

export function showTimesIn(zone: 'utc' | 'local'): void {
  localStorage.setItem(storedKey, zone);
  isUtc.value = zone === 'utc';
}

/** `20 Nov 2026, 14:00:05`, with `UTC` behind it when that is chosen. */
export function absolute(time: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' };
  if (isUtc.value) options.timeZone = 'UTC';
  const text = new Intl.DateTimeFormat(undefined, options).format(new Date(time));
  return isUtc.value ? `${text} UTC` : text;
}

/** A sentence of the service, with its times as this page says them. */
export function timed(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => absolute(time));
}

export function dayOf(time: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'full' };
  if (isUtc.value) options.timeZone = 'UTC';
  return new Intl.DateTimeFormat(undefined, options).format(new Date(time));
}

export function clockOf(time: string): string {
  const options: Intl.DateTimeFormatOptions = { timeStyle: 'medium', hour12: false };
  if (isUtc.value) options.timeZone = 'UTC';
  return new Intl.DateTimeFormat(undefined, options).format(new Date(time));
}

/** What the label of a field for a time says besides. */
export const zoneNote = computed(() => (isUtc.value ? ' (UTC)' : ''));

/** The instant of a field for a time, which is in UTC when that is chosen, else in the time zone of the browser. */
export function instantOf(text: string): string | undefined {
  const time = new Date(isUtc.value ? `${text}Z` : text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The same way back; '' for ''. */
export function fieldText(time: string): string {
  if (time === '') return '';
  const date = new Date(time);
  const offset = isUtc.value ? 0 : date.getTimezoneOffset();
  const local = new Date(date.getTime() - offset * 60_000);
  return local.toISOString().slice(0, 19);
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 days ago`. */
export function relative(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) {
      return relativeFormat.format(Math.round(seconds / length), unit);
    }
  }
  return 'just now';
}
