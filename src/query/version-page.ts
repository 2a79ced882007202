/** Pages of a version, record by record, and of a difference, RRset by RRset, both in canonical order. */
import { emptyName, type NameKey } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { countDiff, type DiffEntry } from '../domain/diff.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import { type KeyRange, onlyOwner } from './key-range.ts';
import type { RrsetCursor, RrsetKey } from './rrset-cursor.ts';
import type { VersionQueries } from './version-queries.ts';

/** Which part of a version or of a difference is asked for. */
export interface WantedPart {
  /** Relative to the apex. */
  readonly name?: NameKey | undefined;
  readonly type?: number | undefined;
  /** In one of the values of a difference, in upper or lower case; of no version. */
  readonly value?: string | undefined;
  readonly after?: RrsetCursor | undefined;
  /** All when left out. */
  readonly limit?: number | undefined;
}

/** The owners that a part lies within. */
export function ownersOf({ name, after }: WantedPart): KeyRange {
  return name === undefined ? { from: after?.owner ?? emptyName, to: undefined } : onlyOwner(name);
}

export interface VersionPage {
  readonly records: readonly ZoneRecord[];
  /** What the page ended with, and how many records of it came so far; null at the end. */
  readonly next: RrsetCursor | null;
}

/** Costs the page, and the changes since the version. */
export function pageOfVersion(
  versions: VersionQueries,
  zone: Zone,
  serial: number,
  part: WantedPart,
): VersionPage {
  const { type, after, limit = Number.POSITIVE_INFINITY } = part;
  const records: ZoneRecord[] = [];
  let [left = 0] = after?.numbers ?? [];
  let listed = left;
  for (const batch of versions.records(zone, serial, ownersOf(part))) {
    for (const record of batch) {
      if (type !== undefined && record.type !== type) continue;
      if (
        after !== undefined &&
        isBehind(after, record) &&
        (isOf(after, record) ? left-- > 0 : true)
      ) {
        continue;
      }
      const last = records.at(-1) ?? after;
      if (records.length === limit && last !== undefined) {
        return { records, next: { owner: last.owner, type: last.type, numbers: [listed] } };
      }
      listed = last !== undefined && isOf(last, record) ? listed + 1 : 1;
      records.push(record);
    }
  }
  return { records, next: null };
}

/** Takes the entries of a difference as they come, and gives those of a page. */
export class EntryPage {
  readonly summary = { added: 0, changed: 0, removed: 0 };
  /** The last RRset of a page that is not the last; null so far. */
  next: RrsetKey | null = null;
  readonly #part: WantedPart;
  readonly #value: string;
  #count = 0;
  #last: RrsetKey | undefined;

  constructor(part: WantedPart) {
    this.#part = part;
    this.#value = (part.value ?? '').toLowerCase();
  }

  take(entries: readonly DiffEntry[]): readonly DiffEntry[] {
    const { type, after, limit = Number.POSITIVE_INFINITY } = this.#part;
    let passing = entries;
    if (type !== undefined) passing = passing.filter((entry) => entry.type === type);
    if (after !== undefined) passing = passing.filter((entry) => !isBehind(after, entry));
    if (this.#value !== '') passing = passing.filter((entry) => hasValue(entry, this.#value));
    const listed = passing.slice(0, limit - this.#count);
    this.#count += listed.length;
    this.#last = listed.at(-1) ?? this.#last;
    if (listed.length < passing.length) this.next = this.#last ?? null;
    const counts = countDiff({ entries: listed });
    this.summary.added += counts.added;
    this.summary.changed += counts.changed;
    this.summary.removed += counts.removed;
    return listed;
  }
}

/** `text` is in lower case. */
function hasValue({ type, from, to }: DiffEntry, text: string): boolean {
  const isIn = ({ rdata }: ResourceRecord) => printRdata(type, rdata).toLowerCase().includes(text);
  return from.some(isIn) || to.some(isIn);
}

/** True for what comes up to an RRset, and for the RRset itself. */
function isBehind(after: RrsetKey, { owner, type }: RrsetKey): boolean {
  return owner < after.owner || (owner === after.owner && type <= after.type);
}

function isOf(rrset: RrsetKey, { owner, type }: RrsetKey): boolean {
  return owner === rrset.owner && type === rrset.type;
}
