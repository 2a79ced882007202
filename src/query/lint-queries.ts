/**
 * What is probably a mistake in stored zones, page by page (domain/lint.ts): owner by owner in canonical order. A page
 * looks at `limits.lintCost` records at most, so it may be short, even empty, and not be the last.
 */
import { limits } from '../base/limits.ts';
import type { Warning, WarningCode } from '../base/warning.ts';
import { emptyName, keyFromWire, type NameKey } from '../dns/name.ts';
import { PackedCursor } from '../dns/packed.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { largestDsTtl } from '../dnssec/parent-ds.ts';
import { fullRights, type Rights } from '../domain/access/rights.ts';
import { Lint, type StoredZones } from '../domain/lint.ts';
import { type DraftWarning, isJudgedAlone, spfText, warningOf } from '../domain/record-rules.ts';
import { apexOf, noZone, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { BlockScan } from './block-scan.ts';
import { StoredOwners } from './stored-owners.ts';
import { ZoneQueries } from './zone-queries.ts';

/** The last finding of a page, or the last owner that was looked at: `rank` is then beyond all at it. */
export interface LintPosition {
  readonly owner: NameKey;
  readonly rank: string;
}

export interface LintPage {
  readonly items: readonly Warning[];
  /** Where the next page begins; null at the end. */
  readonly next: LintPosition | null;
}

/** How many there are in all zones, by code, as far as a run has come. */
export interface LintCounts {
  readonly counts: Partial<Record<WarningCode, number>>;
  /** The zone and the position in it that a run goes on from; null at the end. */
  readonly next: { readonly zone: string; readonly position: LintPosition | null } | null;
}

/** Beyond every finding at an owner. */
const beyondOwner = '\uffff';
/** Records that one look-up costs as much as. */
const lookupCost = 20;

function rankOf({ type, code, target }: DraftWarning): string {
  return `${String(type).padStart(5, '0')} ${code} ${target}`;
}

/** Records that a page may still look at. */
interface Budget {
  left: number;
}

export class LintQueries {
  readonly #zones: ZoneQueries;
  readonly #blocks: BlockScan;
  readonly #stored: StoredZones;

  constructor(connection: Connection) {
    this.#zones = new ZoneQueries(connection);
    const blocks = new BlockScan(connection);
    this.#blocks = blocks;
    const signing = new SigningQueries(connection);
    this.#stored = {
      byApex: (apex) => this.#zones.byApex(apex),
      recordsOf(zoneId) {
        const owners = new StoredOwners(blocks, zoneId);
        return {
          at: (owner) => owners.at(owner),
          hasBelow: (owner) => owners.below(owner, owner) !== undefined,
        };
      },
      keysOf(zoneId) {
        const records = unpackRecords(blocks.blockOf(zoneId, emptyName)?.records ?? noBytes);
        const isKey = ({ owner, type }: ResourceRecord) =>
          owner === emptyName && type === rrtype.DNSKEY;
        return [...records.filter(isKey)].map(({ rdata }) => Buffer.from(rdata));
      },
      dsTtlOf(zoneId) {
        const state = signing.of(zoneId);
        return state === undefined || state.keys.length === 0 ? undefined : largestDsTtl(state);
      },
    };
  }

  /** Findings after a position, as the caller may know them, in a zone as it is by now. */
  page(rights: Rights, found: Zone, after: LintPosition | null, limit: number): LintPage {
    const zone = this.#zones.byId(found.id);
    if (zone === undefined) throw noZone(found.name);
    const items: Warning[] = [];
    const apex = apexOf(zone);
    const walk = this.#walk(rights, zone, after, { left: limits.lintCost });
    for (let found = walk.next(); ; found = walk.next()) {
      if (found.done === true) return { items, next: found.value };
      const { owner } = found.value;
      items.push(warningOf(found.value, apex));
      if (items.length === limit) return { items, next: { owner, rank: rankOf(found.value) } };
    }
  }

  /** Counts on through all zones, from where the run before ended. */
  count(from: LintCounts['next']): LintCounts {
    const counts: Partial<Record<WarningCode, number>> = {};
    const budget = { left: limits.lintCost };
    let position = from?.position ?? null;
    for (const zone of this.#zonesFrom(from?.zone)) {
      if (budget.left <= 0) return { counts, next: { zone: zone.name, position: null } };
      const walk = this.#walk(fullRights, zone, zone.name === from?.zone ? position : null, budget);
      let found = walk.next();
      for (; found.done !== true; found = walk.next()) {
        const { code } = found.value;
        counts[code] = (counts[code] ?? 0) + 1;
      }
      position = found.value;
      if (position !== null) return { counts, next: { zone: zone.name, position } };
      budget.left -= lookupCost;
    }
    return { counts, next: null };
  }

  *#zonesFrom(name: string | undefined): Generator<Zone> {
    // A zone that was deleted meanwhile is passed over.
    const zone = name === undefined ? undefined : this.#zones.byName(name);
    if (zone !== undefined) yield zone;
    yield* this.#zones.inOrder(false, 'all', name);
  }

  /** The findings in order; returns where the budget ended, null at the end of the zone. */
  *#walk(
    rights: Rights,
    zone: Zone,
    after: LintPosition | null,
    budget: Budget,
  ): Generator<DraftWarning, LintPosition | null> {
    const lint = new Lint(this.#stored, zone, rights);
    const from = after?.owner ?? emptyName;
    let looked: Buffer = noBytes;
    const isNew = (found: DraftWarning) =>
      after === null || found.owner > after.owner || rankOf(found) > after.rank;
    if (from === emptyName && !this.#hasApex(zone)) {
      yield* lint.node(emptyName, []).filter(isNew);
    }
    for (const { records } of this.#blocks.ascending(zone.id, { from, to: undefined })) {
      if (budget.left <= 0 && looked.length > 0) {
        return { owner: lastOwnerOf(looked), rank: beyondOwner };
      }
      for (const node of nodesWorthALook(records, from, budget)) {
        yield* lint.node(node.owner, node.records).filter(isNew);
      }
      looked = records;
    }
    return null;
  }

  #hasApex({ id }: Zone): boolean {
    const cursor = new PackedCursor(this.#blocks.blockOf(id, emptyName)?.records ?? noBytes);
    return cursor.next() && cursor.owner === emptyName;
  }
}

