/**
 * Versions, their records and the way between two of them as JSON (interface 2.5, decisions 16). Names
 * are relative in a version and absolute in a diff.
 */

import { formatTime } from '../../base/clock.ts';
import { joined } from '../../contract/record-text.ts';
import type { RollbackOutcome } from '../../domain/command.ts';
import { countDiff, diffNodes, type NodeChange } from '../../domain/diff.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { ZoneVersion } from '../../projection/version-queries.ts';
import type { Piece } from '../answer.ts';
import { diffEntryText } from './record-text.ts';

export function presentVersion({ settings, ...version }: ZoneVersion) {
  return {
    serial: version.serial,
    created_at: formatTime(version.createdAt),
    change_source: version.changeSource,
    changed_by: version.changedBy,
    mname: settings.mname,
    rname: settings.rname,
    default_ttl: settings.defaultTtl,
    minimum_ttl: settings.minimumTtl,
    refresh: settings.refresh,
    retry: settings.retry,
    expire: settings.expire,
  };
}

export async function* versionPieces(
  version: ZoneVersion,
  records: AsyncIterable<Uint8Array>,
): AsyncGenerator<Piece> {
  yield `{"version":${JSON.stringify(presentVersion(version))},"records":[`;
  yield* records;
  yield ']}';
}

export async function* versionDiffPieces(
  zone: Zone,
  from: number,
  to: number,
  batches: AsyncIterable<readonly NodeChange[]>,
): AsyncGenerator<string> {
  const apex = apexOf(zone);
  const summary = { added: 0, changed: 0, removed: 0 };
  yield '{"diff":{"entries":[';
  let separator = '';
  for await (const batch of batches) {
    // Records that only have other ids differ in nothing that a diff shows.
    const diff = diffNodes(apex, batch);
    if (diff.entries.length === 0) continue;
    const counts = countDiff(diff);
    summary.added += counts.added;
    summary.changed += counts.changed;
    summary.removed += counts.removed;
    yield separator;
    yield* joined(diff.entries, (entry) => diffEntryText(entry, apex));
    separator = ',';
  }
  yield `],"summary":${JSON.stringify(summary)}},"from_serial":${from},"to_serial":${to}}`;
}

export function presentRollback(outcome: RollbackOutcome, dryRun: boolean) {
  const { targetSerial, newSerial, summary, warnings } = outcome;
  return {
    applied: !dryRun,
    dry_run: dryRun,
    target_serial: targetSerial,
    new_serial: newSerial,
    summary: {
      added: summary.added,
      deleted: summary.deleted,
      unchanged: summary.unchanged,
      soa_changed: summary.soaChanged,
    },
    warnings,
  };
}
