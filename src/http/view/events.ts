/** Events, each as far as the rights of a caller reach. */
import { type NameKey, parseAbsoluteName } from '../../dns/name.ts';
import { noEvent } from '../../domain/access/visibility.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import { joinNames } from '../../dns/name.ts';
import type { EventFilter, EventPage, SeenEvent, SeenEvents } from '../../query/event-queries.ts';
import { ViewPart, ZoneView } from './zones.ts';

/** A filter as a request writes it. */
interface WrittenFilter extends Omit<EventFilter, 'zoneId' | 'name'> {
  readonly zone?: string | undefined;
  readonly zone_id?: number | undefined;
  readonly name?: string | undefined;
}

export class EventView extends ViewPart {
  readonly #zones = new ZoneView(this.stored, this.rights);

  page({ zone, zone_id, name, reason, ...filter }: WrittenFilter, page: EventPage) {
    const named = zone === undefined ? undefined : this.#zones.get(zone);
    const zoneId = named?.id ?? zone_id;
    const rest = { ...filter, zoneId, reason: reason?.toLowerCase() };
    const wanted = { ...rest, name: name?.trim() ? ownerOf(name, named) : undefined };
    return this.stored.events.page(this.rights, wanted, page) as Promise<SeenEvents>;
  }

  /** EVENT_NOT_FOUND where there is none that the caller may see. */
  async get(seq: number): Promise<SeenEvent> {
    const event = await this.stored.events.get(this.rights, seq);
    if (event !== undefined) return event;
    throw noEvent(seq);
  }
}

function ownerOf(written: string, zone: Zone | undefined): NameKey {
  if (zone === undefined) return parseAbsoluteName(written.trim());
  return joinNames(parseOwner(written, apexOf(zone)), apexOf(zone));
}
