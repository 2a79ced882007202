/** kill -9 at any moment: what was acknowledged is there, and the journal is whole. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../src/journal/verify.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { openStoredZones, runs, temporaryFolder } from '../support/stored-zones.ts';

const programOf = (file: string) => join(import.meta.dirname, file);

/** Runs a program, kills it `delayMs` after its first answer, and returns what it acknowledged. */
async function writeAndKill(
  file: string,
  given: readonly string[],
  delayMs: number,
): Promise<number[]> {
  const child = spawn(process.execPath, [programOf(file), ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('close', (_, signal) => resolve(signal));
  });
  let output = '';
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), delayMs));
  for await (const chunk of child.stdout) output += chunk;
  expect(await ended).toBe('SIGKILL');
  // A line may be cut off by the death: only whole lines were told.
  const whole = output.slice(0, output.lastIndexOf('\n'));
  return whole.split('\n').map(Number);
}

describe('kill -9', () => {
  it.each([
    ['few callers, whose commands are written where they are decided', 4],
    ['many callers, whose commands another thread writes', 100],
  ])('invariant 5: loses nothing that was acknowledged to %s', async (_, callers) => {
    const folder = temporaryFolder();
    const acknowledged: number[] = [];
    for (let round = 0; round < runs(2); round++) {
      const told = await writeAndKill('writer.ts', [folder, String(callers)], Math.random() * 120);
      expect(told.length).toBeGreaterThan(0);
      acknowledged.push(...told);

      const stored = openStoredZones({ folder });
      const stands = new Set(stored.connection.prepare('SELECT id FROM record').pluck().all());
      expect(acknowledged.filter((id) => !stands.has(id))).toEqual([]);
      const zone = stored.zones.byName('killed.example')!;
      // One step at creation and one for each record, acknowledged or not.
      expect(zone).toMatchObject({
        serial: 1 + stands.size,
        recordCount: stands.size,
      });
      // At most the commands in work were made durable without being told.
      expect(stands.size - acknowledged.length).toBeLessThanOrEqual(callers * (round + 1));
      expect(verifyChain(stored.journal)).toEqual({
        events: 1 + stands.size,
        findings: [],
      });
      expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
      await stored.close();
    }
    // Invariant 8: no id was given twice across the deaths.
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    rmSync(folder, { recursive: true });
  });

  it('invariant 5: leaves a change of fifty zones in all of them or in none', async () => {
    const folder = temporaryFolder();
    for (let round = 0; round < runs(2); round++) {
      const told = await writeAndKill('changer.ts', [folder], Math.random() * 120);
      const stored = openStoredZones({ folder });
      const serials = stored.connection.prepare('SELECT DISTINCT serial FROM zone').pluck().all();
      expect(serials).toHaveLength(1);
      const [done] = serials as number[];
      // At most the change in work was made durable without being told.
      expect([done! - 1, done! - 2]).toContain(told.at(-1));
      const texts = stored.connection.prepare('SELECT count(*) FROM record').pluck().get();
      expect(texts).toBe(50);
      expect(verifyChain(stored.journal)).toEqual({ events: 50 * done!, findings: [] });
      expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
      await stored.close();
    }
    rmSync(folder, { recursive: true });
  });
});
