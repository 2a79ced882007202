/** The changes of a zone, or of one RRset of it, the newest first, by days. */
import type { Zone } from '../api.ts';
import { EventList } from '../parts/event-list.tsx';
import { FilterField } from '../parts/filter.tsx';
import { hrefWith, parameter } from '../router.ts';

export function Timeline({ zone }: { readonly zone: Zone }) {
  const [name, type] = [parameter('name'), parameter('type')];
  return (
    <section aria-label="Timeline">
      <div class="filters">
        <FilterField name="name" label="Name" />
        <FilterField name="type" label="Type" />
        <FilterField name="actor" label="By" />
        <FilterField name="reason" label="Reason has" />
        {(name !== '' || type !== '') && (
          <a href={hrefWith({ name: undefined, type: undefined })}>All changes of the zone</a>
        )}
      </div>
      <EventList
        query={{
          zone: zone.name,
          name,
          type,
          actor: parameter('actor'),
          reason: parameter('reason'),
          until: parameter('at'),
        }}
        hasZone={false}
      />
    </section>
  );
}
