/** Keys of BIND move in and out on the host, and the zone stays what its parent vouches for. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, run } from '../support/command-line.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { privateNumber } from '../support/private-number.ts';
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
    expect(without).toMatchObject({
      code: 1,
      err: expect.stringMatching(/--parent-ns: at least one/),
    });
    const wanted = ['--file', join(folder, base), '--parent-ns', '127.0.0.1:9'];
    const unfit = [...wanted, '--file', join(folder, base)];
    expect(await zonebook('dnssec', 'key', 'import', 'example.com', ...unfit)).toMatchObject({
      code: 1,
      err: expect.stringContaining('2 KSK or CSK (flags 257) of ecdsap256sha256;'),
    });
    const why = ['--reason', 'moves here', '--reference', 'OPS-3'];
    await good('dnssec', 'key', 'import', 'example.com', ...wanted, ...why);

    await service.start();
    const { items } = await service.must('GET', '/events?kind=zone.signed&limit=1');
    const actor = { kind: 'local', claimed: true };
    expect(items).toMatchObject([{ actor, reason: 'moves here', reference: 'OPS-3' }]);
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
    const numberIn = (path: string) => privateNumber(readFileSync(path, 'utf8'));
    expect(numberIn(files[1])).toEqual(expect.any(BigInt));
    expect(numberIn(files[1])).toBe(numberIn(join(folder, `${base}.private`)));
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
  it('that can not sign a zone together are refused with what was found', async () => {
    await using other = await startService();
    const name = 'refused.example';
    await other.must('POST', '/zones', { name, mname: 'ns.test', rname: 'h@test' });
    await other.end();
    const make = async (...args: string[]) => {
      const words = ['-K', folder, '-a', ...args, name];
      return join(folder, (await exec(peer('dnssec-keygen')!, words)).stdout.trim());
    };
    const ksk = await make('ECDSAP256SHA256', '-f', 'KSK');
    const zsks = [await make('ECDSAP256SHA256'), await make('ECDSAP256SHA256')];
    const edwards = await make('ED25519');
    const take = (...bases: string[]) => {
      const files = bases.flatMap((base) => ['--file', base]);
      const words = ['dnssec', 'key', 'import', name, ...files, '--parent-ns', '127.0.0.1:9'];
      return run(words, { dataDir: other.dataDir });
    };
    const refused = async (says: string, ...bases: string[]) => {
      const { code, err } = await take(...bases);
      expect([code, err]).toEqual([1, expect.stringContaining(says)]);
    };
    const p256 = (count: number, role: string) => `${count} ${role} of ecdsap256sha256`;
    const [known, zsk] = [p256(1, 'KSK or CSK (flags 257)'), 'ZSK (flags 256)'];
    await refused(`the keys are ${p256(1, zsk)};`, zsks[0]!);
    await refused(`the keys are ${known}, ${p256(2, zsk)};`, ksk, ...zsks);
    await refused(`the keys are ${known}, 1 ${zsk} of ed25519;`, ksk, edwards);

    // What BIND says of a key that it has put out of use.
    const file = `${zsks[0]}.private`;
    const text = readFileSync(file, 'utf8');
    for (const field of ['Inactive', 'Delete']) {
      writeFileSync(file, `${text}${field}: 20260101000000 (Thu Jan  1 00:00:00 2026)\n`);
      await refused(`since 2026-01-01T00:00:00Z, as the ${field} time`, ksk, zsks[0]!);
    }
    writeFileSync(file, `${text}Inactive: 29990101000000 (Tue Jan  1 00:00:00 2999)\n`);
    await refused('name a policy that fits with --policy', ksk, zsks[0]!);
    expect((await take(ksk)).code).toBe(0);
    // One that is signed with a CSK takes another CSK only.
    await refused(`the keys are ${p256(1, zsk)}; this zone is signed and takes one CSK`, zsks[1]!);
  });

  it('of a folder are taken zone by zone, and each is reported', async () => {
    await using other = await startService();
    const keys = mkdtempSync(join(folder, 'many-'));
    const make = async (zone: string, ...args: string[]) => {
      const words = ['-K', keys, '-a', 'ECDSAP256SHA256', '-f', 'KSK', ...args, zone];
      return (await exec(peer('dnssec-keygen')!, words)).stdout.trim();
    };
    const names = ['a.example', 'b.example', '0/25.2.0.192.in-addr.arpa'];
    const bases = [];
    for (const name of names) {
      await other.must('POST', '/zones', { name, mname: 'ns.test', rname: 'h@test' });
      bases.push(await make(name));
    }
    await make('elsewhere.example');
    const broken = await make('c.example');
    await other.must('POST', '/zones', { name: 'c.example', mname: 'ns.test', rname: 'h@test' });
    writeFileSync(join(keys, `${broken}.private`), 'nothing');
    await other.end();
    const cli = (...args: string[]) =>
      run(['dnssec', 'key', 'import', ...args, '-o', 'json'], { dataDir: other.dataDir });
    const from = ['--directory', keys, '--parent-ns', '127.0.0.1:9'];

    const one = await cli('b.example', ...from);
    expect([one.code, JSON.parse(one.out).zone], one.err).toEqual([0, 'b.example']);
    const missing = await cli('d.example', ...from);
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining('no keys of zone')]);
    const all = await cli(...from);
    expect(all.code, all.err).toBe(1);
    const { items, summary } = JSON.parse(all.out);
    expect(summary).toEqual({ imported: 2, exists: 1, refused: 2 });
    const outcomes = items.map(({ zone, outcome }: Record<string, string>) => [zone, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      ...{ 'a.example': 'imported', 'b.example': 'exists', 'c.example': 'refused' },
      ...{ '0/25.2.0.192.in-addr.arpa': 'imported', 'elsewhere.example': 'refused' },
    });
    const error = (zone: string) =>
      items.find((each: { zone: string }) => each.zone === zone).error;
    expect(error('elsewhere.example')).toContain('does not exist');
    expect(error('c.example')).toBeTruthy();
    for (const args of [[], ['--file', 'x'], ['a.example', ...from, '--file', 'x']]) {
      expect((await cli(...args)).code).toBe(2);
    }

    await other.start();
    for (const [index, name] of names.entries()) {
      const path = `/zones/${encodeURIComponent(name)}/dnssec`;
      const { enabled, keys: held } = await other.must('GET', path);
      const tag = Number(bases[index]!.slice(-5));
      expect([enabled, held.map((key: { key_tag: number }) => key.key_tag)]).toEqual([true, [tag]]);
    }
    expect((await other.must('GET', '/zones/c.example/dnssec')).enabled).toBe(false);
  });
});
