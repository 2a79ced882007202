/** `journal log`: who changed what and when, newest first. */
import { defineCommand } from '../../command.ts';
import { diffLines } from '../../diff-lines.ts';
import { CliFailure, exitCode, usageFailure } from '../../exit-code.ts';
import { flag, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';
import type { LogEntry } from './entry.ts';

/** Events shown when nothing is said. */
const usualLimit = 1000;

export const journalLog = defineCommand({
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
    const { findDatabase } = await import('./shared.ts');
    const { openReader } = await import('../../../journal/database.ts');
    const { EntryReader } = await import('./entry.ts');
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
