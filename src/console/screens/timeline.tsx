/** The changes of a zone, or of one RRset of it, the newest first, by days. */
import type { Zone } from '../api.ts';
import { mayWhole } from '../permissions.ts';
import { ActivityStrip } from '../parts/activity-strip.tsx';
import { EventList } from '../parts/event-list.tsx';
import { FilterField } from '../parts/filter.tsx';
import { hrefWith, parameter } from '../router.ts';

export function Timeline({ zone }: { readonly zone: Zone }) {
  const [name, type] = [parameter('name'), parameter('type')];
  const until = earliest(parameter('at'), parameter('until'));
  return (
    <section aria-label="Timeline">
      {mayWhole(zone.name, 'record:read') && <ActivityStrip zone={zone} />}
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
          since: parameter('since'),
          until,
        }}
        hasZone={false}
        isLive={until === ''}
      />
    </section>
  );
}

/** Of two times, each of which may be ''. */
function earliest(one: string, other: string): string {
  if (one === '' || other === '') return one || other;
  return Date.parse(one) < Date.parse(other) ? one : other;
}
