/**
 * Owners that steps have touched, with what the steps say of each: gathered stretch by stretch of a
 * zone, so that steps of any size take a bounded amount of memory. The more they touched, the more often
 * they are read.
 */
import { limits } from '../base/limits.ts';
import { emptyName, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder } from '../dns/packed.ts';
import { identityOctets } from '../journal/identity.ts';
import type { KeyRange } from './key-range.ts';
import { OwnerScan } from './owner-scan.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import { OwnerPast } from './version-past.ts';
import type { StepPart, VersionSteps } from './version-steps.ts';

/** One owner at two serials: the one steps are counted from, and the one they are counted to. */
export interface TouchedOwner {
  readonly before: OwnerPast;
  /** Undefined when no step after that serial mentions the owner: then it is as it is now. */
  after: OwnerPast | undefined;
  octets: number;
}

export interface Stretch {
  readonly range: KeyRange;
  /** In canonical order. */
  readonly owners: readonly (readonly [NameKey, TouchedOwner])[];
}

/** About what an owner takes in memory besides what is said of it. */
const octetsPerOwner = 300;
/** Memory for one stretch: about 100,000 owners with a change each. */
export const octetsPerStretch = 64 * 1024 * 1024;

/**
 * The stretches of a zone, in canonical order, with the owners that the steps after `from` up to `to`
 * touched. Both serials were the zone's own, and all steps since `from` are told.
 */
export function* touchedStretches(
  steps: VersionSteps,
  zoneId: number,
  { from, to }: { readonly from: number; readonly to: number },
  memoryOctets: number,
  layer: Layer = 'user',
): Generator<Stretch> {
  let start: NameKey | undefined = emptyName;
  while (start !== undefined) {
    const gathering = new Gathering(start, memoryOctets, layer);
    for (const part of steps.parts(zoneId, from, to)) gathering.take(part, true);
    for (const part of steps.parts(zoneId, to, limits.serial)) gathering.take(part, false);
    const stretch = gathering.finish();
    yield stretch;
    start = stretch.range.to;
  }
}

class Gathering {
  readonly #from: NameKey;
  readonly #fromOrder: OwnerOrder;
  readonly #most: number;
  readonly #cursor: RecordCursor;
  readonly #owners = new Map<NameKey, TouchedOwner>();
  #to: NameKey | undefined;
  #octets = 0;

  constructor(from: NameKey, most: number, layer: Layer) {
    this.#cursor = new RecordCursor(layer);
    this.#from = from;
    this.#fromOrder = new OwnerOrder(labelsToWire(from));
    this.#most = most;
  }

  /** `touches`: the step is one of those looked for, not a later one. */
  take(part: StepPart, touches: boolean): void {
    const cursor = this.#cursor.openBlock(this.#from === emptyName ? part : this.#fromStart(part));
    const wasThere = part.change === 'removed';
    while (cursor.next()) {
      const { owner } = cursor;
      if (this.#to !== undefined && owner >= this.#to) return;
      const touched = this.#owners.get(owner) ?? (touches ? this.#add(owner) : undefined);
      if (touched === undefined) continue;
      let octets = touched.before.mention(cursor, wasThere);
      if (!touches) {
        touched.after ??= new OwnerPast();
        octets += touched.after.mention(cursor, wasThere);
      }
      touched.octets += octets;
      this.#octets += octets;
      if (this.#octets > this.#most) this.#dropGreaterHalf();
    }
  }

  /** What of a part does not come before the stretch. */
  #fromStart({ records, ids }: StepPart): Omit<StepPart, 'change'> {
    const scan = new OwnerScan(records);
    scan.skipBefore(this.#fromOrder);
    return {
      records: records.subarray(scan.at),
      ids: ids.subarray(scan.count * identityOctets),
    };
  }

  #add(owner: NameKey): TouchedOwner {
    const octets = octetsPerOwner + 2 * owner.length;
    const touched: TouchedOwner = { before: new OwnerPast(), after: undefined, octets };
    this.#owners.set(owner, touched);
    this.#octets += octets;
    return touched;
  }

  /** Ends the stretch earlier: what is beyond comes in the next one. */
  #dropGreaterHalf(): void {
    const owners = this.#owners;
    if (owners.size < 2) return;
    const sorted = [...owners.keys()].sort();
    const beyond = sorted.splice(sorted.length >>> 1);
    this.#to = beyond[0];
    for (const owner of beyond) {
      this.#octets -= owners.get(owner)!.octets;
      owners.delete(owner);
    }
  }

  finish(): Stretch {
    const owners = [...this.#owners].sort(([a], [b]) => (a < b ? -1 : 1));
    return { range: { from: this.#from, to: this.#to }, owners };
  }
}
