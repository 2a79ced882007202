/** Every change of every zone that the caller may read, administration too. */
import { EventList } from '../parts/event-list.tsx';
import { FilterField } from '../parts/filter.tsx';
import { at } from '../moment.ts';
import { parameter } from '../router.ts';

export function Changes() {
  return (
    <>
      <header class="head">
        <h1>Changes</h1>
      </header>
      <div class="filters">
        <FilterField name="zone" label="Zone" />
        <FilterField name="actor" label="By" />
        <FilterField name="kind" label="Kind" />
        <FilterField name="reason" label="Reason has" />
      </div>
      <EventList
        query={{
          zone: parameter('zone'),
          actor: parameter('actor'),
          kind: parameter('kind'),
          reason: parameter('reason'),
          until: at.value,
        }}
        hasZone
        isLive={at.value === ''}
      />
    </>
  );
}
