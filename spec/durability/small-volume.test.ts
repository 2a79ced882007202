/** A volume of 24 MB: it is used for what is stored, can be full for a while, and then goes on. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswer, requestMessage } from '../support/dns-messages.ts';
import { askByUdp } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { mountSmallVolume, type SmallVolume } from '../support/small-volume.ts';

const zone = 'small.example';
const megabyte = 1024 * 1024;

async function total(service: RunningService): Promise<number> {
  return (await service.must('GET', `/records?zone_name=${zone}&type=TXT&limit=1`)).pagination
    .total;
}

/** One record of some kilobytes. */
const add = (service: RunningService, name: string) =>
  service.call('POST', '/records', {
    zone_name: zone,
    name,
    type: 'TXT',
    value: Array.from({ length: 8 }, () => `"${'x'.repeat(250)}"`).join(' '),
  });

/** Has the volume full and a record refused; returns how many were taken until then. */
async function exhaust(service: RunningService, { fill }: SmallVolume, from: number) {
  for (let taken = 0; ; taken++) {
    // What is laid out already can be used up.
    fill();
    const answer = await add(service, `f${from + taken}`);
    if (answer.status === 201) continue;
    expect(answer).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE' } });
    return taken;
  }
}

needsPeers('cc')('case 116: a volume of 24 MB', () => {
  it('has room for records, tells when it is full, and goes on when it is not', async () => {
    await using volume = await mountSmallVolume(24);
    const { dataDir, entry, env, outside } = volume;
    await using service = await startService(
      { ZONEBOOK_LOGGING_LEVEL: 'warn', ...env },
      { dataDir, entry },
    );
    await service.must('POST', '/zones', {
      name: zone,
      mname: 'ns1.example.net',
      rname: 'root@example.net',
    });
    // A megabyte of records by many callers at once: what is laid out ahead stays in bounds.
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 64 }, (_, index) => `r${round}-${index}`);
      const answers = await Promise.all(names.map((name) => add(service, name)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    }
    let stored = 512;
    expect(await total(service)).toBe(stored);
    if (volume.isReal) {
      expect(statSync(join(outside, 'zonebook.db-wal')).size).toBeLessThan(8 * megabyte);
      expect(volume.free()).toBeGreaterThan(8 * megabyte);
    }

    stored += await exhaust(service, volume, stored);
    expect((await service.call('GET', '/health')).status).toBe(503);
    expect(await total(service)).toBe(stored);
    const question = requestMessage({ name: zone, type: 'SOA' });
    expect(readAnswer(await askByUdp(service.dnsPort, question)).rcode).toBe('NOERROR');

    volume.release();
    await expect.poll(async () => (await service.call('GET', '/health')).status).toBe(200);
    expect((await add(service, 'after')).status).toBe(201);
    stored++;
    expect(await total(service)).toBe(stored);
    expect(readdirSync(outside).filter((name) => name.endsWith('.probe'))).toEqual([]);

    // Full again, and killed: everything acknowledged is there, and nothing else.
    stored += await exhaust(service, volume, stored);
    await service.end('SIGKILL');
    volume.release();
    await service.start();
    expect(await total(service)).toBe(stored);
  });
});
