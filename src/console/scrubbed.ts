/** The records at the handle of a timeline: at once those that are known, and what else once it rests. */
import { useEffect, useRef } from 'preact/hooks';
import { type Activity, get, type Listed, type Zone, type ZoneRecord } from './api.ts';
import { deletedId } from './deleted.ts';
import { type Loaded, useLoaded } from './loading.ts';
import { at } from './moment.ts';
import { pageSize } from './parts/pages.tsx';
import { parameter } from './router.ts';
import { endOf, nextActive, passedBy } from './spans.ts';

type RecordPage = Listed<ZoneRecord>;

/** Pages of moments that were looked at last, and of those beside them. */
const pagesKept = 12;

/** The moment after a number of spans; '' for now. A strip that ends earlier has no step for now. */
export function timeAfter(activity: Activity, passed: number): string {
  const isNow = passed >= activity.items.length && parameter('to') === '';
  return isNow ? '' : endOf(activity, passed - 1);
}

/** How many records there are more after some spans than after others. */
function increase({ items }: Activity, from: number, to: number): number {
  const [first, end] = [Math.min(from, to), Math.max(from, to)];
  const sum = items.slice(first, end).reduce((all, { added, removed }) => all + added - removed, 0);
  return from < to ? sum : -sum;
}

export interface Scrubbed {
  /** The page of the moment that the handle rests at. */
  readonly loaded: Loaded<RecordPage | null>;
  /** Of where the handle is; while it moves maybe of where it was. */
  readonly page: RecordPage | undefined;
  /** How many records there are where the handle is; undefined where that is not known. */
  readonly total: number | undefined;
  readonly isMoving: boolean;
  /** Whether retention has deleted the versions of then. */
  readonly isDropped: boolean;
}

/** A new one each time: what waits for one that stays would stay too. */
const never = () => new Promise<never>(() => {});

/** `moved`: spans up to where the handle is while it moves. Then nothing is asked for. */
export function useScrubbed(
  zone: Zone,
  activity: Activity,
  moved: number | undefined,
  retainedFrom: string | undefined,
): Scrubbed {
  const pages = useRef(new Map<string, RecordPage>()).current;
  const isMoving = moved !== undefined;
  const passed = moved ?? passedBy(activity, at.value);
  const time = isMoving ? timeAfter(activity, passed) : at.value;
  const isDropped = retainedFrom !== undefined && time !== '' && time < retainedFrom;
  const isAsked = at.value !== '' && !isDropped && deletedId.value === undefined;
  const read = async (moment: string, signal: AbortSignal) => {
    const key = `${zone.name} ${moment}`;
    const query = { zone_name: zone.name, at: moment, limit: pageSize };
    const page = pages.get(key) ?? (await get<RecordPage>('/records', query, signal));
    pages.delete(key);
    pages.set(key, page);
    for (const oldest of pages.keys()) if (pages.size > pagesKept) pages.delete(oldest);
    return page;
  };
  const loaded = useLoaded(
    (signal) => (isMoving ? never() : isAsked ? read(at.value, signal) : Promise.resolve(null)),
    [zone.name, at.value, isMoving, isAsked],
  );
  const isThere = !isMoving && isAsked && pages.has(`${zone.name} ${at.value}`);
  useEffect(() => {
    if (!isThere) return undefined;
    const aborting = new AbortController();
    for (const direction of [-1, 1] as const) {
      const beside = timeAfter(activity, nextActive(activity, passed - 1, direction) + 1);
      if (beside === '' || beside < (retainedFrom ?? '')) continue;
      read(beside, aborting.signal).catch(() => {});
    }
    return () => aborting.abort();
  }, [isThere, at.value, zone.name]);
  const page = pages.get(`${zone.name} ${time}`);
  const isWhole = parameter('from') === '' && retainedFrom === undefined;
  const total = page?.pagination.total ?? (isWhole ? increase(activity, 0, passed) : undefined);
  return { loaded, page: page ?? loaded.value ?? undefined, total, isMoving, isDropped };
}
