/**
 * Lists of the records of a zone at an earlier serial, in the same orders and by the same rules as those of now. Each
 * is made in one walk over the records of then, or in two where the order asks for it, and holds no more than a page.
 */
import { runsOf } from '../base/lists.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { type Listed, type Page, paged } from '../projection/page.ts';
import { type KeyRange, onlyOwner, rangesBelow } from './key-range.ts';
import type { Layer } from './record-cursor.ts';
import { type RecordFilter, RecordTest } from './record-filter.ts';
import { isLaterByName, lastRecordOf, positionOf, selectedAfter } from './record-position.ts';
import { ReadableRecords } from './record-scope.ts';
import { type RecordSort, Selection } from './selection.ts';
import type { VersionQueries } from './version-queries.ts';

/** The page of one layer. */
type LayerList<Item> = (layer: Layer, page: Page) => Omit<Listed<Item>, 'next'>;

/** A page of the records of users and, where those are asked for, of DNSSEC behind them. */
export function listLayers<Item>(
  { signed }: RecordFilter,
  page: Page,
  list: LayerList<Item>,
): Omit<Listed<Item>, 'next'> {
  const isBeyondUsers = page.after !== undefined && lastRecordOf(page.after).id === 0;
  const users = list('user', isBeyondUsers ? nothingOf(page) : page);
  if (signed !== true) return users;
  const generated = list('dnssec', {
    offset: Math.max(0, page.offset - users.total),
    limit: page.limit - users.items.length,
    after: isBeyondUsers ? page.after : undefined,
  });
  return { items: [...users.items, ...generated.items], total: users.total + generated.total };
}

/** The rows are counted only. */
const nothingOf = (page: Page): Page => ({ ...page, limit: 0, after: undefined });

/** VERSION_NOT_FOUND where the zone never had the serial, or the journal can not tell it any more. */
export function listThen(
  versions: VersionQueries,
  rights: Rights,
  { zone, serial }: { readonly zone: Zone; readonly serial: number },
  filter: RecordFilter,
  sort: RecordSort,
  page: Page,
): Listed<ZoneRecord> {
  const readable = new ReadableRecords(rights);
  const { owner, below } = filter;
  const asked = owner === undefined ? readable.in(zone.id).ranges : [onlyOwner(owner)];
  const within = spanOf(rangesBelow(asked, below));
  const changed = versions.changedUpTo(zone, serial, filter);
  const list: LayerList<ZoneRecord> = (layer, part) => {
    const test = new RecordTest(readable, filter, layer, changed);
    test.openZone(zone);
    const passing = function* (range = within): Generator<ZoneRecord> {
      if (range === undefined) return;
      for (const batch of versions.recordsOf(layer, zone, serial, range)) {
        for (const record of batch) if (test.passes(record)) yield record;
      }
    };
    if (sort.key !== 'name') return pageBySort(passing, sort, part);
    if (sort.descending) return pageFromEnd(passing, part);
    const isNamed = (owner ?? below) !== undefined;
    const isCounted = layer === 'user' && !isNamed && test.passesAll;
    return pageByName(passing, part, isCounted ? versions.recordCount(zone, serial) : undefined);
  };
  const read = (asked: Page) => listLayers(filter, asked, list);
  return paged(page, read, (record) => positionOf(record, apexOf(zone), sort));
}

/** All between the first owner and the last; the test leaves out what stands between them. */
export function spanOf(ranges: readonly KeyRange[]): KeyRange | undefined {
  const first = ranges[0];
  return first && { from: first.from, to: ranges.at(-1)!.to };
}

/** Owners in order, and the records of each by their ids. What is `counted` already is read to the end of the page. */
function pageByName(
  passing: (range?: KeyRange) => Iterable<ZoneRecord>,
  { limit, offset, after }: Page,
  counted: number | undefined,
): Listed<ZoneRecord> {
  const last = after && lastRecordOf(after);
  const isRestEnough = counted !== undefined && last !== undefined;
  const range = isRestEnough ? { from: last.owner, to: undefined } : undefined;
  let total = 0;
  const behind = function* (): Generator<ZoneRecord> {
    for (const record of passing(range)) {
      total++;
      if (last === undefined || isLaterByName(record, last, false)) yield record;
    }
  };
  const wanted: ZoneRecord[] = [];
  let start = 0;
  for (const node of nodesOf(behind())) {
    wanted.push(...listedOf(node, start, offset, limit));
    start += node.length;
    if (counted !== undefined && start >= offset + limit) break;
  }
  return { items: wanted, total: counted ?? total };
}

/** The same with the last owner first. From the end it can only be counted when the end is known. */
function pageFromEnd(
  passing: () => Iterable<ZoneRecord>,
  { limit, offset, after }: Page,
): Listed<ZoneRecord> {
  const last = after && lastRecordOf(after);
  const isBehind = (record: ZoneRecord) => last === undefined || isLaterByName(record, last, true);
  let left = 0;
  let total = 0;
  for (const record of passing()) {
    total++;
    if (isBehind(record)) left++;
  }
  const behind = function* (): Generator<ZoneRecord> {
    for (const record of passing()) if (isBehind(record)) yield record;
  };
  const wanted: ZoneRecord[] = [];
  for (const node of nodesOf(behind())) {
    left -= node.length;
    wanted.unshift(...listedOf(node, left, offset, limit));
  }
  return { items: wanted, total };
}

/** Of the records of an owner, which stand in the list from an index on, those on the page. */
function listedOf(
  node: readonly ZoneRecord[],
  start: number,
  offset: number,
  limit: number,
): readonly ZoneRecord[] {
  return node.slice(Math.max(0, offset - start), Math.max(0, offset + limit - start));
}

function* nodesOf(records: Iterable<ZoneRecord>): Generator<ZoneRecord[]> {
  for (const node of runsOf([records], (one, other) => one.owner === other.owner)) {
    yield node.sort((a, b) => a.id - b.id);
  }
}

function pageBySort(
  passing: () => Iterable<ZoneRecord>,
  sort: RecordSort,
  page: Page,
): Listed<ZoneRecord> {
  const after = page.after && selectedAfter(lastRecordOf(page.after));
  const selection = new Selection(sort, page, after);
  let total = 0;
  for (const record of passing()) selection.offer({ ...record, index: total++ }, 0, 0);
  const indexes = selection.finish().map(({ index }) => index);
  const wanted = new Map<number, ZoneRecord | undefined>(indexes.map((at) => [at, undefined]));
  let at = 0;
  for (const record of passing()) {
    if (wanted.has(at)) wanted.set(at, record);
    at++;
  }
  return { items: indexes.map((index) => wanted.get(index)!), total };
}
