/** `journal verify`: proves the chain of hashes, and that the projections equal a rebuild. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { withNote } from '../../progress.ts';
import { counted } from '../change.ts';
import { adviceFor, type Finding, sentenceOf } from '../../../journal/finding.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export const journalVerify = defineCommand({
  usage: 'verify',
  summary: 'Prove that the database and its journal are intact and the projections equal a rebuild',
  notes: 'Works on a copy in the folder for temporary files, while the service runs or not.',
  examples: [['zonebook journal verify', 'exit code 0 when everything is as it was written']],
  where: 'host',
  async run(_, context) {
    const { findDatabase } = await import('./shared.ts');
    const { copyDatabase, openCopy } = await import('../../../journal/backup.ts');
    const { readEpochFile } = await import('../../../journal/epoch-file.ts');
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
  return `do not rebuild: the tables know what the journal has lost. Export the zones (zonebook zone
export), or take them from a secondary (zonebook zone import --from-server), then ${restore}`.replaceAll(
    '\n',
    ' ',
  );
}
