/** The zones that a caller sees. */
import type { Action } from '../../domain/access/action.ts';
import { requireEverywhere, requireInZone, requireWhole } from '../../domain/access/require.ts';
import type { HeldActions, Rights } from '../../domain/access/rights.ts';
import { type DeletedZone, normaliseZoneName, noZone, type Zone } from '../../domain/zone.ts';
import type { Listed, Page } from '../../projection/page.ts';
import type { ZoneFilter, ZoneSort } from '../../projection/zone-queries.ts';
import type { Stored } from '../services.ts';

/** What a caller holds in a zone. */
export interface HeldInZone extends HeldActions {
  readonly zoneName: string;
}

export class ZoneView {
  readonly #stored: Pick<Stored, 'zones' | 'deletedZones'>;
  readonly #rights: Rights;

  constructor(stored: Pick<Stored, 'zones' | 'deletedZones'>, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
  }

  /** The zone of a name; ZONE_NOT_FOUND unless a grant reaches it. */
  get(written: string): Zone {
    const zone = this.ifThere(written);
    if (zone === undefined) throw noZone(written);
    return zone;
  }

  /** The same, or undefined. */
  ifThere(written: string): Zone | undefined {
    const zone = this.#stored.zones.byName(normaliseZoneName(written));
    return zone !== undefined && this.#rights.sees(zone.id) ? zone : undefined;
  }

  /** The zone of a name, in which the caller holds an action. */
  with(action: Action, written: string): Zone {
    const zone = this.get(written);
    requireInZone(this.#rights, action, zone);
    return zone;
  }

  /** The zone of a name, of which the caller may read every record. */
  whole(written: string): Zone {
    const zone = this.get(written);
    requireWhole(this.#rights, 'record:read', zone);
    return zone;
  }

  /** The name of a zone that the caller sees, as it is now. */
  nameOf(id: number): string | undefined {
    return this.#rights.sees(id) ? this.#stored.zones.byId(id)?.name : undefined;
  }

  list(filter: ZoneFilter, sort: ZoneSort, page: Page): Listed<Zone> {
    return this.#stored.zones.list(this.#rights.visibleZones(), filter, sort, page);
  }

  /** Zones that can be brought back, for who may do so; `searchOf` tells the part of the name that is sought. */
  listDeleted(page: Page, searchOf: () => string | undefined): Listed<DeletedZone> {
    requireEverywhere(this.#rights, 'zone:create');
    return this.#stored.deletedZones.list(page, searchOf());
  }

  /** What the caller holds in all zones, and in those of which grants tell something else. */
  held(): { readonly everywhere: HeldActions; readonly zones: readonly HeldInZone[] } {
    const zones: HeldInZone[] = [];
    for (const zoneId of this.#rights.namedZones()) {
      const zoneName = this.nameOf(zoneId);
      if (zoneName !== undefined) zones.push({ zoneName, ...this.#rights.actionsIn(zoneId) });
    }
    return { everywhere: this.#rights.actionsIn(null), zones };
  }

  /** Throws when the database does not answer the smallest question. */
  requireDatabase(): void {
    // Nothing has this id.
    this.#stored.zones.byId(0);
  }
}
