/** Files of the data folder that others on the host can read: the key file is refused, the database is warned of. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

it('a key file that everybody can read refuses the start with exit code 6', async () => {
  await using service = await startService();
  await service.must('POST', '/zones', { name: 'a.example', ...soa });
  await service.end();
  const keyFile = join(service.dataDir, 'keys.key');
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  for (const mode of [0o644, 0o604, 0o602, 0o777]) {
    chmodSync(keyFile, mode);
    const { code, said } = await service.refusal();
    expect(code).toBe(6);
    expect(said).toContain(`${keyFile} has mode 0${mode.toString(8)}`);
    expect(said).toContain(`chmod 600 ${keyFile}`);
    expect(said).toContain('--insecure-key-file');
    expect(statSync(keyFile).mode & 0o777).toBe(mode);
  }
  await service.start('--insecure-key-file');
  await service.end();
  // Of a group, as Kubernetes gives volumes to a pod's.
  chmodSync(keyFile, 0o660);
  await service.start();
  expect((await service.must('GET', '/zones/a.example')).zone.serial).toBe(1);
});

it('what the service makes in its folder is for nobody else to read', async () => {
  await using service = await startService();
  const files = readdirSync(service.dataDir).filter((name) => !name.endsWith('.sock'));
  expect(files).toContain('zonebook.lock');
  const exposed = files.filter((name) => {
    const stats = statSync(join(service.dataDir, name), { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & 0o077) !== 0;
  });
  expect(exposed).toEqual([]);
});

it('a database that everybody can read is warned of', async () => {
  await using service = await startService();
  expect(service.output).not.toContain('database.exposed');
  await service.end();
  chmodSync(join(service.dataDir, 'zonebook.db'), 0o644);
  await service.start();
  await expect
    .poll(() => service.output)
    .toMatch(/warn +database\.exposed file=\S+zonebook\.db mode=0644/);
});
