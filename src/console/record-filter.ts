/** The filter of records, as people type it: `type:MX name:*.dyn value:192.0.2.` beside plain text. */
import { dayMs } from './duration.ts';

type Parameters = Readonly<Record<string, string>>;

export interface RecordFilter {
  /** Parameters of the list of records. */
  readonly query: Parameters;
  /** The same of the timeline, for words about changes. */
  readonly changes: Parameters;
  /** What is wrong with words, in a sentence each; they count for nothing. */
  readonly wrong: readonly string[];
}

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 604_800_000,
};

/** `7d` ago, or a day or a time that is written out; undefined for anything else. */
function sinceOf(text: string, now: number): string | undefined {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const length = unit === undefined ? Number.NaN : Number(count) * unitMs[unit]!;
  const time = new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : now - length);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const known = ['type', 'name', 'value', 'by', 'since'];
/** A word, maybe with a key before it; quotes hold one together that has spaces or a colon. */
const word = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/gi;

export function readFilter(text: string, now = Date.now()): RecordFilter {
  const query: Record<string, string> = {};
  const changes: Record<string, string> = {};
  const wrong: string[] = [];
  const rest: string[] = [];
  const taken = new Set<string>();
  for (const [whole, found, quoted, unquoted] of text.matchAll(word)) {
    if (whole === '') continue;
    const key = found?.toLowerCase();
    const value = quoted ?? unquoted ?? '';
    // An address can begin with letters too.
    if (key === undefined || (!known.includes(key) && /^[a-f]+$/.test(key))) {
      rest.push(key === undefined ? value : whole);
    } else if (!known.includes(key)) {
      wrong.push(`There is no filter ${key}: here. Put ${whole} in quotes to look for it as text.`);
    } else if (taken.has(key)) {
      wrong.push(`${key}: can be given once; ${whole} is ignored.`);
    } else if (value !== '') {
      taken.add(key);
      const problem = take(key, value, { query, changes }, now);
      if (problem !== undefined) wrong.push(problem);
    }
  }
  if (rest.length > 0) query.search = rest.join(' ');
  return { query, changes, wrong };
}

interface Taken {
  readonly query: Record<string, string>;
  readonly changes: Record<string, string>;
}

/** What is wrong with the value of a word; undefined where it is taken. */
function take(key: string, value: string, { query, changes }: Taken, now: number) {
  if (key === 'by') {
    query.changed_by = value;
    changes.actor = value;
  } else if (key === 'since') {
    const since = sinceOf(value, now);
    if (since === undefined) return 'since: takes 30m, 12h, 7d, 2w or a day like 2026-01-31.';
    query.changed_since = since;
    changes.since = since;
  } else if (key === 'name' && /^\*(\.|$)/.test(value)) query.below = value.slice(2) || '@';
  else query[key] = value;
  return undefined;
}

/** The same filter as somebody would type it, from parameters of the address that links have. */
export function filterText(words: Parameters, rest: string): string {
  const texts = Object.entries(words)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}:${/\s/.test(value) ? `"${value}"` : value}`);
  return [...texts, rest].filter((text) => text !== '').join(' ');
}
