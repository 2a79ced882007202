/** `journal verify`: proves the chain of hashes, and that the projections equal a rebuild. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { withNote } from '../../progress.ts';
import { counted } from '../change.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export const journalVerify = defineCommand({
  usage: 'verify',
  summary: 'Prove that the journal is intact and the projections equal a rebuild',
  notes: 'Works on a copy in the folder for temporary files, while the service runs or not.',
  examples: [['zonebook journal verify', 'exit code 0 when everything is as it was written']],
  where: 'host',
  async run(_, context) {
    const { findDatabase } = await import('./shared.ts');
    const { copyDatabase, openCopy } = await import('../../../journal/backup.ts');
    const { file } = await findDatabase(context);
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-verify-'));
    let verdict: Verdict;
    try {
      const copy = join(folder, 'copy.db');
      await withNote('copying the database', context.services, () => copyDatabase(file, copy));
      const connection = openCopy(copy);
      try {
        verdict = await verdictOn(connection, context.services);
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
  const chain = findings.length === 0 ? 'the chain is intact' : 'the chain is broken';
  const lines = [`${counted(events, 'event')}: ${chain}`, `last hash ${head}`];
  for (const { seq, problem } of findings) lines.push(`event ${seq} ${problem}`);
  if (verdict.findings_total > findings.length) {
    lines.push(`and ${verdict.findings_total - findings.length} more`);
  }
  if (verdict.rebuild_error !== null) {
    lines.push(`the projections can not be rebuilt: ${verdict.rebuild_error}`);
  } else if (differing.length === 0) lines.push('the projections equal a rebuild');
  else lines.push(`projections that differ from a rebuild: ${differing.join(', ')}`);
  return lines;
}

function whatToDo({ findings_total: broken, rebuild_error: error }: Verdict): string {
  return broken > 0 || error !== null
    ? 'restore a backup: the journal is the only truth of the service'
    : "stop the service and run 'zonebook journal rebuild'";
}
