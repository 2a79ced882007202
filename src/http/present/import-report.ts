/** Reports of imports as JSON text (interface 4.2.1): 422 when the file has errors. */
import { joined } from '../../contract/record-text.ts';
import { countDiff } from '../../domain/diff.ts';
import { type Answer, begun, jsonType, type Piece } from '../answer.ts';
import type { ImportResult } from '../services.ts';
import { diffEntryText } from './record-text.ts';

export async function answerWithReport(result: ImportResult, dryRun: boolean): Promise<Answer> {
  const status = result.errors.length > 0 ? 422 : 200;
  return { status, mediaType: jsonType, body: await begun(reportPieces(result, dryRun)) };
}

async function* reportPieces(result: ImportResult, dryRun: boolean): AsyncGenerator<Piece> {
  const { applied, errors, skipped, summary, diff, warnings } = result;
  const { parsed, added, deleted, updated, unchanged, skipped: skippedCount } = summary;
  const head = {
    applied,
    dry_run: dryRun,
    errors,
    skipped_records: skipped,
    summary: { parsed, added, deleted, updated, unchanged, skipped: skippedCount },
    warnings,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"diff":{"entries":[`;
  if ('apex' in diff) yield* joined(diff.entries, (entry) => diffEntryText(entry, diff.apex));
  else yield* diff.entries;
  const counts = 'apex' in diff ? countDiff(diff) : diff.summary;
  yield `],"summary":${JSON.stringify(counts)}}}`;
}
