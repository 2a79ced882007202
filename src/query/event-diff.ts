/** Pages of what one event changed, RRset by RRset in canonical order, as far as a caller may read it. */
import type { NameKey } from '../dns/name.ts';
import type { Rights } from '../domain/access/rights.ts';
import { type DiffEntry, diffNodes } from '../domain/diff.ts';
import type { Connection } from '../journal/database.ts';
import type { SeenEvent } from './event-reader.ts';
import { ReadableRecords } from './record-scope.ts';
import type { RrsetKey } from './rrset-cursor.ts';
import { EntryPage, ownersOf, type WantedPart } from './version-page.ts';
import type { VersionQueries } from './version-queries.ts';
import { DeletedZoneQueries, ZoneQueries } from './zone-queries.ts';

export interface EventPart {
  /** With the page instead of the first entries. */
  readonly event: SeenEvent;
  /** What the page ended with; null at the end. */
  readonly next: RrsetKey | null;
}

interface Change {
  readonly zoneId: number;
  readonly serial: number;
  /** That of the zone then. */
  readonly apex: NameKey;
}

export class EventDiffs {
  readonly #versions: Pick<VersionQueries, 'touchedNodes'>;
  readonly #zones: ZoneQueries;
  readonly #deletedZones: DeletedZoneQueries;

  constructor(connection: Connection, versions: Pick<VersionQueries, 'touchedNodes'>) {
    this.#versions = versions;
    this.#zones = new ZoneQueries(connection);
    this.#deletedZones = new DeletedZoneQueries(connection);
  }

  /** Costs the page where the event has all entries, and else the changes since. */
  page(rights: Rights, event: SeenEvent, part: WantedPart): EventPart {
    const { zone, serial, diff } = event;
    if (zone === null || serial === null || diff === null) return { event, next: null };
    const change = { zoneId: zone.id, serial, apex: diff.apex };
    const page = new EntryPage(part);
    const entries: DiffEntry[] = [];
    for (const batch of event.diffTruncated ? this.#all(rights, change, part) : [diff.entries]) {
      entries.push(...page.take(batch));
      if (page.next !== null) break;
    }
    const { next } = page;
    return { event: { ...event, diff: { ...diff, entries }, diffTruncated: next !== null }, next };
  }

  *#all(
    rights: Rights,
    { zoneId, serial, apex }: Change,
    part: WantedPart,
  ): Generator<readonly DiffEntry[]> {
    const zone = this.#zones.byId(zoneId) ?? this.#deletedZones.byId(zoneId);
    if (zone === undefined) return;
    const readable = new ReadableRecords(rights).in(zoneId);
    for (const node of this.#versions.touchedNodes(zone, serial, ownersOf(part))) {
      const { entries } = diffNodes(apex, [node]);
      yield entries.filter(({ owner, type }) => readable.has(owner, type));
    }
  }
}
