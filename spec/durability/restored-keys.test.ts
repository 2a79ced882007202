/** Keys that a restore leaves behind: they are named, and come back from the former database. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

let service: RunningService;
const folder = temporaryFolder();
const file = join(folder, 'b.bak');
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });

/** What a command prints. */
async function must(...words: string[]): Promise<string> {
  const { code, out, err } = await cli(...words);
  expect([words, code], err).toEqual([words, 0]);
  return out;
}

/** The answer of a command. */
const read = async (...words: string[]) => JSON.parse(await must(...words, '-o', 'json'));

it('a key that is newer than the backup is named by a restore, and comes back', async () => {
  const name = 'example.com';
  await must('zone', 'create', name, '--mname', `ns1.${name}`, '--rname', `h@${name}`);
  await must('dnssec', 'enable', name, '--parent-ns', '127.0.0.1:1');
  await must('backup', file);
  const { keys_left: none } = await read('restore', file, '--dry-run');
  expect(none).toEqual([]);
  await must('dnssec', 'roll', name);
  await must('dnssec', 'promote', name, '--skip-ds-check', '--skip-holddown');
  const { keys } = await read('dnssec', 'status', name);
  const [old, fresh] = keys;
  expect([old.state, fresh.state]).toEqual(['retired', 'active']);
  const left = [{ zone: name, key_tag: fresh.key_tag, role: 'csk', state: 'active' }];
  const line = `not in the backup: key ${fresh.key_tag} (csk, active) of ${name}`;
  expect((await read('restore', file, '--dry-run')).keys_left).toEqual(left);
  expect(await must('restore', file, '--dry-run', '-o', 'table')).toContain(line);

  await service.end();
  const { former, keys_left: lost } = await read('restore', file);
  expect(lost).toEqual(left);
  // As the manual says.
  const apart = join(folder, 'former');
  mkdirSync(apart);
  copyFileSync(former, join(apart, 'zonebook.db'));
  copyFileSync(join(service.dataDir, 'keys.key'), join(apart, 'keys.key'));
  const words = ['export', name, '--key-tag', String(fresh.key_tag), '--directory', apart];
  await must('dnssec', 'key', ...words, '--data-dir', apart);
  await must('dnssec', 'key', 'import', name, '--directory', apart);
  await service.start();
  const { keys: now } = await read('dnssec', 'status', name);
  expect(now.map(({ key_tag, state }: typeof old) => [key_tag, state])).toEqual([
    [old.key_tag, 'active'],
    [fresh.key_tag, 'published'],
  ]);
  // The DNSKEY are signed by it too, so that its DS alone is enough.
  const { items } = await read('record', 'list', name, '--signed', '--type', 'RRSIG');
  const signers = items
    .map(({ value }: { value: string }) => value.split(' '))
    .filter(([covered]: string[]) => covered === 'DNSKEY')
    .map((parts: string[]) => Number(parts[6]));
  expect(signers.sort()).toEqual([old.key_tag, fresh.key_tag].sort());
});
