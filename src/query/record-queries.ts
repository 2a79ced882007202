/**
 * Reads of records for the API: one by id, lists by filter. DNSSEC records follow those of users where
 * they are asked for.
 *
 * A list is made of the caller's rights: it walks over the blocks of the zones in which something may be read,
 * and a filter only narrows that. Records that nobody asks for are never made. Names come in order by themselves;
 * other orders keep the best of what a page can show.
 */
import { emptyName, type NameKey, parentOf, relativeTo } from '../dns/name.ts';
import type { Rights, ZoneSet } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { UserRecordScan } from '../projection/block.ts';
import type { BlockRow } from '../projection/block-row.ts';
import { AddressOwners, rangesOfOwners } from './address-owners.ts';
import { BlockScan } from './block-scan.ts';
import { asksForChanges, type ChangedRrsets, LastChanges } from './changed-rrsets.ts';
import { allOwners, type KeyRange, onlyOwner, rangesBelow } from './key-range.ts';
import { type Listed, type Page, paged } from '../projection/page.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import { listLayers } from './records-then.ts';
import { type RecordFilter, RecordTest } from './record-filter.ts';
import { locationOf, recordLocationQuery } from '../projection/record-index.ts';
import {
  isLaterByName,
  type LastRecord,
  lastRecordOf,
  positionOf,
  selectedAfter,
} from './record-position.ts';
import { ReadableRecords } from './record-scope.ts';
import { type Candidate, type RecordSort, Selection } from './selection.ts';
import { ZoneQueries } from './zone-queries.ts';

export type { RecordFilter } from './record-filter.ts';
export type { RecordSort } from './selection.ts';

export interface FoundRecord {
  readonly zone: Zone;
  readonly record: ZoneRecord;
}

/** Records that a look at one owner costs as much as: its block is read. */
const lookedAtPerOwner = 50;
/** Changed owners from which on it costs less to go through a zone. */
const ownersLookedAt = 1000;

/** The part of one zone that a list is about. */
interface ZoneRanges {
  readonly zone: Zone;
  readonly ranges: readonly KeyRange[];
}

export class RecordQueries {
  readonly #location: Statement;
  readonly #scan: BlockScan;
  readonly #zones: ZoneQueries;
  readonly #addresses: AddressOwners;
  readonly #changes: LastChanges;

  /** `memoryBytes`: about what a list may hold at once of what changed. */
  constructor(connection: Connection, memoryBytes?: number) {
    this.#changes = new LastChanges(connection, memoryBytes);
    this.#addresses = new AddressOwners(connection);
    this.#location = connection.prepare(recordLocationQuery);
    this.#scan = new BlockScan(connection);
    this.#zones = new ZoneQueries(connection);
  }

  byId(id: number): FoundRecord | undefined {
    const location = locationOf(this.#location.get(id));
    const zone = location && this.#zones.byId(location.zoneId);
    const block = location && zone && this.#scan.blockOf(zone.id, location.owner);
    if (location === undefined || zone === undefined || block === undefined) return undefined;
    const record = new UserRecordScan(block).at(location.owner).find((other) => other.id === id);
    return record && { zone, record };
  }

  /** About how many records a list has to look at. */
  cost(rights: Rights, filter: RecordFilter, sort: RecordSort, page: Page): number {
    if (asksForChanges(filter)) return Number.POSITIVE_INFINITY;
    if ((filter.owner ?? filter.absoluteName) !== undefined) return 1;
    const owners = this.#ownersOf(filter);
    if (owners !== undefined) return lookedAtPerOwner * sizeOf(owners);
    const counted = isCounted(rights, filter) && sort.key === 'name';
    if (filter.zoneId !== undefined) {
      const zone = this.#zones.byId(filter.zoneId);
      if (zone === undefined) return 1;
      const stored = zone.recordCount + zone.dnssecCount;
      return counted ? Math.min(page.offset, stored) : stored;
    }
    const { zones, records } = this.#zones.counts();
    return counted ? zones : zones + records;
  }

  list(rights: Rights, filter: RecordFilter, sort: RecordSort, page: Page): Listed<FoundRecord> {
    const readable = new ReadableRecords(rights);
    const changed = this.#changedFor(filter);
    const owners = this.#ownersOf(filter, changed);
    const read = (asked: Page) =>
      listLayers(filter, asked, (layer, part) => {
        const test = new RecordTest(readable, filter, layer, changed);
        const listed = new ListOfRecords(this.#scan, layer, test, sort, part);
        if (owners === undefined) this.#addAll(listed, readable, filter, sort);
        else this.#addAt(owners, listed, readable, filter, sort);
        return listed.finish();
      });
    return paged(page, read, ({ zone, record }) => positionOf(record, apexOf(zone), sort));
  }

  #addAll(
    listed: ListOfRecords,
    readable: ReadableRecords,
    filter: RecordFilter,
    sort: RecordSort,
  ): void {
    for (const zone of this.#zonesOf(readable.zones(), filter, sort)) {
      const { ranges } = readable.in(zone.id);
      if (ranges.length === 0) continue;
      const owner = ownerIn(zone, filter);
      const asked = owner === undefined ? ranges : [onlyOwner(owner)];
      listed.add({ zone, ranges: rangesBelow(asked, filter.below) });
    }
  }

  /** Where some owners alone may have what a list is about. */
  #addAt(
    owners: ReadonlyMap<number, ReadonlySet<NameKey>>,
    listed: ListOfRecords,
    readable: ReadableRecords,
    filter: RecordFilter,
    sort: RecordSort,
  ): void {
    const zones = [...owners.keys()]
      .filter((id) => filter.zoneId === undefined || filter.zoneId === id)
      .flatMap((id) => this.#zones.byId(id) ?? [])
      .sort((a, b) => (apexOf(a) < apexOf(b) ? -1 : 1));
    const isDescending = sort.key === 'name' && sort.descending;
    for (const zone of isDescending ? zones.reverse() : zones) {
      if (readable.in(zone.id).ranges.length === 0) continue;
      listed.add({ zone, ranges: rangesOfOwners(owners.get(zone.id)!) });
    }
  }

  #changedFor(filter: RecordFilter): ChangedRrsets | undefined {
    const zone = filter.zoneId === undefined ? undefined : this.#zones.byId(filter.zoneId);
    return zone && this.#changes.upTo(zone.id, zone.serial, filter);
  }

