/** A difference of two versions, RRset by RRset: what is removed and added stands in words too. */
import type { Diff, DiffEntry, DiffValue } from '../api.ts';
import { counted } from '../counted.ts';
import { visible, Value, valueText } from './text.tsx';

/** RRsets of a difference that somebody ticks. */
export interface Ticks {
  readonly has: (entry: DiffEntry) => boolean;
  readonly tick: (entries: readonly DiffEntry[], isOn: boolean) => void;
}

const signs = { added: '+', removed: '−' } as const;

interface LineProps {
  readonly change: 'added' | 'removed';
  readonly entry: DiffEntry;
  readonly value: DiffValue;
  readonly ticks: Ticks | undefined;
  /** Whether it is the first one of its RRset. */
  readonly isFirst: boolean;
}

function Line({ change, entry, value, ticks, isFirst }: LineProps) {
  return (
    <tr class={change}>
      {ticks !== undefined && (
        <td class="pick">
          {isFirst && (
            <input
              type="checkbox"
              aria-label={`Tick ${visible(entry.name)} ${entry.type}`}
              checked={ticks.has(entry)}
              onClick={(event) => ticks.tick([entry], event.currentTarget.checked)}
            />
          )}
        </td>
      )}
      <td class="sign">
        <span aria-hidden="true">{signs[change]}</span>
        <span class="unseen">{change}</span>
      </td>
      <td class="name">{visible(entry.name)}</td>
      <td class="type">{entry.type}</td>
      <td class="number">{value.ttl}</td>
      <td>
        <Value text={valueText(value.value, value.priority)} />
      </td>
    </tr>
  );
}

const key = ({ value, ttl, priority }: DiffValue) => JSON.stringify([value, ttl, priority]);

/** The lines of an RRset: values that stay the same are no change. */
function linesOf(entry: DiffEntry) {
  const before = new Set(entry.from.map(key));
  const after = new Set(entry.to.map(key));
  return [
    ...entry.from
      .filter((value) => !after.has(key(value)))
      .map((value) => ({ change: 'removed', value }) as const),
    ...entry.to
      .filter((value) => !before.has(key(value)))
      .map((value) => ({ change: 'added', value }) as const),
  ];
}

interface DiffTableProps {
  readonly diff: Diff;
  /** Lines that are shown; the rest is counted. */
  readonly limit?: number;
  readonly ticks?: Ticks | undefined;
}

export function DiffTable({ diff, limit, ticks }: DiffTableProps) {
  const lines = diff.entries.flatMap((entry) =>
    linesOf(entry).map((line, index) => ({ ...line, entry, isFirst: index === 0 })),
  );
  const shown = limit === undefined ? lines : lines.slice(0, limit);
  if (lines.length === 0) return <p class="muted">No records differ.</p>;
  return (
    <table class="diff">
      <caption class="unseen">
        {`${counted(diff.summary.added, 'RRset')} added, ${diff.summary.changed} changed, ${diff.summary.removed} removed`}
      </caption>
      <thead class="unseen">
        <tr>
          {ticks !== undefined && <th scope="col">Ticked</th>}
          <th scope="col">Change</th>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">TTL</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((line) => (
          <Line
            key={`${line.change} ${line.entry.name} ${line.entry.type} ${key(line.value)}`}
            {...line}
            ticks={ticks}
          />
        ))}
        {lines.length > shown.length && (
          <tr>
            <td colSpan={ticks === undefined ? 5 : 6} class="muted">
              … {(lines.length - shown.length).toLocaleString('en')} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
