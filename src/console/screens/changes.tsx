/** Every change of every zone that the caller may read, administration too. */
import { ChainState } from '../parts/chain-state.tsx';
import { EventFilters, eventQuery } from '../parts/event-filters.tsx';
import { EventList } from '../parts/event-list.tsx';
import { FilterField } from '../parts/filter.tsx';
import { parameter } from '../router.ts';

export function Changes() {
  const query = { zone: parameter('zone'), ...eventQuery() };
  return (
    <>
      <header class="head">
        <h1>Changes</h1>
      </header>
      <ChainState />
      <div class="filters">
        <FilterField name="zone" label="Zone" />
        <EventFilters hasAdministration />
      </div>
      <EventList query={query} name="changes" hasZone isLive={query.until === ''} />
    </>
  );
}
