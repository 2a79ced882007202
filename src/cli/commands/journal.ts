/** `journal`: the journal on this host, whether the service runs or not. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adviceFor, type VerifyResult, sentenceOf } from '../../journal/verify-result.ts';
import { counted, doneBy, withDiff } from '../changes.ts';
import { defineCommand, type Group } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, text, whole } from '../field.ts';
import { cellsOf, type Columns, showCell } from '../output.ts';
import { temporaryFolder } from '../temporary-files.ts';
import { findDatabase, openStopped, readDatabase } from './host-database.ts';
import type { LogEntry } from './journal-entry.ts';
import type { DatabaseCheck } from './database-check.ts';

/** Proves the chain of hashes, and that the projections equal a rebuild. */
const verify = defineCommand({
  usage: 'verify',
  summary: 'Prove that the database and its journal are intact and the projections equal a rebuild',
  notes: 'Works on a copy in the folder for temporary files, while the service runs or not.',
  examples: [['$0', 'exit code 0 when everything is as it was written']],
  where: 'host',
  async run(_, context) {
    const { checkCopy } = await import('./database-check.ts');
    const found = await findDatabase(context);
    using folder = temporaryFolder(tmpdir(), 'zonebook-verify-');
    const copy = join(folder.path, 'copy.db');
    const check = await checkCopy(found, copy, context.services, (made) => made);
    await context.output.show(check, () => checkLines(check).join('\n'));
    if (check.intact) return;
    throw new CliFailure(exitCode.failure, `${found.file} is not intact`, whatToDo(check));
  },
});

function checkLines(check: DatabaseCheck): string[] {
  const { events, head, findings, differing } = check;
  const isJournals = ({ code }: VerifyResult) => adviceFor([{ code }]) === 'restore';
  const chain = findings.some(isJournals) ? 'the journal is damaged' : 'the chain is intact';
  const lines = [`${counted(events, 'event')}: ${chain}`, `last hash ${head}`];
  for (const found of findings) lines.push(sentenceOf(found));
  if (check.findings_total > findings.length) {
    lines.push(`and ${check.findings_total - findings.length} more`);
  }
  if (check.rebuild_error === null && differing.length === 0) {
    lines.push('the projections equal a rebuild');
  }
  return lines;
}

function whatToDo({ advice, findings }: DatabaseCheck): string {
  if (advice === 'rebuild') return "stop the service and run 'zonebook journal rebuild'";
  const isCut = findings.some(({ code }) => code === 'EVENTS_MISSING_AT_END');
  const restore = 'stop the service and restore a backup (zonebook restore FILE)';
  if (!isCut) return `${restore}: the journal is the only truth of the service`;
  const lost = 'do not rebuild: the tables know what the journal has lost';
  const how =
    '(zonebook zone export), or take them from a secondary (zonebook zone import --from-server)';
  return `${lost}. Export the zones ${how}, then ${restore}`;
}

/** Empties the projections and folds the whole journal into them again. */
const rebuild = defineCommand({
  usage: 'rebuild',
  summary: 'Build everything that is read from the journal again; the service must be stopped',
  notes:
    'Nothing is rebuilt from a journal that is damaged or lacks events: tables that know more than the\n' +
    'journal would be lost.',
  examples: [['$0', 'after verify has found projections that differ']],
  options: {
    withoutMissingEvents: flag(
      'rebuild although events are missing at the end: what they changed is lost',
    ),
  },
  where: 'host',
  async run({ withoutMissingEvents }, context) {
    const { journalResults, WatchedJournal } = await import('./database-check.ts');
    const { rebuildProjections } = await import('../../projection/rebuild.ts');
    await using stack = new AsyncDisposableStack();
    const found = await findDatabase(context);
    const database = await openStopped(found);
    stack.defer(() => database.close());
    const { connection } = database;
    // Tables that can be read are not thrown away for events that can not be trusted.
    const { findings } = await journalResults(connection, context.services, found.served);
    const first = findings.find(
      ({ code }) => !(withoutMissingEvents === true && code === 'EVENTS_MISSING_AT_END'),
    );
    if (first !== undefined) {
      throw new CliFailure(
        exitCode.failure,
        `nothing was rebuilt: ${sentenceOf(first)}`,
        "'zonebook journal verify' tells more",
      );
    }
    const journal = new WatchedJournal(connection, 'rebuild', context.services);
    const { events } = rebuildProjections(connection, journal);
    await context.output.show(
      { events },
      () => `rebuilt the projections from ${counted(events, 'event')}`,
    );
  },
});

/** Events listed when nothing is said. */
const usualLimit = 1000;

const log = defineCommand({
  usage: 'log [zone]',
  summary: 'Show who changed what and when, newest first',
  notes: 'A deleted or renamed zone is found by every name it has had.',
  examples: [
    ['$0 example.com --limit 10', 'the last ten changes of a zone'],
    ['$0 --since-seq 1200 --records', 'everything since event 1200, in full'],
  ],
  positionals: { zone: domainName(text('name of a zone; everything when left out')) },
  options: {
    limit: whole(`events to show at most, ${usualLimit} when left out`),
    sinceSeq: whole('only events after the one with this number'),
    records: flag('show the records that each event removed and added'),
  },
  where: 'host',
  presents: 'change',
  async run({ zone, limit, sinceSeq, records }, context) {
    if (limit !== undefined && limit < 1) throw usageFailure('--limit is 1 or more');
    const { EntryReader } = await import('./journal-entry.ts');
    const entries = await readDatabase(context, (connection) => {
      const reader = new EntryReader(connection, records === true);
      const streams = zone === undefined ? undefined : reader.streamsNamed(zone);
      if (streams?.length === 0) {
        const message = `no zone was ever called '${zone}'`;
        throw new CliFailure(exitCode.notFound, message, "'zonebook journal log' shows all");
      }
      return reader.read({ limit: limit ?? usualLimit, afterSeq: sinceSeq ?? 0, streams });
    });
    const { output } = context;
    const items = entries.map(({ diff: _, ...item }) => item);
    await output.show({ items }, () => {
      if (entries.length === 0) return 'no events';
      if (records !== true) return output.rows(columns, entries);
      const blocks = entries.map((entry) => {
        const headline = cellsOf(columns, entry).map(showCell).join('  ');
        return withDiff(output.paint.bold(headline), entry.diff, output);
      });
      return blocks.join('\n');
    });
  },
});

const columns: Columns<LogEntry> = [
  'seq',
  'at',
  ['by', ({ change_source: source, changed_by: actor }) => doneBy(actor, source)],
  'subject',
  'serial',
  'what',
];

export const journal: Group = {
  name: 'journal',
  summary: 'The journal on this host, whether the service runs or not',
  commands: [verify, rebuild, log],
};
