/**
 * What the headers of zone events tell when their content is not looked at, or gone: names, serials and
 * times. It is enough for all that a zone's events do outside of the zone.
 */

import { assert } from '../base/problem.ts';
import type { MemberSettings } from '../domain/catalog.ts';
import { beginsHistory, isChange } from '../domain/event.ts';
import type { EventRow } from '../journal/event-row.ts';

export interface ZoneHeader {
  readonly name: string;
  readonly enabled: boolean;
  readonly serial: number;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly changedBy: string | null;
  readonly historyFromSerial: number;
}

export interface HeaderChange {
  /** Undefined before the zone's first event, and while it is deleted. */
  readonly before: MemberSettings | undefined;
  readonly after: MemberSettings | undefined;
  /** The name that the zone leaves, with the last serial it had there. */
  readonly left: { readonly name: string; readonly serial: number } | undefined;
}

export class HeaderFold {
  readonly #zones = new Map<number, ZoneHeader>();
  readonly #deleted = new Set<number>();

  /** Takes in the next event of a zone; those that take no step save deletions change nothing. */
  next({ stream, kind, serial, zoneName, zoneEnabled, at, actorName }: EventRow): HeaderChange {
    const known = this.#zones.get(stream);
    const before = this.#deleted.has(stream) ? undefined : known;
    if (kind === 'zone.deleted') {
      this.#deleted.add(stream);
      return { before, after: undefined, left: before };
    }
    if (serial === null) return { before, after: before, left: undefined };
    assert(zoneName !== null && zoneEnabled !== null, 'a step tells the name of its zone');
    this.#deleted.delete(stream);
    const isRenamed = before !== undefined && before.name !== zoneName;
    const isFirst = before === undefined || isRenamed || beginsHistory(kind);
    const isChanged = known === undefined || isChange(kind);
    const after: ZoneHeader = {
      name: zoneName,
      enabled: zoneEnabled === 1,
      serial,
      createdAt: known?.createdAt ?? at,
      changedAt: isChanged ? at : known.changedAt,
      changedBy: isChanged ? actorName : known.changedBy,
      historyFromSerial: isFirst ? serial : before.historyFromSerial,
    };
    this.#zones.set(stream, after);
    return { before, after, left: isRenamed ? before : undefined };
  }

  /** What the events so far say of a zone. */
  of(zoneId: number): ZoneHeader {
    const zone = this.#zones.get(zoneId);
    assert(
      zone !== undefined && !this.#deleted.has(zoneId),
      'a checkpoint is of a zone that is there',
    );
    return zone;
  }
}
