/** Several records at once: which are chosen, and what is done to all of them in one change. */
import { get, type Listed, type Query, type Zone, type ZoneRecord } from './api.ts';
import { writeOf } from './collected.ts';
import { counted } from './counted.ts';
import { collectedIn } from './record-write.ts';
import type { Edit, Write } from './write.ts';

export type Selected = ReadonlySet<number>;

/**
 * With one record more or less; with `anchor` all from that one to this one get what this one gets.
 *
 * @param anchor Id of the one that was toggled before.
 */
export function toggled(
  records: readonly ZoneRecord[],
  selected: Selected,
  id: number,
  anchor?: number,
): Selected {
  const ends = [anchor ?? id, id].map((each) => records.findIndex((record) => record.id === each));
  const [first, last] = ends.includes(-1) ? [ends[1]!, ends[1]!] : ends.toSorted((a, b) => a - b);
  const ids = records.slice(first, last! + 1).flatMap((record) => record.id ?? []);
  const kept = [...selected].filter((each) => !ids.includes(each));
  return new Set(selected.has(id) ? kept : [...kept, ...ids]);
}

/** Records at most that are chosen at once. */
const maxSelected = 1000;
const pageRows = 100;

/** All records that a query finds, page by page; refused where there are too many. */
export async function readMatching(query: Query): Promise<readonly ZoneRecord[]> {
  const found: ZoneRecord[] = [];
  for (;;) {
    const asked = { ...query, offset: found.length, limit: pageRows };
    const { items, pagination } = await get<Listed<ZoneRecord>>('/records', asked);
    const { total } = pagination;
    if (total > maxSelected) {
      const [many, limit] = [total, maxSelected].map((count) => count.toLocaleString('en'));
      throw new Error(`${many} records match. Select at most ${limit} at once: narrow the filter.`);
    }
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

/** Edits as one change, which can wait in the basket too. */
function changeOf(zone: Zone, verb: string, list: readonly Edit[], rest: string): Write {
  const what = `${verb} ${counted(list.length, 'record')}`;
  const title = `${what} ${rest}`;
  return { ...writeOf(zone.name, list), title, button: what, edits: { zone: zone.name, list } };
}

export function deletionOf(zone: Zone, records: readonly ZoneRecord[]): Write {
  const list = records.map((record) => ({ before: collectedIn(zone, record) }));
  return changeOf(zone, 'Delete', list, `from ${zone.name}`);
}

/** A text in their values becomes another one; records without it stay. */
export function replacementOf(
  zone: Zone,
  records: readonly ZoneRecord[],
  from: string,
  to: string,
): Write {
  const replaced = (text: string) => text.replaceAll(from, () => to);
  const list = records.flatMap((record): readonly Edit[] => {
    const { value: old } = record;
    const value = typeof old === 'string' ? replaced(old) : old.map(replaced);
    if (JSON.stringify(value) === JSON.stringify(old)) return [];
    return [{ before: collectedIn(zone, record), after: collectedIn(zone, { ...record, value }) }];
  });
  return changeOf(zone, 'Change', list, `in ${zone.name}: ${from} becomes ${to || 'nothing'}`);
}

/** @param name Relative to the zone. */
export function moveOf(zone: Zone, records: readonly ZoneRecord[], name: string): Write {
  const list = records.map((record) => {
    const before = collectedIn(zone, record);
    return { before, after: { ...before, name } };
  });
  return changeOf(zone, 'Move', list, `to ${name} in ${zone.name}`);
}

/** Under the same names, relative to each zone. */
export function copyOf(zone: Zone, records: readonly ZoneRecord[], target: string): Write {
  const list = records.map((record) => ({ after: collectedIn(zone, record) }));
  const { edits: _, ...write } = changeOf(zone, 'Copy', list, `of ${zone.name} to ${target}`);
  return { ...write, body: writeOf(target, list).body! };
}

/** A TTL is that of a whole RRset: records beside a chosen one get it too. */
export function ttlChangeOf(zone: Zone, records: readonly ZoneRecord[], ttl: number): Write {
  const rrsets = new Map(records.map((record) => [`${record.name} ${record.type}`, record]));
  const added = [...rrsets.values()].map((record) => {
    const { name, type, value } = collectedIn(zone, record);
    return { name, type, ttl, values: [value] };
  });
  const what = counted(rrsets.size, 'RRset');
  return {
    title: `Set the TTL of ${what} in ${zone.name} to ${ttl}`,
    button: `Change ${what}`,
    method: 'POST',
    path: '/changes',
    body: { zones: [{ name: zone.name, add: added }] },
  };
}
