/** Who and why of commands that write to the journal themselves, as of those that ask the service. */
import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const folder = temporaryFolder();
const file = join(folder, 'backup.db');
let service: RunningService;
beforeAll(async () => {
  service = await startService();
  expect((await cli(['backup', file])).code).toBe(0);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const cli = (words: readonly string[], env: Record<string, string> = {}) =>
  run(words, { dataDir: service.dataDir, env });

/** What the newest event that begins an epoch says, if one does. */
async function recovered() {
  const { items } = await service.must('GET', '/events?kind=service.recovered&limit=1');
  const [{ actor, source, reason, reference } = {} as Record<string, unknown>] = items;
  return { actor, source, reason, reference };
}

const { username: name, uid } = userInfo();
const user = { kind: 'local', name, uid, claimed: true };

it('a restore says who made it and why, in the event of its epoch', async () => {
  await service.end();
  const why = ['--reason', 'zurück für alle', '--reference', 'OPS-9'];
  expect(await cli(['restore', file, ...why])).toMatchObject({ code: 0 });
  await service.start();
  expect(await recovered()).toEqual({
    actor: user,
    source: 'cli',
    reason: 'zurück für alle',
    reference: 'OPS-9',
  });
  await service.end();
  expect(await cli(['restore', file], { ZONEBOOK_REASON: 'again' })).toMatchObject({ code: 0 });
  await service.start();
  expect(await recovered()).toMatchObject({ actor: user, reason: 'again', reference: null });
});

it('is refused as the service would, and changes nothing', async () => {
  const before = await recovered();
  await service.end();
  const long = ['--reason', 'x'.repeat(1001)];
  expect(await cli(['restore', file, ...long])).toMatchObject({
    code: 1,
    err: 'zonebook: --reason has more than 1000 characters\n',
  });
  expect(await cli(['restore', file], { ZONEBOOK_REFERENCE: 'a\u{202e}b' })).toMatchObject({
    code: 1,
    err: 'zonebook: ZONEBOOK_REFERENCE has control characters\n',
  });
  await service.start();
  expect(await recovered()).toEqual(before);
});

it('serve --recover says so too', async () => {
  await service.end();
  await service.start('--recover', '--reason', 'snapshot of Monday');
  expect(await recovered()).toEqual({
    actor: user,
    source: 'cli',
    reason: 'snapshot of Monday',
    reference: null,
  });
});

it.each([
  [['serve', '--reason', 'x'], 'writes nothing to the journal, so it takes no --reason'],
  [['serve', '--new', '--reference', 'x'], 'takes no --reference'],
  [['backup', file, '--reason', 'x'], 'takes no --reason'],
  [['journal', 'verify', '--reason', 'x'], 'takes no --reason'],
  [['journal', 'rebuild', '--reference', 'x'], 'takes no --reference'],
  [['config', 'check', '--reason', 'x'], 'takes no --reason'],
  [['context', 'list', '--reason', 'x'], 'takes no --reason'],
  [['restore', file, '--wait', '5'], '--wait is for a change by the service'],
  [['restore', file, '--allow-deletes', '5'], '--allow-deletes is for a change by the service'],
])('%j is refused rather than dropped', async (words, says) => {
  expect(await cli(words)).toMatchObject({ code: 2, err: expect.stringContaining(says) });
});

it('variables that hold for all commands keep none of them from running', async () => {
  const env = { ZONEBOOK_REASON: 'x', ZONEBOOK_REFERENCE: 'y' };
  expect(await cli(['config', 'check'], env)).toMatchObject({ code: 0 });
});
