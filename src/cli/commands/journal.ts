/** `journal`: the journal on this host, whether the service runs or not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adviceFor, type Finding, sentenceOf } from '../../journal/finding.ts';
import { counted, diffLines } from '../changes.ts';
import { defineCommand, type Group } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, text, whole } from '../field.ts';
import { withNote } from '../progress.ts';
import { findDatabase, openStopped } from './host-database.ts';
import type { LogEntry } from './journal-entry.ts';
import type { Verdict } from './verdict.ts';

/** Proves the chain of hashes, and that the projections equal a rebuild. */
const verify = defineCommand({
  usage: 'verify',
  summary: 'Prove that the database and its journal are intact and the projections equal a rebuild',
  notes: 'Works on a copy in the folder for temporary files, while the service runs or not.',
  examples: [['zonebook journal verify', 'exit code 0 when everything is as it was written']],
  where: 'host',
  async run(_, context) {
    const { verdictOn } = await import('./verdict.ts');
    const { copyDatabase, openCopy } = await import('../../journal/backup.ts');
    const { readEpochFile } = await import('../../journal/epoch-file.ts');
    const { dataDir, file } = await findDatabase(context);
    // Before the copy, which then has all that was served by now.
    const served = readEpochFile(dataDir)?.seq;
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-verify-'));
    let verdict: Verdict;
    try {
      const copy = join(folder, 'copy.db');
      await withNote('copying the database', context.services, () => copyDatabase(file, copy));
      const connection = openCopy(copy);
      try {
        verdict = await verdictOn(connection, context.services, served);
      } finally {
        connection.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    await context.output.show(verdict, () => verdictLines(verdict).join('\n'));
    if (verdict.intact) return;
    throw new CliFailure(exitCode.failure, `${file} is not intact`, whatToDo(verdict));
  },
});

function verdictLines(verdict: Verdict): string[] {
  const { events, head, findings, differing } = verdict;
  const isJournals = ({ code }: Finding) => adviceFor([{ code }]) === 'restore';
  const chain = findings.some(isJournals) ? 'the journal is damaged' : 'the chain is intact';
  const lines = [`${counted(events, 'event')}: ${chain}`, `last hash ${head}`];
  for (const found of findings) lines.push(sentenceOf(found));
  if (verdict.findings_total > findings.length) {
    lines.push(`and ${verdict.findings_total - findings.length} more`);
  }
  if (verdict.rebuild_error === null && differing.length === 0) {
    lines.push('the projections equal a rebuild');
  }
  return lines;
}

function whatToDo({ advice, findings }: Verdict): string {
  if (advice === 'rebuild') return "stop the service and run 'zonebook journal rebuild'";
  const isCut = findings.some(({ code }) => code === 'EVENTS_MISSING_AT_END');
  const restore = 'stop the service and restore a backup (zonebook restore FILE)';
  if (!isCut) return `${restore}: the journal is the only truth of the service`;
  const lost = 'do not rebuild: the tables know what the journal has lost';
  const ways =
    '(zonebook zone export), or take them from a secondary (zonebook zone import --from-server)';
  return `${lost}. Export the zones ${ways}, then ${restore}`;
}

/** Empties the projections and folds the whole journal into them again. */
const rebuild = defineCommand({
  usage: 'rebuild',
  summary: 'Build everything that is read from the journal again; the service must be stopped',
  notes:
    'Nothing is rebuilt from a journal that is damaged or lacks events: tables that know more than the\n' +
    'journal would be lost.',
  examples: [['zonebook journal rebuild', 'after verify has found projections that differ']],
  options: {
    withoutMissingEvents: flag(
      'rebuild although events are missing at the end: what they changed is lost',
    ),
  },
  where: 'host',
  async run({ withoutMissingEvents }, context) {
    const { readEpochFile } = await import('../../journal/epoch-file.ts');
    const { journalFindings, WatchedJournal } = await import('./verdict.ts');
    const { rebuildProjections } = await import('../../projection/rebuild.ts');
    await using stack = new AsyncDisposableStack();
    const found = await findDatabase(context);
    const database = await openStopped(found);
    stack.defer(() => database.close());
    const { connection } = database;
    // Tables that can be read are not thrown away for events that can not be trusted.
    const served = readEpochFile(found.dataDir)?.seq;
    const { findings } = await journalFindings(connection, context.services, served);
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

/** Events shown when nothing is said. */
const usualLimit = 1000;

const log = defineCommand({
  usage: 'log [zone]',
  summary: 'Show who changed what and when, newest first',
  notes: 'A deleted or renamed zone is found by every name it has had.',
  examples: [
    ['zonebook journal log example.com --limit 10', 'the last ten changes of a zone'],
    ['zonebook journal log --since-seq 1200 --records', 'everything since event 1200, in full'],
  ],
  positionals: { zone: domainName(text('name of a zone; everything when left out')) },
  options: {
    limit: whole(`events to show at most, ${usualLimit} when left out`),
    sinceSeq: whole('only events after the one with this number'),
    records: flag('show the records that each event removed and added'),
  },
  where: 'host',
  async run({ zone, limit, sinceSeq, records }, context) {
    if (limit !== undefined && limit < 1) throw usageFailure('--limit is 1 or more');
    const { openReader } = await import('../../journal/database.ts');
    const { EntryReader } = await import('./journal-entry.ts');
    const { file } = await findDatabase(context);
    const connection = openReader(file);
    let entries: LogEntry[];
    try {
      const reader = new EntryReader(connection, records === true);
      const filter = { limit: limit ?? usualLimit, afterSeq: sinceSeq ?? 0 };
      const streams = zone === undefined ? undefined : reader.streamsNamed(zone);
      if (streams?.length === 0) {
        const message = `no zone was ever called '${zone}'`;
        throw new CliFailure(exitCode.notFound, message, "'zonebook journal log' shows all");
      }
      entries = reader.read({ ...filter, streams });
    } finally {
      connection.close();
    }
    const { output } = context;
    const items = entries.map(({ diff: _, ...shown }) => shown);
    await output.show({ items }, () => {
      if (entries.length === 0) return 'no events';
      if (records !== true) return output.table(headings, entries.map(rowOf));
      const blocks = entries.map((entry) => {
        const headline = output.paint.bold(rowOf(entry).join('  '));
        return [headline, ...diffLines(entry.diff, output.paint)].join('\n');
      });
      return blocks.join('\n');
    });
  },
});

const headings = ['seq', 'at', 'by', 'subject', 'serial', 'what'];

function rowOf(entry: LogEntry): string[] {
  const by = entry.changed_by === null ? '' : ` ${entry.changed_by.name}`;
  return [
    String(entry.seq),
    entry.at,
    `${entry.change_source}${by}`,
    entry.subject,
    String(entry.serial ?? '-'),
    entry.what,
  ];
}

export const journal: Group = {
  name: 'journal',
  summary: 'The journal on this host, whether the service runs or not',
  commands: [verify, rebuild, log],
};
