/**
 * Lists of the records of a zone at an earlier serial, in the same orders and by the same rules as those of now. Each
 * is made in one walk over the records of then, or in two where the order asks for it, and holds no more than a page.
 */
import type { Rights } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { Listed, Page } from '../projection/tables.ts';
import { type KeyRange, onlyOwner } from './key-range.ts';
import type { Layer } from './record-cursor.ts';
import { type RecordFilter, RecordTest } from './record-filter.ts';
import { ReadableRecords } from './record-scope.ts';
import { type RecordSort, Selection } from './selection.ts';
import type { VersionQueries } from './version-queries.ts';

/** The page of one layer. */
export type LayerList<Item> = (layer: Layer, page: Page) => Listed<Item>;

/** A page of the records of users and, where those are asked for, of DNSSEC behind them. */
export function listLayers<Item>(
  { signed }: RecordFilter,
  page: Page,
  list: LayerList<Item>,
): Listed<Item> {
  const users = list('user', page);
  if (signed !== true) return users;
  const rest = {
    offset: Math.max(0, page.offset - users.total),
    limit: page.limit - users.items.length,
  };
  const generated = list('derived', rest);
  return { items: [...users.items, ...generated.items], total: users.total + generated.total };
}

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
  const { ranges } = readable.in(zone.id);
  const within = filter.owner === undefined ? spanOf(ranges) : onlyOwner(filter.owner);
  return listLayers(filter, page, (layer, part) => {
    const test = new RecordTest(readable, filter, layer);
    test.openZone(zone);
    const passing = function* (): Generator<ZoneRecord> {
      if (within === undefined) return;
      for (const batch of versions.recordsOf(layer, zone, serial, within)) {
        for (const record of batch) if (test.passes(record)) yield record;
      }
    };
    return sort.key === 'name'
      ? pageByName(passing, sort.descending, part)
      : pageBySort(passing, sort, part);
  });
}

/** All between the first owner and the last; the test leaves out what stands between them. */
export function spanOf(ranges: readonly KeyRange[]): KeyRange | undefined {
  const first = ranges[0];
  return first && { from: first.from, to: ranges.at(-1)!.to };
}

/** Owners in order, and the records of each by their ids. */
function pageByName(
  passing: () => Iterable<ZoneRecord>,
  descending: boolean,
  { limit, offset }: Page,
): Listed<ZoneRecord> {
  let total = 0;
  // From the end it can only be counted when the end is known.
  if (descending) for (const _ of passing()) total++;
  const wanted: ZoneRecord[] = [];
  let start = 0;
  for (const node of nodesOf(passing())) {
    // Of its first record on the list.
    const index = descending ? total - start - node.length : start;
    start += node.length;
    const listed = node.slice(Math.max(0, offset - index), Math.max(0, offset + limit - index));
    if (descending) wanted.unshift(...listed);
    else wanted.push(...listed);
  }
  return { items: wanted, total: start };
}

function* nodesOf(records: Iterable<ZoneRecord>): Generator<ZoneRecord[]> {
  let node: ZoneRecord[] = [];
  for (const record of records) {
    if (node.length > 0 && node[0]!.owner !== record.owner) {
      yield node.sort((a, b) => a.id - b.id);
      node = [];
    }
    node.push(record);
  }
  if (node.length > 0) yield node.sort((a, b) => a.id - b.id);
}

function pageBySort(
  passing: () => Iterable<ZoneRecord>,
  sort: RecordSort,
  page: Page,
): Listed<ZoneRecord> {
  const selection = new Selection(sort, page);
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
