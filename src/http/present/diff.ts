/** Record diffs as JSON (interface 2.4). */

import { showRdata } from '../../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import { printType } from '../../dns/rrtype.ts';
import { countDiff, type DiffEntry, type RecordDiff } from '../../domain/diff.ts';
import { absoluteName } from './record.ts';

export function presentDiff(diff: RecordDiff) {
  return {
    entries: diff.entries.map((entry) => presentDiffEntry(entry, diff)),
    summary: countDiff(diff),
  };
}

function presentDiffEntry(entry: DiffEntry, diff: RecordDiff) {
  return {
    change: entry.change,
    name: absoluteName(entry.owner, diff.apex),
    type: printType(entry.type),
    from: entry.from.map(presentDiffValue),
    to: entry.to.map(presentDiffValue),
  };
}

function presentDiffValue(record: ResourceRecord) {
  const { value, priority } = showRdata(record.type, record.rdata);
  return { value, ttl: record.ttl, priority };
}
