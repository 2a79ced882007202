/** What lets history go, on the command line, against a service of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const cli = (line: string) => run(line.split(' '), { dataDir: service.dataDir });

async function must(line: string): Promise<string> {
  const { code, out, err } = await cli(line);
  expect([line, code, err]).toEqual([line, 0, '']);
  return out;
}

const soa = '--mname ns1.example.net --rname hostmaster@example.com';

it('forgets old versions, and says so in the journal', async () => {
  await must(`zone create example.com ${soa}`);
  await must('record create example.com www A 192.0.2.1');
  await must('record create example.com www A 192.0.2.2');
  const wanted = 'zone forget-history example.com --before';
  // In a later millisecond than the change.
  await sleep(5);
  const now = new Date().toISOString();
  expect(await must(`${wanted} ${now} --dry-run -o table`)).toBe(
    'would forget 2 versions of zone example.com; the oldest is 3\n',
  );
  expect(await must(`${wanted} ${now} --yes -o table`)).toBe(
    'forgot 2 versions of zone example.com; the oldest is 3\n',
  );
  expect((await cli('zone version get example.com 2')).code).toBe(3);
  const log = await must('journal log example.com -o table');
  expect(log).toMatch(/example\.com +- +zone\.checkpointed \+3\n/);
  expect(log).toMatch(/example\.com +3 +records\.changed \(details removed by retention\)/);
  expect(await must('journal log example.com --records -o json')).toContain('"records": []');
  await must('journal verify');
});

it('purges a deleted zone', async () => {
  await must(`zone create gone.example ${soa}`);
  expect((await cli('zone purge gone.example --yes')).code).toBe(3);
  await must('zone delete gone.example');
  expect(await must('zone purge gone.example --dry-run -o table')).toBe(
    'would purge zone gone.example: 1 record, 1 version\n',
  );
  expect(await must('zone purge gone.example --yes -o table')).toBe(
    'purged zone gone.example: 1 record, 1 version\n',
  );
  expect((await cli('zone restore gone.example')).code).toBe(3);
  expect(await must('journal log gone.example -o table')).toContain('zone.purged');
  await expect
    .poll(() => must('journal log gone.example -o table'))
    .toMatch(/gone\.example +1 +zone\.created \(details removed by retention\)/);
  await must('journal verify');
});

it('needs to be told before when', async () => {
  await must(`zone create kept.example ${soa}`);
  const { code, err } = await cli('zone forget-history kept.example');
  expect([code, err]).toEqual([2, expect.stringContaining('required argument: before')]);
  expect((await cli('zone forget-history kept.example --before someday --yes')).code).toBe(1);
});

it('keeps a limit of days by itself', async () => {
  await using limited = await startService({ ZONEBOOK_DNS_ZONE_HISTORY_RETENTION_DAYS: '1' });
  expect(limited.output).not.toContain('retention.failed');
});