const noBytes = Buffer.alloc(0);

function lastOwnerOf(packed: Buffer): NameKey {
  const cursor = new PackedCursor(packed);
  let isMore = cursor.next();
  while (isMore) isMore = cursor.next();
  return cursor.owner;
}

/** The owners of a block, from one on, that a rule may have anything to say of. */
function* nodesWorthALook(
  packed: Buffer,
  from: NameKey,
  budget: Budget,
): Generator<{ readonly owner: NameKey; readonly records: readonly ResourceRecord[] }> {
  const cursor = new PackedCursor(packed);
  let isMore = cursor.next();
  while (isMore) {
    const { start, labels } = cursor;
    let { end } = cursor;
    let count = 0;
    let judged = 0;
    for (; isMore && cursor.hasLabels(labels); isMore = cursor.next()) {
      ({ end } = cursor);
      count++;
      if (isWorthALook(cursor)) judged++;
    }
    budget.left -= count + judged * lookupCost;
    const isApex = labels.length === 0;
    if (judged === 0 && count <= limits.largeRrset && !isApex) continue;
    const owner = keyFromWire(labels);
    if (owner < from) continue;
    yield { owner, records: [...unpackRecords(packed.subarray(start, end))] };
  }
}

function isWorthALook(record: PackedCursor): boolean {
  const { type } = record;
  if (type === rrtype.TXT) return spfText(record) !== undefined;
  return type === rrtype.DS || isJudgedAlone(type);
}
