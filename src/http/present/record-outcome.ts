/**
 * Outcomes of record commands as JSON text (interface 4.3).
 *
 * An outcome of hundreds of thousands of records is written in pieces while it is sent: made at
 * once it would hold up everybody else for as long as it takes.
 */
import { joined } from '../../contract/record-text.ts';
import type { RecordOutcome } from '../../domain/command.ts';
import { countDiff } from '../../domain/diff.ts';
import { apexOf } from '../../domain/zone.ts';
import { type Answer, json, jsonType } from '../answer.ts';
import type { Caller } from '../authenticate.ts';
import { presentDiff } from './diff.ts';
import { presentRecord } from './record.ts';
import { RecordTexts } from './record-text.ts';

/** Records and RRsets up to which an outcome is written at once: about a millisecond of work. */
const rowsAtOnce = 500;

/** `counts` are the fields that say how many records were added or deleted. */
export function answerWithRecords(
  status: number,
  outcome: RecordOutcome,
  dryRun: boolean,
  counts: Readonly<Record<string, number>>,
  caller: Caller,
): Answer {
  const { zone, records, diff, warnings } = outcome;
  const apex = apexOf(zone);
  const head = { applied: !dryRun, ...counts, dry_run: dryRun, warnings };
  if (records.length + diff.entries.length > rowsAtOnce) {
    return { status, mediaType: jsonType, body: piecesOf(head, outcome, caller) };
  }
  return json(status, {
    ...head,
    diff: presentDiff(diff),
    records: records.map((record) => presentRecord(zone, record, caller, apex)),
  });
}

function* piecesOf(head: object, outcome: RecordOutcome, caller: Caller): Generator<string> {
  const { zone, records, diff } = outcome;
  const texts = new RecordTexts(zone, apexOf(zone), caller);
  yield `${JSON.stringify(head).slice(0, -1)},"diff":{"entries":[`;
  yield* joined(diff.entries, (entry) => texts.diffEntry(entry));
  yield `],"summary":${JSON.stringify(countDiff(diff))}},"records":[`;
  yield* joined(records, (record) => texts.record(record));
  yield ']}';
}
