/**
 * Whatever is accepted, by any way in, named, knotd and nsd load it by AXFR and by IXFR, and what they then
 * serve is what the API lists, record for record; and the checkers of zone files take every export.
 *
 * The generator does not know the rules. Stories of several zones are played at the same time; a failing
 * one is shrunken to the fewest requests. FC_SEED repeats a run.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CannedPrimary } from '../support/canned-primary.ts';
import { run } from '../support/command-line.ts';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { inTime } from '../support/rounds.ts';
import type { RunningService } from '../support/service.ts';
import { judgeNames, TransferJudges } from '../support/transfer-judges.ts';
import { playStory, ZonePlayer } from '../support/zone-player.ts';
import { storyOf } from '../support/zone-requests.ts';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 0x7fffffff));

needsPeers(...judgeNames)('zones that other servers load', () => {
  let judges: TransferJudges;
  let primary: CannedPrimary;
  beforeAll(async () => {
    judges = await TransferJudges.start();
    primary = await CannedPrimary.start();
  });
  afterAll(async () => {
    await judges[Symbol.asyncDispose]();
    await primary[Symbol.asyncDispose]();
  });

  it('case 101: every accepted request leaves a zone that all of them load and serve', async () => {
    const stories = fc.array(storyOf(isLong ? 10 : 6), { minLength: 1, maxLength: 5, size: 'max' });
    await fc.assert(
      fc.asyncProperty(
        stories,
        inTime(
          async (played) => {
            const told = await Promise.all(
              played.map((story) => playStory({ judges, primary }, story)),
            );
            const faults = told.filter((each) => each !== undefined);
            if (faults.length > 0) throw new Error(`\n${faults.join('\n\n')}\n`);
          },
          isLong ? 1_200_000 : 120_000,
        ),
      ),
      { seed, numRuns: isLong ? 200 : 4, verbose: 0 },
    );
    const sent = judges.service.output.matchAll(/transfer\.sent .*kind=(\w+) .*incremental=(\w+)/g);
    const kinds = new Set([...sent].map(([, kind, isDelta]) => `${kind} ${isDelta}`));
    expect([...kinds]).toEqual(expect.arrayContaining(['axfr false', 'ixfr true']));
  });

  it('case 96: after the database was taken back to a backup, all of them follow again', async () => {
    const count = isLong ? 12 : 4;
    const stories = fc.sample(fc.tuple(storyOf(3), storyOf(3), storyOf(3)), {
      seed,
      numRuns: count,
    });
    const played = stories.map(([before, between, after]) => {
      const player = new ZonePlayer({ judges, primary }, before.beginning.name);
      return { player, before, between, after };
    });
    const all = async (step: (each: (typeof played)[number]) => Promise<string[]>) => {
      const told = await Promise.all(
        played.map(async (each) => each.player.tell(await step(each))),
      );
      const faults = told.filter((each) => each !== undefined).join('\n\n');
      expect(faults, `FC_SEED=${seed}`).toBe('');
    };
    await all(({ player, before }) => player.play(before));
    const backup = await takeBackup(judges.service);
    const memories = new Map(played.map(({ player }) => [player, player.remember()]));
    await all(({ player, between }) => player.continueWith(between.requests));
    await restoreFromBackup(judges.service, backup);
    await all(({ player }) => memories.get(player)!());
    await all(({ player, after }) => player.continueWith(after.requests));
    for (const { player } of played) await player.leave();
  });
});

async function takeBackup(service: RunningService): Promise<string> {
  const file = join(service.dataDir, 'backup.db');
  rmSync(file, { force: true });
  const { code, err } = await run(['backup', file], { dataDir: service.dataDir });
  expect([code, err]).toEqual([0, '']);
  return file;
}

/** Takes the database back to a backup, as an operator does. */
async function restoreFromBackup(service: RunningService, file: string): Promise<void> {
  await service.end();
  const { code, err } = await run(['restore', file], { dataDir: service.dataDir });
  expect([code, err]).toEqual([0, expect.any(String)]);
  await service.start();
}
