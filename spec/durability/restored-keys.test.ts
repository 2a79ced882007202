/** Keys that a restore leaves behind: they are named, and come back from the former database. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

let service: RunningService;
const folder = temporaryFolder();
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

/** Makes the former database one that keys can be taken out of, as the manual says. Returns its folder. */
function apart(former: string): string {
  const made = temporaryFolder();
  copyFileSync(former, join(made, 'zonebook.db'));
  copyFileSync(join(service.dataDir, 'keys.key'), join(made, 'keys.key'));
  return made;
}

/** A zone whose key is newer than the backup in `file`, and the restore of that. */
async function restored(name: string, file: string, policy?: string) {
  await must('zone', 'create', name, '--mname', `ns1.${name}`, '--rname', `h@${name}`);
  await must('dnssec', 'enable', name, '--parent-ns', '127.0.0.1:1');
  await must('backup', file);
  const { keys_left: none } = await read('restore', file, '--dry-run');
  expect(none).toEqual([]);
  const roll = policy === undefined ? ['roll', name] : ['set', name, '--policy', policy];
  await must('dnssec', ...roll);
  await must('dnssec', 'promote', name, '--skip-ds-check', '--skip-holddown');
  const { keys } = await read('dnssec', 'status', name);
  const [old, fresh] = keys;
  expect([old.state, fresh.state]).toEqual(['retired', 'active']);
  const left = [{ zone: name, key_tag: fresh.key_tag, role: 'csk', state: 'active' }];
  const line = `not in the backup: key ${fresh.key_tag} (csk, active) of ${name}`;
  const trial = await read('restore', file, '--dry-run');
  expect(trial.keys_left).toEqual(left);
  expect(await must('restore', file, '--dry-run', '-o', 'table')).toContain(line);
  await service.end();
  const { former, keys_left: lost } = await read('restore', file);
  expect(lost).toEqual(left);
  const { next_serial: next } = trial.zones.find(({ zone }: { zone: string }) => zone === name);
  return { former, old, fresh, next };
}

/** Tags of the keys that sign the type at the apex. */
async function signersOf(name: string, type: string): Promise<number[]> {
  const { items } = await read('record', 'list', name, '--signed', '--type', 'RRSIG');
  return items
    .filter((each: { name: string }) => each.name === `${name}.`)
    .map(({ value }: { value: string }) => value.split(' '))
    .filter(([covered]: string[]) => covered === type)
    .map((parts: string[]) => Number(parts[6]))
    .sort();
}

it('a key that is newer than the backup is named by a restore, and can be published again', async () => {
  const name = 'example.com';
  const { former, old, fresh, next } = await restored(name, join(folder, 'same.bak'));
  const from = apart(former);
  const words = ['export', name, '--key-tag', String(fresh.key_tag), '--directory', from];
  await must('dnssec', 'key', ...words, '--data-dir', from);
  await must('dnssec', 'key', 'import', name, '--directory', from);
  await service.start();
  const { keys: now, serial } = await read('dnssec', 'status', name);
  // Secondaries may have served all that the former database had.
  expect(serial).toBeGreaterThanOrEqual(next);
  expect(now.map(({ key_tag, state }: typeof old) => [key_tag, state])).toEqual([
    [old.key_tag, 'active'],
    [fresh.key_tag, 'published'],
  ]);
  // The DNSKEY are signed by it too, so that its DS alone is enough.
  expect(await signersOf(name, 'DNSKEY')).toEqual([old.key_tag, fresh.key_tag].sort());
});

it.each([
  ['the same algorithm', undefined],
  ['another algorithm', 'ed'],
])('a newer key of %s takes the place of those of the backup', async (_, policy) => {
  const name = `${policy ?? 'same'}.example`;
  if (policy !== undefined) await must('dnssec-policy', 'create', policy, '--algorithm', 'ed25519');
  const { former, fresh, next } = await restored(name, join(folder, `${name}.bak`), policy);
  // As the manual says.
  const from = apart(former);
  const words = ['export', name, '--active', '--directory', from];
  await must('dnssec', 'key', ...words, '--data-dir', from);
  const taking = ['dnssec', 'key', 'import', name, '--directory', from];
  if (policy !== undefined) {
    const { code, err } = await cli(...taking);
    expect([code, err]).toEqual([
      expect.any(Number),
      expect.stringMatching(/takes one CSK .* of ecdsap256sha256 /),
    ]);
    taking.push('--policy', policy);
  }
  await must(...taking, '--replace');
  await service.start();
  const { keys, serial, policy: signed } = await read('dnssec', 'status', name);
  expect(serial).toBeGreaterThanOrEqual(next);
  expect(signed.name).toBe(policy ?? 'default');
  expect(keys).toMatchObject([{ key_tag: fresh.key_tag, state: 'active' }]);
  for (const type of ['DNSKEY', 'SOA'])
    expect(await signersOf(name, type)).toEqual([fresh.key_tag]);
  expect(await must('journal', 'verify')).toContain('the projections equal a rebuild');
});
