/** The difference of two versions, of one zone or of two, asked part by part; and what takes parts of one back. */
import { ask, type DiffEntry, get, type ZoneDiff, zonePath } from './api.ts';
import { counted } from './counted.ts';
import { deletedId } from './deleted.ts';
import { absolute } from './moment.ts';
import { relativeName } from './owner-name.ts';
import { isPrioritised } from './record-parts.ts';
import type { CollectedRecord, Write } from './write.ts';

/** What is compared: the difference leads from A to B. */
export interface Sides {
  /** Of B; of A too where no other is named. */
  readonly zone: string;
  /** The zone of A; '' where it is the same. */
  readonly other: string;
  /** A serial, `tag:NAME` or a time; '' for now. */
  readonly from: string;
  readonly to: string;
  /** The only owner, relative to its zone, and the only type; '' for all. */
  readonly name: string;
  readonly type: string;
  /** Part of a value. */
  readonly value: string;
  /** Who changed it, of one zone alone. */
  readonly actor: string;
}

interface Part {
  /** RRsets at most. */
  readonly limit?: number;
  /** What the part before ends with. */
  readonly cursor?: string | undefined;
  /** Counts alone. */
  readonly summary?: true;
}

/** Throws a Problem. */
export function differenceOf(
  { zone, other, from, to, name, type, value, actor }: Sides,
  part: Part,
  signal: AbortSignal,
): Promise<ZoneDiff> {
  if (other === '') {
    const { summary, ...bounds } = part;
    const query = {
      at: from,
      to_at: to,
      name,
      type,
      value,
      actor,
      deleted_id: deletedId.value,
      ...bounds,
      ...(summary && { summary: 'true' }),
    };
    return get<ZoneDiff>(zonePath(zone, '/versions/diff'), query, signal);
  }
  const sides = { ...(from !== '' && { at: from }), ...(to !== '' && { other_at: to }) };
  const only = {
    ...(name !== '' && { name }),
    ...(type !== '' && { type }),
    ...(value !== '' && { value }),
  };
  const body = { other: zone, ...sides, ...only, ...part };
  return ask<ZoneDiff>('POST', zonePath(other, '/diff'), { body, signal });
}

/** All of it, part by part. */
export async function* partsOf(
  sides: Sides,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<ZoneDiff> {
  let cursor: string | undefined;
  do {
    const part = await differenceOf(sides, { limit, cursor }, signal);
    yield part;
    cursor = part.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

const digits = /^\d+$/;

/** A serial, a tag or a time in words. */
export function momentText(text: string): string {
  if (text === '') return deletedId.value === undefined ? 'now' : 'the end';
  if (digits.test(text)) return `serial ${text}`;
  return Number.isNaN(Date.parse(text)) ? text : absolute(text);
}

export function zoneOfA({ zone, other }: Sides): string {
  return other || zone;
}

export function rollbackOf(zone: string, serial: number): Write {
  return {
    title: `Roll ${zone} back to serial ${serial}`,
    button: 'Roll back',
    method: 'POST',
    path: zonePath(zone, `/versions/${serial}/rollback`),
    body: {},
    zone,
  };
}

/** Makes RRsets of B what they are in A, and leaves all others. */
export function takingOf(sides: Sides, entries: readonly DiffEntry[], serialOfA: number): Write {
  const whence = sides.other === '' ? `serial ${serialOfA}` : `${sides.other}, serial ${serialOfA}`;
  return taking('from', { zone: sides.zone, zoneOfNames: zoneOfA(sides), whence }, entries);
}

/** Makes RRsets of a zone what they are in a file that it was compared with. */
export function takingOfFile(zone: string, entries: readonly DiffEntry[], whence: string): Write {
  return taking('to', { zone, zoneOfNames: zone, whence }, entries);
}

interface Taking {
  readonly zone: string;
  /** The one that the names of the entries end with. */
  readonly zoneOfNames: string;
  readonly whence: string;
}

function taking(
  side: 'from' | 'to',
  { zone, zoneOfNames, whence }: Taking,
  entries: readonly DiffEntry[],
): Write {
  const what = counted(entries.length, 'RRset');
  return {
    title: `Take ${what} of ${zone} from ${whence}`,
    button: `Take ${what}`,
    method: 'POST',
    path: '/changes',
    body: { zones: [sideOf(side, zone, zoneOfNames, entries)] },
  };
}

/** One side of a difference as what a change makes of a zone. */
export function sideOf(
  side: 'from' | 'to',
  zone: string,
  zoneOfNames: string,
  entries: readonly DiffEntry[],
) {
  const nameOf = ({ name }: DiffEntry) => relativeName(name, zoneOfNames);
  return {
    name: zone,
    set: entries
      .filter((entry) => entry[side].length > 0)
      .map((entry) => ({
        name: nameOf(entry),
        type: entry.type,
        ttl: entry[side][0]!.ttl,
        values: entry[side].map((value) => givenValue(entry.type, value)),
      })),
    delete: entries
      .filter((entry) => entry[side].length === 0)
      .map((entry) => ({ name: nameOf(entry), type: entry.type })),
  };
}

/** A value as a change takes it. */
function givenValue(
  type: string,
  { value, priority }: DiffEntry['from'][number],
): CollectedRecord['value'] {
  const isBeside = isPrioritised(type) && typeof value === 'string' && priority !== null;
  return isBeside ? `${priority} ${value}` : value;
}
