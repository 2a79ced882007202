/** Records of answers as JSON text (contract/record-json.ts), with what their caller may do; and diffs. */
import { diffEntryText, recordText, readableActions, tailText } from '../contract/record-json.ts';
import { dnssecTypes } from '../dns/rrtype.ts';
import { countDiff, type RecordDiff } from '../domain/diff.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';

/** The function that writes records of a zone as its caller may see them. */
export function recordWriter(
  zone: Zone,
  rights: Rights,
): (record: Omit<ZoneRecord, 'createdAt'>) => string {
  const apex = apexOf(zone);
  let fullTail: string | undefined;
  const tailOf = (record: Pick<ZoneRecord, 'owner' | 'type'>) => {
    if (dnssecTypes.has(record.type)) return tailText(zone, []);
    if (!rights.isFull) return tailText(zone, heldActions(rights, zone, record));
    fullTail ??= tailText(zone, readableActions);
    return fullTail;
  };
  return (record) => recordText(record, apex, tailOf(record));
}

/** A record diff (interface 2.4). */
export function diffText(diff: RecordDiff): string {
  const entries = diff.entries.map((entry) => diffEntryText(entry, diff.apex));
  return `{"entries":[${entries.join(',')}],"summary":${JSON.stringify(countDiff(diff))}}`;
}

function heldActions(
  rights: Rights,
  zone: Zone,
  { owner, type }: Pick<ZoneRecord, 'owner' | 'type'>,
): readonly string[] {
  return readableActions.filter((action) => rights.onRecord(action, zone.id, owner, type));
}
