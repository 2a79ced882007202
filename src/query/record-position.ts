/**
 * Where a page of records ended. User records go by their ids where the sort leaves a tie, DNSSEC records, which
 * have none, by owner, type and RDATA; user records come before them.
 */
import { isNameKey, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { foreignPosition, type Position } from '../projection/page.ts';
import { type RecordSort, type SelectedAfter, sortValueOf } from './selection.ts';

/** The last record of a page, as far as any order goes by it. */
export interface LastRecord {
  /** What the list is sorted by. */
  readonly value: number;
  readonly apex: NameKey;
  readonly owner: NameKey;
  readonly id: number;
  readonly type: number;
  /** Empty for records of users. */
  readonly rdata: Buffer;
}

type Placed = Pick<ZoneRecord, 'owner' | 'id' | 'type' | 'rdata'>;

export function positionOf(record: ZoneRecord, apex: NameKey, sort: RecordSort): Position {
  const { owner, id, type, rdata } = record;
  const rest = id === 0 ? rdata.toString('base64') : '';
  return [sortValueOf(record, sort), apex, owner, id, type, rest];
}

export function lastRecordOf(position: Position): LastRecord {
  const [value, apex, owner, id, type, rdata] = position;
  const isNumbers = typeof value === 'number' && typeof id === 'number' && typeof type === 'number';
  const isNames = isKey(apex) && isKey(owner);
  if (!isNumbers || !isNames || typeof rdata !== 'string') throw foreignPosition();
  return { value, apex, owner, id, type, rdata: Buffer.from(rdata, 'base64') };
}

function isKey(value: string | number | undefined): value is NameKey {
  return typeof value === 'string' && isNameKey(value);
}

/** Whether a record comes after the last one where both have the same owner and a list goes by names. */
function isLaterAtOwner({ id, type, rdata }: Placed, last: LastRecord): boolean {
  if (id !== 0) return id > last.id;
  return type === last.type ? rdata.compare(last.rdata) > 0 : type > last.type;
}

/** Whether it comes after the last one of a list that goes by names; both are in the same zone. */
export function isLaterByName(record: Placed, last: LastRecord, descending: boolean): boolean {
  const { owner } = record;
  if (owner === last.owner) return isLaterAtOwner(record, last);
  return descending ? owner < last.owner : owner > last.owner;
}

/** The same for a selection, which asks for records with the same sort value. */
export function selectedAfter(last: LastRecord): SelectedAfter {
  const isLaterInTie = (record: Placed) =>
    record.id === 0 ? isLaterByName(record, last, false) : record.id > last.id;
  return { value: last.value, isLaterInTie };
}
