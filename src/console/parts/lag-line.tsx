/** How far behind a secondary was in the last 24 hours, as a small line; what it says stands beside it, and folded. */
import { useState } from 'preact/hooks';
import { delayText } from '../duration.ts';
import { type Lag, type LagRun, lagHeight, lagOutline, lagText, runsOf } from '../lag.ts';
import { absolute, clockOf } from '../moment.ts';
import { Table, type TableColumn } from './table.tsx';

/** The time of day is enough: it is of one day. */
const timeOf = (ms: number) => clockOf(new Date(ms).toISOString());

const columns: readonly TableColumn<LagRun>[] = [
  { label: 'From', cell: ({ from }) => timeOf(from) },
  { label: 'Until', cell: ({ until }) => timeOf(until) },
  {
    label: 'Behind',
    cell({ behindMs }) {
      if (behindMs === null) return 'no answer';
      return behindMs === 0 ? 'in sync' : `for up to ${delayText(behindMs)}`;
    },
  },
];

export function LagLine({ name, lag }: { readonly name: string; readonly lag: Lag }) {
  const [isOpen, setOpen] = useState(false);
  const now = Date.now();
  return (
    <details class="lag" onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <svg
          viewBox={`0 0 ${lag.behind_ms.length} ${lagHeight}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={lagOutline(lag)} />
        </svg>
        <small>{lagText(lag, now, timeOf) || 'nothing seen yet'}</small>
      </summary>
      {isOpen && (
        <>
          <small>Seen since {absolute(lag.counted_since)}, newest first:</small>
          <Table
            caption={`Lag of ${name} in the last 24 hours`}
            columns={columns}
            items={runsOf(lag, now)}
            keyOf={({ from }) => from}
          />
        </>
      )}
    </details>
  );
}
