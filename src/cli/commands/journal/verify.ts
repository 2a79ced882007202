/** `journal verify`: proves the chain of hashes, and that the projections equal a rebuild. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../../journal/database.ts';
import type { ChainFinding } from '../../../journal/verify.ts';
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { counted } from '../change.ts';
import type { Surroundings } from '../../services.ts';

/** Findings that are shown; a broken chain has one for each event after the break. */
const findingsShown = 100;

interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  /** SHA-256 of the last event in hex: whoever keeps it can tell later that nothing before changed. */
  readonly head: string;
  readonly findings: readonly ChainFinding[];
  readonly findings_total: number;
  /** Projections that differ from a rebuild. */
  readonly differing: readonly string[];
  /** Why no rebuild was possible; null when it was. */
  readonly rebuild_error: string | null;
}

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
      await copyDatabase(file, copy);
      const connection = openCopy(copy);
      try {
        verdict = await verify(connection, context.services);
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

async function verify(connection: Connection, surroundings: Surroundings): Promise<Verdict> {
  const { WatchedJournal } = await import('./shared.ts');
  const { verifyChain } = await import('../../../journal/verify.ts');
  const { verifyProjections } = await import('../../../projection/rebuild.ts');
  const chain = new WatchedJournal(connection, 'chain  ', surroundings);
  const { events, findings } = verifyChain(chain);
  let differing: readonly string[] = [];
  let rebuildError: string | null = null;
  try {
    const journal = new WatchedJournal(connection, 'rebuild', surroundings);
    differing = verifyProjections(connection, journal);
  } catch (error) {
    // Events that are damaged may not fold at all; the findings above say which.
    rebuildError = error instanceof Error ? error.message : String(error);
  }
  return {
    intact: findings.length === 0 && differing.length === 0 && rebuildError === null,
    events,
    head: chain.head().hash.toString('hex'),
    findings: findings.slice(0, findingsShown),
    findings_total: findings.length,
    differing,
    rebuild_error: rebuildError,
  };
}

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