  /** The owners that a list has to look at; undefined for all that the filter names, or may be read. */
  #ownersOf(
    filter: RecordFilter,
    changed?: ChangedRrsets,
  ): ReadonlyMap<number, ReadonlySet<NameKey>> | undefined {
    const { zoneId, owner, absoluteName, openName, below, value, signed } = filter;
    const isNamed = (owner ?? absoluteName ?? openName ?? below) !== undefined;
    if (isNamed || signed === true) return undefined;
    const withValue = value === undefined ? undefined : this.#addresses.with(value);
    if (withValue !== undefined) return withValue;
    const found = changed?.owners(ownersLookedAt);
    return found && new Map([[zoneId!, found]]);
  }

  /** The zones a list is about, in the order of their names when that is asked for. */
  #zonesOf(readable: ZoneSet, filter: RecordFilter, sort: RecordSort): Iterable<Zone> {
    const { zoneId, absoluteName } = filter;
    const descending = sort.key === 'name' && sort.descending;
    if (zoneId !== undefined) {
      const zone = this.#zones.byId(zoneId);
      return zone === undefined ? [] : [zone];
    }
    if (absoluteName !== undefined) {
      const enclosing: Zone[] = [];
      for (let apex: NameKey | undefined = absoluteName; apex; apex = parentOf(apex)) {
        const zone = this.#zones.byApex(apex);
        if (zone !== undefined) enclosing.push(zone);
      }
      return descending ? enclosing : enclosing.reverse();
    }
    return this.#zones.inOrder(descending, readable);
  }
}

function sizeOf(owners: ReadonlyMap<number, ReadonlySet<NameKey>>): number {
  return [...owners.values()].reduce((sum, { size }) => sum + size, 0);
}

/** True when a list that goes by name needs no look at most of its records. */
function isCounted(rights: Rights, filter: RecordFilter): boolean {
  const { zoneId } = filter;
  const readsAll =
    zoneId === undefined ? rights.everywhere('record:read') : rights.whole('record:read', zoneId);
  const { owner, absoluteName, openName, zoneId: _, signed, ...narrowing } = filter;
  return readsAll && Object.values(narrowing).every((asked) => asked === undefined);
}

/** The owner that a filter asks for in a zone; undefined when it asks for none. */
function ownerIn(zone: Zone, filter: RecordFilter): NameKey | undefined {
  if (filter.owner !== undefined) return filter.owner;
  const name = filter.absoluteName ?? filter.openName;
  return name && (relativeTo(name, apexOf(zone)) ?? name);
}

/** Collects one page of one layer out of key ranges that come in the order of names. */
class ListOfRecords {
  readonly #scan: BlockScan;
  readonly #test: RecordTest;
  readonly #sort: RecordSort;
  readonly #page: Page;
  readonly #layer: Layer;
  readonly #cursor: RecordCursor;
  readonly #items: FoundRecord[] = [];
  readonly #last: LastRecord | undefined;
  readonly #selection: Selection | undefined;
  readonly #zones = new Map<number, Zone>();
  #total = 0;

