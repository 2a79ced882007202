/** What a list of records asks for, and the test of single records. A filter only takes away from what may be read. */
import { lowerAscii, type NameKey, printRelativeName } from '../dns/name.ts';
import { AskedValue, presentedValue } from '../dns/rdata/asked-value.ts';
import { rrtype } from '../dns/rrtype.ts';
import { asksForChanges, type ChangedRrsets, type ChangeFilter } from './changed-rrsets.ts';
import type { Layer, RecordCursor } from './record-cursor.ts';
import { ReadablePart, type ReadableRecords } from './record-scope.ts';

/** By changes: with zoneId, and without signed. */
export interface RecordFilter extends ChangeFilter {
  readonly zoneId?: number | undefined;
  /** Relative to the apex; with zoneId. */
  readonly owner?: NameKey | undefined;
  /** With zoneId: this owner, relative to the apex, and all below it. */
  readonly below?: NameKey | undefined;
  /** Without zoneId: the owner as an absolute name, in whichever zone. */
  readonly absoluteName?: NameKey | undefined;
  /** Without zoneId: absolute in the zones that enclose it, relative in all others. */
  readonly openName?: NameKey | undefined;
  readonly type?: number | undefined;
  /** Part of the presented value, or a whole one in any spelling. */
  readonly value?: string | undefined;
  readonly ttl?: number | undefined;
  readonly minTtl?: number | undefined;
  readonly maxTtl?: number | undefined;
  readonly priority?: number | undefined;
  readonly minPriority?: number | undefined;
  readonly maxPriority?: number | undefined;
  /** Part of the absolute name or of the presented value. */
  readonly search?: string | undefined;
  /** With zoneId and without value: the DNSSEC records follow those of users. */
  readonly signed?: boolean | undefined;
}

/** As much of a record as it is judged by. */
type Judged = Pick<RecordCursor, 'owner' | 'type' | 'ttl' | 'rdata'>;

/** Before a zone is open. */
const nothing = new ReadablePart([]);

/**
 * Judges the records of one zone at a time. `search` has no regard to ASCII case. DNSSEC records
 * have no priority, and are searched by their names only (interface 4.3 rule 2).
 */
export class RecordTest {
  readonly #asksNothing: boolean;
  readonly #filter: RecordFilter;
  readonly #readable: ReadableRecords;
  /** Of the zone that is open. */
  #part: ReadablePart;
  readonly #value: AskedValue | undefined;
  readonly #search: string | undefined;
  readonly #changed: ChangedRrsets | undefined;
  readonly #hasPriority: boolean;
  readonly #isDnssec: boolean;
  #zoneName = '';

  /** `changed`: what the filter asks of changes, for the zone that will be open. */
  constructor(
    readable: ReadableRecords,
    filter: RecordFilter,
    layer: Layer = 'user',
    changed?: ChangedRrsets,
  ) {
    const { type, ttl, minTtl, maxTtl, value, search } = filter;
    const { priority, minPriority, maxPriority } = filter;
    this.#readable = readable;
    this.#part = nothing;
    this.#filter = filter;
    this.#isDnssec = layer === 'dnssec';
    this.#value = value === undefined ? undefined : new AskedValue(value);
    this.#search = search === undefined ? undefined : lowerAscii(search);
    this.#hasPriority = (priority ?? minPriority ?? maxPriority) !== undefined;
    const numbers = [type, ttl, minTtl, maxTtl, priority, minPriority, maxPriority];
    this.#changed = changed;
    this.#asksNothing =
      !asksForChanges(filter) && [...numbers, value, search].every((asked) => asked === undefined);
  }

  /** True when every record of the open zone passes, but for its owner. */
  get passesAll(): boolean {
    return this.#part.isAll && this.#asksNothing;
  }

  openZone(zone: { readonly id: number; readonly name: string }): void {
    this.#part = this.#readable.in(zone.id);
    this.#zoneName = `${zone.name}.`;
  }

  passes(cursor: Judged): boolean {
    if (this.passesAll) return true;
    const { type, ttl, minTtl, maxTtl } = this.#filter;
    if (type !== undefined && cursor.type !== type) return false;
    if (!within(cursor.ttl, ttl, minTtl, maxTtl)) return false;
    if (this.#hasPriority && !this.#passesPriority(cursor)) return false;
    if (!this.#part.isAll && !this.#part.has(cursor.owner, cursor.type)) return false;
    return this.#passesText(cursor) && (this.#changed?.has(cursor.owner, cursor.type) ?? true);
  }

  #passesPriority(cursor: Judged): boolean {
    if (cursor.type !== rrtype.MX && cursor.type !== rrtype.SRV) return false;
    const { priority, minPriority, maxPriority } = this.#filter;
    return within(cursor.rdata.readUInt16BE(0), priority, minPriority, maxPriority);
  }

  #passesText(cursor: Judged): boolean {
    if (!this.#isDnssec && this.#value?.matches(cursor.type, cursor.rdata) === false) return false;
    if (this.#search === undefined) return true;
    if (!this.#isDnssec) {
      const value = lowerAscii(presentedValue(cursor.type, cursor.rdata));
      if (value.includes(this.#search)) return true;
    }
    return this.#passesSearchOfName(cursor);
  }

  #passesSearchOfName(cursor: Judged): boolean {
    const { owner } = cursor;
    const relative = owner === '' ? '' : `${printRelativeName(owner)}.`;
    return lowerAscii(relative + this.#zoneName).includes(this.#search ?? '');
  }
}

function within(
  value: number,
  equal: number | undefined,
  min: number | undefined,
  max: number | undefined,
): boolean {
  return (
    (equal === undefined || value === equal) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max)
  );
}
