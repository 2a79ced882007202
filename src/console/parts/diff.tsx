/**
 * A difference of two versions, RRset by RRset: what is removed and added stands in words too, and what is other in a
 * value is marked. RRsets of which only the TTL differs come last.
 */
import { useState } from 'preact/hooks';
import type { Diff, DiffEntry, DiffValue } from '../api.ts';
import { changedParts, type Part } from '../changed-part.ts';
import { counted } from '../counted.ts';
import { visible, Value, valueText } from './text.tsx';

/** RRsets of a difference that somebody ticks. */
export interface Ticks {
  readonly has: (entry: DiffEntry) => boolean;
  readonly tick: (entries: readonly DiffEntry[], isOn: boolean) => void;
}

/** RRsets that somebody ticks, and those that are. */
export function useTicks(): { readonly ticks: Ticks; readonly ticked: readonly DiffEntry[] } {
  const [ticked, setTicked] = useState<ReadonlyMap<string, DiffEntry>>(new Map());
  const keyOf = ({ name, type }: DiffEntry) => `${name} ${type}`;
  const tick = (entries: readonly DiffEntry[], isOn: boolean) => {
    const keys = new Set(entries.map(keyOf));
    const others = [...ticked].filter(([key]) => !keys.has(key));
    const added = isOn ? entries.map((entry) => [keyOf(entry), entry] as const) : [];
    setTicked(new Map([...others, ...added]));
  };
  return {
    ticks: { has: (entry) => ticked.has(keyOf(entry)), tick },
    ticked: [...ticked.values()],
  };
}

const signs = { added: '+', removed: '−', changed: '±' } as const;

interface DiffLine {
  readonly entry: DiffEntry;
  readonly change: keyof typeof signs;
  readonly ttl: string;
  readonly value: string;
  /** What of the value is other in its counterpart. */
  readonly changed?: Part | undefined;
}

interface LineProps {
  readonly line: DiffLine;
  readonly ticks: Ticks | undefined;
  /** Whether it is the first one of its RRset. */
  readonly isFirst: boolean;
  /** Whether a former difference had it not. */
  readonly isNew: boolean;
}

function Line({ line, ticks, isFirst, isNew }: LineProps) {
  const { change, entry, ttl, value, changed } = line;
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
      <td class="number">{ttl}</td>
      <td>
        <Value text={value} changed={changed} />
        {isNew && <span class="badge">new</span>}
      </td>
    </tr>
  );
}

const textOf = ({ value, priority }: DiffValue) => valueText(value, priority);
const key = (value: DiffValue) => JSON.stringify([value.value, value.ttl, value.priority]);

/** Whether both sides have the same values, so that the TTL alone differs. */
function isTtlOnly({ from, to }: DiffEntry): boolean {
  const [before, after] = [from.map(textOf).sort(), to.map(textOf).sort()];
  return from.length > 0 && JSON.stringify(before) === JSON.stringify(after);
}

/** The lines of an RRset: values that stay the same are no change. */
function linesOf(entry: DiffEntry): DiffLine[] {
  const before = new Set(entry.from.map(key));
  const after = new Set(entry.to.map(key));
  const removed = entry.from.filter((value) => !after.has(key(value)));
  const added = entry.to.filter((value) => !before.has(key(value)));
  if (isTtlOnly(entry) && removed.length > 0) {
    const value = removed.map(textOf).join(', ');
    return [{ entry, change: 'changed', ttl: `${removed[0]!.ttl} → ${added[0]?.ttl}`, value }];
  }
  const lineOf = (change: 'added' | 'removed', value: DiffValue, changed: Part | undefined) => {
    return { entry, change, ttl: String(value.ttl), value: textOf(value), changed };
  };
  const parts = removed.map((value, index) => {
    const other = added[index];
    return other && changedParts(textOf(value), textOf(other));
  });
  return [
    ...removed.map((value, index) => lineOf('removed', value, parts[index]?.[0])),
    ...added.map((value, index) => lineOf('added', value, parts[index]?.[1])),
  ];
}

interface DiffTableProps {
  readonly diff: Diff;
  /** Lines that are shown; the rest is counted. */
  readonly limit?: number;
  /** How many RRsets there are in all, where the difference has only the first of them. */
  readonly rrsets?: number | undefined;
  readonly ticks?: Ticks | undefined;
  /** Lines that this one has not are marked. */
  readonly former?: Diff | undefined;
}

const idOf = ({ entry: { name, type }, change, ttl, value }: DiffLine) =>
  `${change} ${name} ${type} ${ttl} ${value}`;

export function DiffTable({ diff, limit, rrsets, ticks, former }: DiffTableProps) {
  const all = diff.entries.flatMap(linesOf);
  const lines = [
    ...all.filter(({ change }) => change !== 'changed'),
    ...all.filter(({ change }) => change === 'changed'),
  ];
  const shown = limit === undefined ? lines : lines.slice(0, limit);
  if (lines.length === 0) return <p class="muted">No records differ.</p>;
  const known = former && new Set(former.entries.flatMap(linesOf).map(idOf));
  const columns = ticks === undefined ? 5 : 6;
  const ttlOnly = lines.filter(({ change }) => change === 'changed').length;
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
        {shown.map((line, index) => {
          const before = shown[index - 1];
          const isFirst = before?.entry !== line.entry;
          const isFirstTtl = line.change === 'changed' && before?.change !== 'changed';
          return [
            isFirstTtl && ttlOnly > 1 && (
              <tr key="TTL">
                <td colSpan={columns} class="muted">
                  Only another TTL: {counted(ttlOnly, 'RRset')}
                </td>
              </tr>
            ),
            <Line
              key={idOf(line)}
              line={line}
              ticks={ticks}
              isFirst={isFirst}
              isNew={known?.has(idOf(line)) === false}
            />,
          ];
        })}
        {lines.length > shown.length && (
          <tr>
            <td colSpan={columns} class="muted">
              {rrsets === undefined
                ? `… ${(lines.length - shown.length).toLocaleString('en')} more`
                : `… ${counted(rrsets, 'RRset')} in all`}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
