/** Events, each as far as the rights of a caller reach. */
import { noEvent } from '../../domain/access/visibility.ts';
import { parseNameIn, parseOwner } from '../../domain/record.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { EventPart } from '../../query/event-diff.ts';
import type { EventPage, SeenEvents } from '../../query/event-queries.ts';
import type { StreamIds } from '../../query/event-ids.ts';
import type { EventFilter, SeenEvent } from '../../query/event-reader.ts';
import type { Followed, FollowRequest } from '../../query/event-tail.ts';
import type { WantedPart } from '../../query/version-page.ts';
import { ViewPart, ZoneView } from './zones.ts';

/** A filter as a request writes it. */
interface RawFilter extends Omit<EventFilter, 'zoneId' | 'name' | 'owner'> {
  readonly zone?: string | undefined;
  readonly zone_id?: number | undefined;
  readonly name?: string | undefined;
}

export class EventView extends ViewPart {
  readonly #zones = new ZoneView(this.stored, this.rights);

  page(filter: RawFilter, page: EventPage): Promise<SeenEvents> {
    return this.stored.events.page(this.rights, this.#parse(filter), page);
  }

  /** The number of the newest one, whatever it is about: for who may see all. */
  last(): number {
    return this.stored.events.last();
  }

  /** Where events stand in streams. */
  get ids(): StreamIds {
    return this.stored.events.ids();
  }

  /** New events from a number on, by the rights of each moment; `request` has the rest. */
  follow(
    filter: RawFilter,
    before: number | undefined,
    request: Omit<FollowRequest, 'filter'>,
  ): Followed {
    return this.stored.events.follow({ ...request, filter: { ...this.#parse(filter), before } });
  }

  #parse({ zone, zone_id, name, reason, ...filter }: RawFilter): EventFilter {
    const named = zone === undefined ? undefined : this.#zones.get(zone);
    return {
      ...filter,
      zoneId: named?.id ?? zone_id,
      ...(name?.trim() && nameIn(name, named)),
      reason: reason?.toLowerCase(),
    };
  }

  /** EVENT_NOT_FOUND where there is none that the caller may see. */
  async get(seq: number): Promise<SeenEvent> {
    const event = await this.stored.events.get(this.rights, seq);
    if (event !== undefined) return event;
    throw noEvent(seq);
  }

  /** The same with a page of what it changed. */
  async part(seq: number, part: WantedPart): Promise<EventPart> {
    const found = await this.stored.events.part(this.rights, seq, part);
    if (found !== undefined) return found;
    throw noEvent(seq);
  }
}

/** Within a zone it is followed through the names that the zone had. */
function nameIn(rawName: string, zone: Zone | undefined): Pick<EventFilter, 'name' | 'owner'> {
  if (zone === undefined) return { name: parseNameIn('name', rawName, 'INVALID_RECORD_NAME') };
  return { owner: parseOwner(rawName, apexOf(zone)) };
}
