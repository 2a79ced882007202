/** The zones that a caller sees, and the records of them that it may read. */
import type { Action } from '../../base/action.ts';
import { Problem } from '../../base/problem.ts';
import {
  requireEverywhere,
  requireInZone,
  requireOnRecord,
  requireWhole,
} from '../../domain/access/require.ts';
import type { HeldActions, Rights } from '../../domain/access/rights.ts';
import { noRecord } from '../../domain/access/visibility.ts';
import {
  type DeletedZone,
  noDeletedZone,
  normaliseZoneName,
  noZone,
  type Zone,
} from '../../domain/zone.ts';
import type { LintPage, LintPosition } from '../../query/lint-queries.ts';
import type { Drift } from '../../query/drift-queries.ts';
import type { HistoryEntry } from '../../query/history-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import type { FoundRecord, RecordFilter, RecordSort } from '../../query/record-queries.ts';
import type {
  IndexReach,
  SearchPage,
  SearchPosition,
  SearchQuestion,
} from '../../query/search-queries.ts';
import type { ZoneFilter, ZoneSort } from '../../query/zone-queries.ts';
import type { Deletion } from '../../query/zone-events.ts';
import type { ViewSources } from '../services.ts';

/** What a caller holds in a zone. */
export interface HeldInZone extends HeldActions {
  readonly zoneName: string;
}

/** What a caller holds in all zones, and in those where grants differ. */
interface Held {
  /** Whether each of its writes needs a reason. */
  readonly reasonRequired: boolean;
  readonly everywhere: HeldActions;
  readonly zones: readonly HeldInZone[];
}

/** A zone by its name, and a deleted one of that name by its id besides: several may have had it. */
export interface NamedZone {
  readonly name: string;
  readonly deletedId: number | undefined;
}

/** What is stored and the rights of one caller: all that a part of a view is made of. */
export class ViewPart {
  protected readonly stored: ViewSources;
  protected readonly rights: Rights;

  constructor(stored: ViewSources, rights: Rights) {
    this.stored = stored;
    this.rights = rights;
  }
}

export class ZoneView extends ViewPart {
  /** ZONE_NOT_FOUND unless a grant reaches it: a deleted one none but those in all zones, as its own went with it. */
  get(named: string | NamedZone): Zone {
    if (typeof named !== 'string' && named.deletedId !== undefined) {
      return this.#deleted(normaliseZoneName(named.name), named.deletedId);
    }
    const rawName = typeof named === 'string' ? named : named.name;
    const zone = this.ifThere(rawName);
    if (zone === undefined) throw noZone(rawName);
    return zone;
  }

