/** Keys of BIND move in and out on the host, and the zone stays what its parent vouches for. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, run } from '../support/command-line.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const exec = promisify(execFile);

needsPeers(
  'dnssec-keygen',
  'dnssec-verify',
  'dnssec-dsfromkey',
)('keys of BIND', () => {
  let folder: string;
  let dataDir: string;
  let service: RunningService;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'zonebook-keys-'));
    service = await startService();
    ({ dataDir } = service);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const zonebook = async (...args: string[]): Promise<Ran> => {
    return run([...args, '-o', 'json'], { dataDir });
  };
  const good = async (...args: string[]) => {
    const ran = await zonebook(...args);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    return ran.out === '' ? undefined : JSON.parse(ran.out);
  };
  const keygen = async (...args: string[]) =>
    (await exec(peer('dnssec-keygen')!, ['-K', folder, ...args, 'example.com'])).stdout.trim();

  it('sign a zone that moves here with its DS, and go out as they came', async () => {
    const base = await keygen('-a', 'ECDSAP256SHA256', '-f', 'KSK');
    await good(
      'zone',
      'create',
      'example.com',
      '--mname',
      'ns1.example.com',
      '--rname',
      'h@example.com',
    );
    await good('record', 'create', 'example.com', 'www', 'A', '192.0.2.1');
    const running = await zonebook(
      'dnssec',
      'key',
      'import',
      'example.com',
      '--file',
      join(folder, base),
    );
    expect(running).toMatchObject({
      code: 4,
      err: expect.stringMatching(/stop the service first/),
    });
    await service.end();

    const without = await zonebook(
      'dnssec',
      'key',
      'import',
      'example.com',
      '--file',
      join(folder, base),
    );
    expect(without).toMatchObject({ code: 1, err: expect.stringMatching(/parent_ns_addrs/) });
    const wanted = ['--file', join(folder, base), '--parent-ns', '127.0.0.1:9'];
    const unfit = [...wanted, '--file', join(folder, base)];
    expect(await zonebook('dnssec', 'key', 'import', 'example.com', ...unfit)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/name a policy that fits with --policy/),
    });
    await good('dnssec', 'key', 'import', 'example.com', ...wanted);

    await service.start();
    const status = await good('dnssec', 'status', 'example.com');
    const { stdout } = await exec(peer('dnssec-dsfromkey')!, ['-2', join(folder, base)]);
    expect(stdout).toContain(status.ds_records[0].presentation.split(' ').slice(0, 3).join(' '));
    const exported = await run(['zone', 'export', 'example.com', '--signed'], { dataDir });
    const file = join(folder, 'signed');
    writeFileSync(file, exported.out);
    await exec(peer('dnssec-verify')!, ['-z', '-o', 'example.com', file]);

    const out = join(folder, 'out');
    expect(
      await zonebook('dnssec', 'key', 'export', 'example.com', '--directory', out),
    ).toMatchObject({
      code: 1,
    });
    const { files } = await good('dnssec', 'key', 'export', 'example.com', '--directory', dataDir);
    expect(files).toHaveLength(2);
    for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600);
    const numbers = (path: string) => /^PrivateKey: .*$/m.exec(readFileSync(path, 'utf8'))?.[0];
    expect(numbers(files[1])).toBe(numbers(join(folder, `${base}.private`)));
    const again = await zonebook('dnssec', 'key', 'export', 'example.com', '--directory', dataDir);
    expect(again).toMatchObject({ code: 4, err: expect.stringMatching(/already exists/) });
    await service.end();

    const next = await keygen('-a', 'ECDSAP256SHA256', '-f', 'KSK');
    await good('dnssec', 'key', 'import', 'example.com', '--file', join(folder, `${next}.private`));
    await service.start();
    const rolling = await good('dnssec', 'status', 'example.com');
    expect(rolling.keys.map(({ state }: { state: string }) => state)).toEqual([
      'active',
      'published',
    ]);
    expect(readdirSync(dataDir).join(' ')).toContain('zonebook.db');
  });
});
