/** What a basket holds, as one change of its zone; and which of its items a refusal is about. */
import type { FieldError, ZoneRecord } from './api.ts';
import { counted } from './counted.ts';
import type { CollectedRecord, Edit, Write } from './write.ts';

export interface Item extends Edit {
  /** What the service had against it. */
  readonly error?: string;
}

/** Whether two are the same record: a record has its TTL from its RRset. */
export function isSame(one: CollectedRecord | undefined, other: CollectedRecord): boolean {
  return (
    one !== undefined &&
    one.name === other.name &&
    one.type === other.type &&
    JSON.stringify(one.value) === JSON.stringify(other.value)
  );
}

/** With more edits; what is done to a record that an item takes away replaces that item. */
export function withEdits(items: readonly Item[], edits: readonly Edit[]): readonly Item[] {
  const taken = edits.flatMap(({ before }) => before ?? []);
  const isTaken = ({ before }: Item) => taken.findIndex((each) => isSame(before, each)) >= 0;
  return [...items.filter((item) => !isTaken(item)), ...edits];
}

/** A stored record as an edit names it; `name` is relative to its zone. */
export function collectedOf(
  { type, ttl, value, priority }: ZoneRecord,
  name: string,
): CollectedRecord {
  const hasPriority = typeof value === 'string' && priority !== null;
  return { name, type, ttl, value: hasPriority ? `${priority} ${value}` : value };
}

/** All of it in one change. Deletions come first there. */
export function writeOf(zone: string, items: readonly Item[]): Write {
  const what = counted(items.length, 'edit');
  return {
    title: `Make ${what} of ${zone}`,
    button: `Make ${what}`,
    method: 'POST',
    path: '/changes',
    body: { zones: [{ name: zone, ...bodyOf(items) }] },
  };
}

/** What a change has of one zone. */
export function bodyOf(items: readonly Item[]) {
  return {
    delete: items.flatMap(({ before }) => {
      if (before === undefined) return [];
      const { name, type, value } = before;
      return [{ name, type, value }];
    }),
    add: items.flatMap(({ after }) => {
      if (after === undefined) return [];
      const { name, type, ttl, value } = after;
      return [{ name, type, ...(ttl !== undefined && { ttl }), values: [value] }];
    }),
  };
}

const ofChange = /^\/zones\/0\/(delete|add)\/(\d+)/;

/** The items with what was said of each; undefined where that is of none of them. */
export function withErrors(
  items: readonly Item[],
  errors: readonly FieldError[],
): readonly Item[] | undefined {
  const said = new Map<Item, string>();
  for (const { pointer = '', message } of errors) {
    const [, list, index] = ofChange.exec(pointer) ?? [];
    const side = list === 'delete' ? 'before' : 'after';
    const item = items.filter((each) => each[side] !== undefined)[Number(index)];
    // The path is that of the request, which nobody has typed.
    if (item !== undefined) said.set(item, message.replace(/^zones\[0\][\w.[\]]*: /, ''));
  }
  if (said.size === 0) return undefined;
  return items.map(({ before, after }, index) => {
    const error = said.get(items[index]!);
    return {
      ...(before && { before }),
      ...(after && { after }),
      ...(error !== undefined && { error }),
    };
  });
}
