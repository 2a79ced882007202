/** Several records at once: which are chosen, and what is done to all of them in one change. */
import type { Zone, ZoneRecord } from './api.ts';
import { collectedOf } from './collected.ts';
import { counted } from './counted.ts';
import { relativeName } from './parts/text.tsx';
import type { Write } from './write.ts';

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

const collected = (zone: Zone, record: ZoneRecord) =>
  collectedOf(record, relativeName(record.name, zone.name));

const changes = (zone: Zone, title: string, button: string, what: object): Write => ({
  title,
  button,
  method: 'POST',
  path: '/changes',
  body: { zones: [{ name: zone.name, ...what }] },
});

export function deletionOf(zone: Zone, records: readonly ZoneRecord[]): Write {
  const what = counted(records.length, 'record');
  const edits = records.map((record) => ({ before: collected(zone, record) }));
  const deletions = edits.map(({ before: { name, type, value } }) => ({ name, type, value }));
  const title = `Delete ${what} from ${zone.name}`;
  return {
    ...changes(zone, title, `Delete ${what}`, { delete: deletions }),
    edits: { zone: zone.name, list: edits },
  };
}

/** A TTL is that of a whole RRset: records beside a chosen one get it too. */
export function ttlChangeOf(zone: Zone, records: readonly ZoneRecord[], ttl: number): Write {
  const rrsets = new Map(records.map((record) => [`${record.name} ${record.type}`, record]));
  const added = [...rrsets.values()].map((record) => {
    const { name, type, value } = collected(zone, record);
    return { name, type, ttl, values: [value] };
  });
  const what = counted(rrsets.size, 'RRset');
  const title = `Set the TTL of ${what} in ${zone.name} to ${ttl}`;
  return changes(zone, title, `Change ${what}`, { add: added });
}
