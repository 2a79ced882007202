/** kill -9 while history is let go of: the journal stays whole, and what was begun is finished. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClearing } from '../../src/background/import/clearing.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { rebuildProjections, verifyProjections } from '../../src/projection/rebuild.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { openStoredZones, runs, temporaryFolder } from '../support/stored-zones.ts';

const program = join(import.meta.dirname, 'forgetter.ts');

async function runAndKill(folder: string, delayMs: number): Promise<void> {
  const child = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), delayMs));
  expect(await ended).toBe('SIGKILL');
}

describe('kill -9', () => {
  it('invariant 1: invariant 2: invariant 9: in the middle of retention leaves nothing half done', async () => {
    const folder = temporaryFolder();
    for (let round = 0; round < runs(4); round++) {
      await runAndKill(folder, Math.random() * 400);
      const stored = openStoredZones({ folder });
      const { connection, journal, writer } = stored;
      expect(verifyChain(journal).findings).toEqual([]);
      expect(verifyProjections(connection, journal)).toEqual([]);
      // Sometimes between the death and the next start somebody rebuilds.
      if (round % 2 === 1) rebuildProjections(connection, journal);
      const stages = new StageStore(connection);
      const clearing = createClearing(writer);
      clearing.start();
      await expect.poll(() => stages.isEmpty()).toBe(true);
      await clearing.stop();
      expect(verifyChain(journal).findings).toEqual([]);
      expect(verifyProjections(connection, journal)).toEqual([]);
      const count = (what: string) =>
        connection.prepare(`SELECT count(*) FROM ${what}`).pluck().get();
      // Of zones that are purged nothing is left, and no part or block without anybody to show it.
      expect(
        count(`event AS gone WHERE kind <> 'zone.purged' AND payload IS NOT NULL AND stream IN
          (SELECT stream FROM event WHERE kind = 'zone.purged')`),
      ).toBe(0);
      expect(
        count(`event_delta WHERE place / 65536 NOT IN
          (SELECT delta FROM event WHERE payload IS NOT NULL)`),
      ).toBe(0);
      expect(
        count(`block WHERE content NOT IN
          (SELECT content FROM zone UNION ALL SELECT content FROM deleted_zone)`),
      ).toBe(0);
      expect(
        count(
          `record WHERE zone_id NOT IN (SELECT id FROM zone UNION ALL SELECT id FROM deleted_zone)`,
        ),
      ).toBe(0);
      await stored.close();
    }
    rmSync(folder, { recursive: true });
  });
});
