/** A zone that could not take its step into an epoch, and was changed before the next start. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { startService } from '../support/service.ts';

const name = 'example.com';

it('takes its step at the next start, though it has changed since the epoch began', async () => {
  await using service = await startService();
  const must = async (...words: string[]) => {
    const { code, err } = await run(words, { dataDir: service.dataDir });
    expect([words, code], err).toEqual([words, 0]);
  };
  await service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });
  const path = `/zones/${name}/dnssec`;
  await service.must('POST', path, { parent_ns_addrs: ['127.0.0.1:9'] });
  const file = join(service.dataDir, 'a.bak');
  await must('backup', file);
  const record = { zone_name: name, name: 'late', type: 'A', value: '192.0.2.1' };
  await service.must('POST', '/records', record);
  const serial = async () => (await service.must('GET', `/zones/${name}`)).zone.serial;
  const served = await serial();
  await service.end();
  await must('restore', file);
  const database = new Database(join(service.dataDir, 'zonebook.db'));
  database.exec('UPDATE signing_key_secret SET sealed = zeroblob(length(sealed))');
  database.close();
  // The step can not be signed.
  await service.start();
  expect(await serial()).toBeLessThan(served);
  await service.must('DELETE', `${path}?skip_ds_check=true`);
  await service.end();
  await service.start();
  expect(await serial()).toBeGreaterThan(served);
});
