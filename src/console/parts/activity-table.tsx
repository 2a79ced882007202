/** The activity of a zone as a table: the spans in which anything happened. */
import type { Activity } from '../api.ts';
import { absolute } from '../moment.ts';
import { isQuiet } from '../spans.ts';
import { Table } from './table.tsx';

export function ActivityTable({
  activity: { items },
  choose,
}: {
  readonly activity: Activity;
  readonly choose: (index: number) => void;
}) {
  const active = items.map((span, index) => ({ ...span, index })).filter((span) => !isQuiet(span));
  return (
    <details>
      <summary>Activity as a table</summary>
      <Table
        caption="Activity"
        columns={[
          {
            label: 'From',
            cell: ({ at, index }) => (
              <button type="button" class="quiet" onClick={() => choose(index)}>
                {absolute(at)}
              </button>
            ),
          },
          { label: 'Changes', kind: 'number', cell: ({ changes }) => changes },
          { label: 'Added', kind: 'number', cell: ({ added }) => added },
          { label: 'Removed', kind: 'number', cell: ({ removed }) => removed },
          { label: 'Signing runs', kind: 'number', cell: ({ signing }) => signing },
          {
            label: 'Sources',
            cell: ({ by_source: sources }) => Object.keys(sources).join(', '),
          },
        ]}
        items={active}
        keyOf={({ at }) => at}
      />
    </details>
  );
}
