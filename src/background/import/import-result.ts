/** What an import comes to. */
import type { ImportOutcome } from '../../domain/command.ts';
import type { RecordDiff } from '../../domain/diff.ts';
import type { FileReport } from './protocol.ts';
import type { ImportResult } from './requests.ts';

/** Of a file with errors: nothing was applied. */
export function refused(report: FileReport, errors: readonly string[]): ImportResult {
  const { parsed, skipped, skippedCount } = report;
  const none = { added: 0, deleted: 0, updated: 0, unchanged: 0 };
  return {
    applied: false,
    errors,
    skipped,
    summary: { parsed, ...none, skipped: skippedCount },
    newSerial: undefined,
    diff: { apex: '' as RecordDiff['apex'], entries: [] },
    warnings: [],
  };
}

/** Of what one command has imported. */
export function resultOf(
  outcome: ImportOutcome,
  report: FileReport,
  dryRun: boolean,
): ImportResult {
  const { errors, summary, newSerial, diff, warnings } = outcome;
  return {
    applied: !dryRun && errors.length === 0,
    errors,
    skipped: report.skipped,
    summary: { ...summary, skipped: report.skippedCount },
    newSerial,
    diff,
    warnings,
  };
}