  #deleted(name: string, id: number): Zone {
    const zone = this.stored.deletedZones.byId(id);
    if (zone !== undefined && zone.name === name && this.rights.sees(id)) return zone;
    throw noDeletedZone(name, id);
  }

  /** The same, or undefined. */
  ifThere(rawName: string): Zone | undefined {
    const zone = this.stored.zones.byName(normaliseZoneName(rawName));
    return zone !== undefined && this.rights.sees(zone.id) ? zone : undefined;
  }

  /** The zone of an id; ZONE_NOT_FOUND unless a grant reaches it. */
  byId(id: number): Zone {
    const zone = this.stored.zones.byId(id);
    if (zone !== undefined && this.rights.sees(id)) return zone;
    throw new Problem('ZONE_NOT_FOUND', 'the zone does not exist any more');
  }

  /** The zone of a name, in which the caller holds an action. */
  with(action: Action, named: string | NamedZone): Zone {
    const zone = this.get(named);
    requireInZone(this.rights, action, zone);
    return zone;
  }

  /** The zone of a name, of which the caller may read every record. */
  whole(named: string | NamedZone): Zone {
    const zone = this.get(named);
    requireWhole(this.rights, 'record:read', zone);
    return zone;
  }

  /** The name of a zone that the caller sees, as it is now. */
  nameOf(id: number): string | undefined {
    return this.rights.sees(id) ? this.stored.zones.byId(id)?.name : undefined;
  }

  /** Whether the caller may read every record of a zone. */
  readsWhole(zone: Zone): boolean {
    return this.rights.whole('record:read', zone.id);
  }

  /** The names of those of some zones of which the caller may read every record. */
  wholeNames(ids: readonly number[]): readonly string[] {
    const readable = ids.filter((id) => this.rights.whole('record:read', id));
    return readable.flatMap((id) => this.stored.zones.byId(id)?.name ?? []);
  }

  /** Zones by a part of their name, and behind them deleted ones, for who may bring them back. */
  search(text: string, limit: number): readonly (Zone & { readonly deletedAt?: number })[] {
    const page = { limit, offset: 0 };
    const byName = { key: 'name', descending: false } as const;
    const stored = this.list({ search: text }, byName, page).items;
    if (stored.length === limit || !this.rights.everywhere('zone:create')) return stored;
    const deleted = this.stored.deletedZones.list({ ...page, limit: limit - stored.length }, text);
    return [...stored, ...deleted.items];
  }

  /** Their order by records tells how many each has, so it is for who may read all of them. */
  list(filter: ZoneFilter, sort: ZoneSort, page: Page): Listed<Zone> {
    if (sort.key === 'records') requireEverywhere(this.rights, 'record:read');
    return this.stored.zones.list(this.rights.visibleZones(), filter, sort, page);
  }

  /** What is probably a mistake in it, as far as the caller may read what that is about. */
  lint(rawName: string, after: LintPosition | null, limit: number): Promise<LintPage> {
    return this.stored.lint.page(this.rights, this.get(rawName), after, limit);
  }

  /** What differs from what a team last desired of it, as far as the caller may read that. */
  drift(zone: Zone, team: string): Promise<Drift> {
    return this.stored.records.drift(this.rights, zone, team);
  }

  /** Zones that can be brought back, for who may do so; `searchOf` gives the part of the name to search for. */
  async listDeleted(
    page: Page,
    searchOf: () => string | undefined,
  ): Promise<Listed<DeletedZone & Deletion>> {
    requireEverywhere(this.rights, 'zone:create');
    const listed = this.stored.deletedZones.list(page, searchOf());
    const deletions = await this.stored.versions.deletions(listed.items.map(({ id }) => id));
    const items = listed.items.map((zone, index) => ({ ...zone, ...deletions[index]! }));
    return { ...listed, items };
  }

  held(): Held {
    const zones: HeldInZone[] = [];
    for (const zoneId of this.rights.namedZones()) {
      const zoneName = this.nameOf(zoneId);
      if (zoneName !== undefined) zones.push({ zoneName, ...this.rights.actionsIn(zoneId) });
    }
    const { reasonRequired } = this.rights;
    return { reasonRequired, everywhere: this.rights.actionsIn(null), zones };
  }

  /** Throws when the database does not answer the smallest question. */
  requireDatabase(): void {
    // Nothing has this id.
    this.stored.zones.byId(0);
  }
}

export class RecordView extends ViewPart {
  /** Row by row; a filter only narrows what may be read. */
  list(filter: RecordFilter, sort: RecordSort, page: Page): Promise<Listed<FoundRecord>> {
    return this.stored.records.list(this.rights, filter, sort, page);
  }

  /** The same of a zone as it was at a serial, under the name it has now. */
  listThen(
    then: { readonly zone: Zone; readonly serial: number },
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Promise<Listed<FoundRecord>> {
    return this.stored.records.listThen(this.rights, then, filter, sort, page);
  }

  /** By a part of their name or by their value, in all zones; the reach of the index only for who reads every event. */
  async search(
    question: SearchQuestion,
    limit: number,
    after: SearchPosition | null,
  ): Promise<SearchPage & IndexReach> {
    const found = await this.stored.records.search(this.rights, question, limit, after);
    const readsAll = (['record:read', 'access:manage'] as const).every((action) =>
      this.rights.everywhere(action),
    );
    return readsAll ? found : { ...found, completeTo: null, deletedFrom: null };
  }

  /** The record of an id: missing when no record grant reaches it, whichever action that is for. */
  seen(id: number): FoundRecord {
    const { zone, record } = this.stored.records.byId(id) ?? {};
    if (!zone || !record || !this.rights.seesRecord(zone.id, record.owner, record.type)) {
      throw noRecord(id);
    }
    return { zone, record };
  }

  /** The same, FORBIDDEN when no grant lets it be read. */
  get(id: number): FoundRecord {
    const { zone, record } = this.seen(id);
    requireOnRecord(this.rights, 'record:read', zone, record.owner, record.type);
    return { zone, record };
  }

  /**
   * What a record was, also one that was deleted since; found and refused as it is now or was last. States with
   * an owner or a type that the caller may not read are left out.
   */
  async historyOf(id: number, page: Page): Promise<Listed<HistoryEntry>> {
    const { versions } = this.stored;
    const found = await versions.recordEver(this.rights, id);
    if (found === undefined) throw noRecord(id);
    const { zone, owner, type } = found;
    requireOnRecord(this.rights, 'record:read', zone, owner, type);
    return versions.history(this.rights, zone, { recordId: id }, page);
  }
}
