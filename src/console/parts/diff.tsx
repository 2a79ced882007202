/** A difference of two versions, RRset by RRset: what is removed and added stands in words too. */
import type { Diff, DiffEntry, DiffValue } from '../api.ts';
import { counted } from '../counted.ts';
import { visible, Value, valueText } from './text.tsx';

const signs = { added: '+', removed: '−' } as const;

function Line({
  change,
  entry,
  value,
}: {
  readonly change: 'added' | 'removed';
  readonly entry: DiffEntry;
  readonly value: DiffValue;
}) {
  return (
    <tr class={change}>
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

/** `limit`: lines that are shown; the rest is counted. */
export function DiffTable({ diff, limit }: { readonly diff: Diff; readonly limit?: number }) {
  const lines = diff.entries.flatMap((entry) => linesOf(entry).map((line) => ({ ...line, entry })));
  const shown = limit === undefined ? lines : lines.slice(0, limit);
  if (lines.length === 0) return <p class="muted">No records differ.</p>;
  return (
    <table class="diff">
      <caption class="unseen">
        {`${counted(diff.summary.added, 'RRset')} added, ${diff.summary.changed} changed, ${diff.summary.removed} removed`}
      </caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Change</th>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">TTL</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ change, entry, value }) => (
          <Line
            key={`${change} ${entry.name} ${entry.type} ${key(value)}`}
            change={change}
            entry={entry}
            value={value}
          />
        ))}
        {lines.length > shown.length && (
          <tr>
            <td colSpan={5} class="muted">
              … {(lines.length - shown.length).toLocaleString('en')} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
