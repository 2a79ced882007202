/** The history of zones and records as JSON text (decisions 12), written while it is sent. */

import { formatTime } from '../../base/clock.ts';
import { joined } from '../../contract/record-text.ts';
import { countDiff } from '../../domain/diff.ts';
import type { ZoneSettings } from '../../domain/zone.ts';
import type { HistoryEntry } from '../../projection/history-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { diffEntryText } from './record-text.ts';

/** Settings as fields of a zone. */
const fieldOf: Readonly<Record<keyof ZoneSettings, string>> = {
  name: 'name',
  mname: 'mname',
  rname: 'rname',
  defaultTtl: 'default_ttl',
  minimumTtl: 'minimum_ttl',
  refresh: 'refresh',
  retry: 'retry',
  expire: 'expire',
  serial: 'serial',
  description: 'description',
  enabled: 'enabled',
};

export async function* historyPieces(
  { items, total }: Listed<HistoryEntry>,
  { limit, offset }: Page,
): AsyncGenerator<string> {
  yield '{"items":[';
  for (const [index, entry] of items.entries()) {
    if (index > 0) yield ',';
    yield* entryPieces(entry);
  }
  yield `],"pagination":${JSON.stringify({ limit, offset, total })}}`;
}

function* entryPieces({ diff, ...entry }: HistoryEntry): Generator<string> {
  const head = {
    serial: entry.serial,
    created_at: formatTime(entry.createdAt),
    kind: entry.kind,
    change_source: entry.changeSource,
    changed_by: entry.changedBy,
    request_id: entry.requestId,
  };
  const tail = {
    diff_left_out: entry.diffLeftOut,
    records_added: entry.addedCount,
    records_removed: entry.removedCount,
    settings_changed: entry.settingsChanged.map((name) => fieldOf[name]),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"diff":{"entries":[`;
  yield* joined(diff.entries, (each) => diffEntryText(each, diff.apex));
  yield `],"summary":${JSON.stringify(countDiff(diff))}},${JSON.stringify(tail).slice(1)}`;
}
