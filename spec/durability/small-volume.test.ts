/** A volume of 24 MB: it is used for what is stored, can be full for a while, and then goes on. */
import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAnswer, requestMessage } from '../support/dns-messages.ts';
import { askByUdp } from '../support/exchanges.ts';
import { type RunningService, startService } from '../support/service.ts';
import { hasSmallVolumes, SmallVolume } from '../support/small-volume.ts';

const zone = 'small.example';
const megabyte = 1024 * 1024;

async function total(service: RunningService): Promise<number> {
  return (await service.must('GET', `/records?zone_name=${zone}&type=TXT&limit=1`)).pagination
    .total;
}

const free = ({ outside }: SmallVolume) => {
  const { bavail, bsize } = statfsSync(outside);
  return bavail * bsize;
};

/** One record of some kilobytes. */
const add = (service: RunningService, name: string) =>
  service.call('POST', '/records', {
    zone_name: zone,
    name,
    type: 'TXT',
    value: Array.from({ length: 8 }, () => `"${'x'.repeat(250)}"`).join(' '),
  });

describe.runIf(hasSmallVolumes)('case 116: a volume of 24 MB', () => {
  it('has room for records, tells when it is full, and goes on when it is not', async () => {
    await using volume = await SmallVolume.mount(24);
    const { path: dataDir, entry, outside } = volume;
    await using service = await startService(
      { ZONEBOOK_LOGGING_LEVEL: 'warn' },
      { dataDir, entry },
    );
    await service.must('POST', '/zones', {
      name: zone,
      mname: 'ns1.example.net',
      rname: 'root@example.net',
    });
    // A megabyte of records by many callers at once, over and over: what is laid out ahead stays in bounds.
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 64 }, (_, index) => `r${round}-${index}`);
      const answers = await Promise.all(names.map((name) => add(service, name)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    }
    expect(await total(service)).toBe(512);
    expect(statSync(join(outside, 'zonebook.db-wal')).size).toBeLessThan(8 * megabyte);
    expect(free(volume)).toBeGreaterThan(8 * megabyte);

    // Somebody else takes the rest.
    const filler = join(outside, 'filler');
    const fill = () => {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(4096, 1), { flag: 'a' });
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      }
    };
    fill();
    let stored = 512;
    let answer = await add(service, `f${stored}`);
    // What is laid out already can be used up.
    while (answer.status === 201) {
      stored++;
      fill();
      answer = await add(service, `f${stored}`);
    }
    expect(answer).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE' } });
    expect((await service.call('GET', '/health')).status).toBe(503);
    expect(await total(service)).toBe(stored);
    const question = requestMessage({ name: zone, type: 'SOA' });
    expect(readAnswer(await askByUdp(service.dnsPort, question)).rcode).toBe('NOERROR');

    rmSync(filler);
    await expect.poll(async () => (await service.call('GET', '/health')).status).toBe(200);
    expect((await add(service, 'after')).status).toBe(201);
    stored++;
    expect(await total(service)).toBe(stored);
    expect(readdirSync(outside).filter((name) => name.endsWith('.probe'))).toEqual([]);

    // Full again, and killed: everything acknowledged is there, and nothing else.
    fill();
    while ((await add(service, `g${stored}`)).status === 201) {
      stored++;
      fill();
    }
    await service.end('SIGKILL');
    rmSync(filler);
    await service.start();
    expect(await total(service)).toBe(stored);
  });
});
