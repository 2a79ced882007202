/** The stored private half of a key is damaged: it is found, and nothing is published without it. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { startService } from '../support/service.ts';

const name = 'example.com';

it('a private half that can not be opened fails the step that needs it, and doctor', async () => {
  await using service = await startService();
  await service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });
  const path = `/zones/${name}/dnssec`;
  const before = await service.must('POST', path, { parent_ns_addrs: ['127.0.0.1:9'] });
  const [key] = before.keys;
  const doctor = async () => {
    const { out } = await run(['doctor', '-o', 'json'], { dataDir: service.dataDir });
    const { findings } = JSON.parse(out) as { findings: { check: string; message: string }[] };
    return findings.find(({ check }) => check === 'signing keys');
  };
  expect(await doctor()).toMatchObject({ result: 'OK', message: 'the key file opens all 1' });
  await service.end();
  const database = new Database(join(service.dataDir, 'zonebook.db'));
  database.exec('UPDATE signing_key_secret SET sealed = zeroblob(length(sealed))');
  database.close();
  await service.start();

  const found = `the private key of key ${key.key_tag} of ${name} can not be opened`;
  expect(await doctor()).toMatchObject({ result: 'FAIL', message: found });
  const record = { zone_name: name, name: 'new', type: 'A', value: '192.0.2.1' };
  for (const refused of [
    await service.call('POST', '/records', record),
    await service.call('POST', `${path}/sign`),
    await service.call('POST', '/records', { ...record, dry_run: true }),
    await service.call('POST', `${path}/sign?dry_run=true`),
    await service.call('POST', `${path}/rollover`, { dry_run: true }),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([500, 'DNSSEC_SIGNING_FAILED']);
    expect(refused.body.error).toMatch(/private half of signing key 1 is damaged/);
  }
  // The last good version is served.
  expect(await service.must('GET', path)).toMatchObject({ serial: before.serial, keys: [key] });
});
