/** The records at the handle of a timeline: those of an earlier moment, of which nothing can be changed. */
import { counted } from '../counted.ts';
import type { Zone } from '../api.ts';
import { absolute, at, isEarlier } from '../moment.ts';
import { hrefOf } from '../router.ts';
import type { Scrubbed } from '../scrubbed.ts';
import { RecordTable } from './record-table.tsx';
import { Answered } from './states.tsx';

interface ScrubbedRecordsProps {
  readonly zone: Zone;
  readonly scrubbed: Scrubbed;
}

const nothing = () => {};
const none: ReadonlySet<number> = new Set();

export function ScrubbedRecords({ zone, scrubbed }: ScrubbedRecordsProps) {
  const { loaded, page, isMoving, isDropped } = scrubbed;
  if (!isEarlier.value || (page === undefined && loaded.value === null && !isDropped)) return null;
  const { items = [], pagination: { total = 0 } = {} } = page ?? {};
  const isThere = !isMoving && !loaded.isWaiting && page !== undefined;
  const records = counted(total, 'record');
  return (
    <section aria-label="Records at this moment">
      <p role="status">
        {isDropped && 'Retention has deleted the versions of this moment.'}
        {isThere &&
          `${items.length < total ? `The first ${items.length} of ${records}` : records} at ${absolute(at.value)}`}
      </p>
      {items.length < total && (
        <a href={hrefOf(['zones', zone.name, 'records'])}>All records of this moment</a>
      )}
      {!isDropped && (
        <Answered loaded={{ ...loaded, isWaiting: loaded.isWaiting && !isMoving }}>
          {() =>
            items.length > 0 && (
              <RecordTable
                zone={zone}
                records={items}
                page={{ offset: 0, total }}
                edit={nothing}
                selected={none}
                select={nothing}
              />
            )
          }
        </Answered>
      )}
    </section>
  );
}
