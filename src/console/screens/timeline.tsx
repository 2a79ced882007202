/** The changes of a zone, or of one RRset of it, the newest first, by days. */
import type { Zone } from '../api.ts';
import { beginningOf } from '../beginning.ts';
import { deletedId, eventsOf, scopeOf } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { mayWhole } from '../permissions.ts';
import { ActivityStrip } from '../parts/activity-strip.tsx';
import { BeginningText } from '../parts/beginning.tsx';
import { EventFilters, eventQuery, isFiltered } from '../parts/event-filters.tsx';
import { EventList } from '../parts/event-list.tsx';
import { FilterField } from '../parts/filter.tsx';
import { hrefWith, parameter } from '../router.ts';

interface TimelineProps {
  readonly zone: Zone;
  readonly serial?: number | undefined;
}

export function Timeline({ zone, serial }: TimelineProps) {
  const [name, type] = [parameter('name'), parameter('type')];
  const query = { ...eventsOf(zone, name), type, ...eventQuery() };
  const { value: beginning } = useLoaded((signal) => beginningOf(zone, signal), [zone.name]);
  return (
    <section aria-label="Timeline">
      {mayWhole(scopeOf(zone.name), 'record:read') && (
        <ActivityStrip zone={zone} serial={serial} retainedFrom={beginning?.retainedFrom} />
      )}
      <div class="filters">
        <FilterField name="name" label="Name" />
        <FilterField name="type" label="Type" />
        <EventFilters />
        {(name !== '' || type !== '') && (
          <a href={hrefWith({ name: undefined, type: undefined })}>All changes of the zone</a>
        )}
      </div>
      <EventList
        query={query}
        name={`${zone.name}-changes`}
        hasZone={false}
        end={
          !isFiltered() &&
          beginning !== undefined && <BeginningText zone={zone.name} beginning={beginning} />
        }
        isLive={query.until === '' && deletedId.value === undefined}
      />
    </section>
  );
}
