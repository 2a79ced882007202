/**
 * Who works as root in the folder of a service that runs as another user leaves nothing there that this user can not
 * open: a restored database first of all. Only root can give files away: for others the folder is their own.
 */
import { chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

/** Of Debian's `nobody` and `nogroup`; any other than root would do. */
const another = { uid: 65_534, gid: 65_534 };
const myself = { uid: process.getuid!(), gid: process.getgid!() };
const owner = myself.uid === 0 ? another : myself;
const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder that belongs to the user of the service, and holds nothing yet. */
function ownedFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner.uid, owner.gid);
  return path;
}

const ownersIn = (path: string) =>
  Object.fromEntries(
    readdirSync(path).map((name) => {
      const { uid, gid } = statSync(join(path, name));
      return [name, { uid, gid }];
    }),
  );

function expectOwned(path: string, ...names: string[]): void {
  const owners = ownersIn(path);
  expect(Object.keys(owners)).toEqual(expect.arrayContaining(names));
  expect(owners).toEqual(Object.fromEntries(Object.keys(owners).map((name) => [name, owner])));
}

async function must(dataDir: string, ...words: string[]): Promise<void> {
  const { code, err } = await run(words, { dataDir });
  expect({ words, code, err }).toMatchObject({ code: 0 });
}

it('the service, a backup, a rebuild and a restore leave files of its owner', async () => {
  const dataDir = ownedFolder('data');
  const service = await startService({}, { dataDir });
  try {
    await service.must('POST', '/zones', { name: 'kept.example', ...soa });
    const statsOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false });
    const socket = readdirSync(dataDir).find((name) => statsOf(name)?.isSocket());
    expect(socket).toBeDefined();
    await service.end();
    expectOwned(dataDir, 'zonebook.db', 'zonebook.lock', 'keys.key', 'epoch');
    const backup = join(folder, 'copy.db');
    await must(dataDir, 'backup', backup);
    expectOwned(dataDir, 'last-backup');
    await must(dataDir, 'journal', 'rebuild');
    await must(dataDir, 'restore', backup);
    expectOwned(dataDir, 'zonebook.db', 'epoch');
    expect(readdirSync(dataDir).some((name) => name.includes('.before-restore-'))).toBe(true);
  } finally {
    await service[Symbol.asyncDispose]();
  }
});

it('a restore on another host does, where no service ran before', async () => {
  await using service = await startService();
  await service.must('POST', '/zones', { name: 'kept.example', ...soa });
  const backup = join(folder, 'copy.db');
  await must(service.dataDir, 'backup', backup);
  const dataDir = ownedFolder('new');
  const keyFile = join(service.dataDir, 'keys.key');
  const { code, err } = await run(['restore', backup], {
    dataDir,
    env: { ZONEBOOK_DNSSEC_KEY_ENCRYPTION_FILE: keyFile },
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  expectOwned(dataDir, 'zonebook.db', 'zonebook.lock', 'epoch');
});

/** What doctor says of files, with what to do. */
async function fileFindings(dataDir: string): Promise<string[]> {
  const { out } = await run(['doctor', '-o', 'json'], { dataDir });
  const { findings } = JSON.parse(out) as {
    findings: { check: string; result: string; message: string; what_to_do: string }[];
  };
  return findings
    .filter(({ check, result }) => check === 'files' && result === 'FAIL')
    .map(({ message, what_to_do }) => `${message} -> ${what_to_do}`);
}

it("doctor names all files that are another user's, and whom to give them to", async () => {
  const dataDir = ownedFolder('data');
  await using service = await startService({}, { dataDir });
  const names = ['zonebook.db', 'keys.key', 'zonebook.lock', 'epoch'];
  const isOther = myself.uid !== owner.uid;
  const expected = (text: (path: string) => string) =>
    isOther ? names.map((name) => text(join(dataDir, name))) : [];
  const give = ({ uid, gid }: typeof owner) => {
    for (const name of readdirSync(dataDir)) chownSync(join(dataDir, name), uid, gid);
  };
  // The service of this test runs as this user, whatever the folder says.
  const running = await fileFindings(dataDir);
  const says = (path: string) =>
    `${path} belongs to user ${owner.uid}, the service runs as user ${myself.uid} -> chown ${myself.uid} ${path}`;
  expect(running).toEqual(expect.arrayContaining(expected(says)));
  await service.end();
  give(myself);
  const mixed = (path: string) =>
    `${path} belongs to user ${myself.uid}, its folder to user ${owner.uid} -> ` +
    'give the folder and all in it to the user of the service (chown -R)';
  expect(await fileFindings(dataDir)).toEqual(expect.arrayContaining(expected(mixed)));
  give(owner);
  expect(await fileFindings(dataDir)).toEqual([]);
});