  constructor(scan: BlockScan, layer: Layer, test: RecordTest, sort: RecordSort, page: Page) {
    this.#scan = scan;
    this.#layer = layer;
    this.#cursor = new RecordCursor(layer);
    this.#test = test;
    this.#sort = sort;
    this.#page = page;
    this.#last = page.after && lastRecordOf(page.after);
    const after = this.#last && selectedAfter(this.#last);
    if (sort.key !== 'name') this.#selection = new Selection(sort, page, after);
  }

  add({ zone, ranges }: ZoneRanges): void {
    this.#test.openZone(zone);
    if (this.#selection !== undefined) this.#zones.set(zone.id, zone);
    for (const range of this.#isDescending ? ranges.toReversed() : ranges) {
      const whole = range === allOwners && this.#test.passesAll && this.#selection === undefined;
      if (whole) this.#addWhole(zone);
      else for (const block of this.#blocks(zone, range)) this.#addBlock(zone, block, range);
    }
  }

  /** Adds a zone of which every record passes: what no page shows is counted only. */
  #addWhole(zone: Zone): void {
    const { offset, limit } = this.#page;
    const isDnssec = this.#layer === 'dnssec';
    const end = this.#total + (isDnssec ? zone.dnssecCount : zone.recordCount);
    const rest = this.#restOf(zone);
    if (rest !== undefined && end > offset && this.#items.length < limit) {
      for (const block of this.#blocks(zone, rest)) {
        const count = isDnssec ? block.count - block.userCount : block.userCount;
        if (this.#total + count <= offset) this.#total += count;
        else this.#addBlock(zone, block, allOwners);
        if (this.#items.length >= limit) break;
      }
    }
    this.#total = end;
  }

  /** The owners behind the page before, the last of it among them; undefined where there are none. */
  #restOf(zone: Zone): KeyRange | undefined {
    const last = this.#last;
    if (last === undefined) return allOwners;
    const apex = apexOf(zone);
    if (apex !== last.apex) return apex > last.apex === this.#isDescending ? undefined : allOwners;
    return this.#isDescending
      ? { from: emptyName, to: onlyOwner(last.owner).to }
      : { from: last.owner, to: undefined };
  }

  /** Whether a record of a list by name comes after the page before. */
  #isBehind(rest: KeyRange | undefined, cursor: RecordCursor): boolean {
    if (rest === allOwners) return true;
    if (rest === undefined) return false;
    return isLaterByName(cursor, this.#last!, this.#isDescending);
  }

  /** True when names are walked over from the last to the first. */
  get #isDescending(): boolean {
    return this.#selection === undefined && this.#sort.descending;
  }

  #blocks(zone: Zone, range: KeyRange): Iterable<BlockRow> {
    return this.#isDescending
      ? this.#scan.descending(zone.id, range)
      : this.#scan.ascending(zone.id, range);
  }

  #addBlock(zone: Zone, block: BlockRow, range: KeyRange): void {
    const cursor = this.#cursor.openBlock(block);
    const wanted = this.#selection === undefined && this.#items.length < this.#page.limit;
    const start = this.#total;
    const rest = this.#restOf(zone);
    const matching: ZoneRecord[] = [];
    while (cursor.next()) {
      if (range !== allOwners) {
        if (cursor.owner < range.from) continue;
        if (range.to !== undefined && cursor.owner >= range.to) break;
      }
      if (!this.#test.passes(cursor)) continue;
      this.#total++;
      if (!wanted) this.#selection?.offer(cursor, block.id, zone.id);
      else if (this.#isBehind(rest, cursor)) matching.push(cursor.zoneRecord());
    }
    const { offset, limit } = this.#page;
    if (!wanted || this.#total <= offset) return;
    inListOrder(matching, this.#sort.descending);
    const first = Math.max(0, offset - start);
    const records = matching.slice(first, first + limit - this.#items.length);
    for (const record of records) this.#items.push({ zone, record });
  }

  finish(): Listed<FoundRecord> {
    const items = this.#selection?.finish().map((chosen) => this.#found(chosen)) ?? this.#items;
    return { items, total: this.#total };
  }

  #found({ blockId, zoneId, index }: Candidate): FoundRecord {
    const cursor = this.#cursor.openBlock(this.#scan.byId(blockId));
    while (cursor.next() && cursor.index < index);
    return { zone: this.#zones.get(zoneId)!, record: cursor.zoneRecord() };
  }
}

/** Owners in order, and the records of each by their ids; DNSSEC records stay in canonical order. */
function inListOrder(records: ZoneRecord[], descending: boolean): void {
  const direction = descending ? -1 : 1;
  records.sort((a, b) =>
    a.owner === b.owner ? a.id - b.id : a.owner < b.owner ? -direction : direction,
  );
}
