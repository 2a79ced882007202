/** The guard against what empties zones: a primary that lost half of its zone, an empty cluster, an emptied source. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildOctodns } from '../../scripts/octodns/build.ts';
import { run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { startPrimary } from '../support/primaries.ts';
import {
  ControllerBench,
  findController,
  type SourceEndpoint,
} from '../support/real-controller.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, sendUpdate } from '../support/updaters.ts';

const zone = 'guarded.example';

async function started(): Promise<RunningService> {
  const service = await startService();
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

const hosts = (count: number) =>
  Array.from({ length: count }, (_, at) => `h${at} 60 A 192.0.2.${at}`);

const countOf = async (service: RunningService): Promise<number> =>
  (await service.must('GET', `/records?zone_name=${zone}&limit=1`)).pagination.total;

needsPeers('named')('a transfer from named', () => {
  it('that has lost half of its zone is held, and let through with the exact number', async () => {
    const service = await started();
    await makeZoneOf(service, zone, ...hosts(100));
    const soa = '@ 3600 IN SOA ns1.example.net. hostmaster.example.net. 7 7200 900 1209600 300';
    const lines = [
      '@ 3600 IN NS ns1.example.net.',
      ...hosts(50).map((each) => each.replace(' A', ' IN A')),
    ];
    const primary = await startPrimary('named', zone, `${[soa, ...lines].join('\n')}\n`);
    onTestFinished(() => primary[Symbol.asyncDispose]());
    const line = `zone import ${zone} --from-server 127.0.0.1:${primary.port} --mode replace`;
    const cli = (more: string) => run(`${line}${more}`.split(' '), { dataDir: service.dataDir });
    const held = await cli('');
    expect([held.code, held.err]).toEqual([4, expect.stringContaining('(GUARDED)')]);
    expect(held.err).toContain('it deletes 50 of 101 records');
    const dry = await cli(' --dry-run');
    expect([dry.code, dry.err]).toEqual([0, expect.stringContaining('--allow-deletes 50')]);
    expect((await cli(' --allow-deletes 49')).code).toBe(4);
    expect(await countOf(service)).toBe(101);
    expect((await cli(' --allow-deletes 50')).code).toBe(0);
    expect(await countOf(service)).toBe(51);
  });
});

needsPeers('nsupdate')('an UPDATE', () => {
  it('that deletes too much is REFUSED', async () => {
    const service = await started();
    await makeZoneOf(service, zone, ...hosts(100));
    const key = await makeUpdateKey(service, 'ddns', zone);
    const target = { port: service.dnsPort, zone, key };
    const remove = (count: number) =>
      Array.from({ length: count }, (_, at) => `update delete h${at}.${zone}. A`);
    expect(await sendUpdate('nsupdate', target, ...remove(31))).toBe('REFUSED');
    expect(await countOf(service)).toBe(101);
    expect(await sendUpdate('nsupdate', target, ...remove(30))).toBe('NOERROR');
    await service.must('PUT', `/zones/${zone}`, { guard: { max_delete_percent: 100 } });
    expect(await sendUpdate('nsupdate', target, ...remove(71))).toBe('NOERROR');
    expect(await countOf(service)).toBe(30);
  });

  it('that replaces a value deletes nothing', async () => {
    const service = await started();
    await makeZoneOf(service, zone, ...hosts(3));
    await service.must('PUT', `/zones/${zone}`, { guard: { max_deletes: 0 } });
    const key = await makeUpdateKey(service, 'mover', zone);
    const target = { port: service.dnsPort, zone, key };
    const remove = `update delete h1.${zone}. A`;
    expect(await sendUpdate('nsupdate', target, remove)).toBe('REFUSED');
    const add = `update add h1.${zone}. 60 A 192.0.2.66`;
    expect(await sendUpdate('nsupdate', target, remove, add)).toBe('NOERROR');
    expect(await countOf(service)).toBe(4);
  });

  it('that adds to what is protected is REFUSED', async () => {
    const service = await started();
    await makeZoneOf(service, zone, ...hosts(2));
    const guard = { protect: [{ name: '@', type: 'NS' }, { name: 'h0' }] };
    await service.must('PUT', `/zones/${zone}`, { guard });
    const key = await makeUpdateKey(service, 'adder', zone);
    const target = { port: service.dnsPort, zone, key };
    const add = (record: string) => sendUpdate('nsupdate', target, `update add ${record}`);
    expect(await add(`${zone}. 3600 NS rogue.example.`)).toBe('REFUSED');
    expect(await add(`h0.${zone}. 60 A 192.0.2.66`)).toBe('REFUSED');
    expect(await add(`h1.${zone}. 60 A 192.0.2.66`)).toBe('NOERROR');
    expect(await countOf(service)).toBe(4);
  });
});

let python = '';
try {
  python = await buildOctodns();
  process.env.PATH = [dirname(python), process.env.PATH].join(delimiter);
} catch (error) {
  console.warn(`octoDNS can not be installed here: ${String(error)}`);
}

/** One run of octoDNS from a directory to a zone, by transfer and UPDATE; it is told to mean what it does. */
async function octodns(folder: string): Promise<{ readonly code: number; readonly said: string }> {
  const words = ['-m', 'octodns.cmds.sync', '--config-file', join(folder, 'config.yaml')];
  return new Promise((resolve) => {
    execFile(python, [...words, '--doit', '--force'], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, said: `${stdout}${stderr}`.slice(-1500) });
    });
  });
}

needsPeers('octodns-sync')('an octoDNS run', () => {
  it('whose source has lost all records is held', async () => {
    const service = await started();
    await makeZoneOf(service, zone, ...hosts(100));
    const key = await makeUpdateKey(service, 'octodns', zone, [
      { actions: ['zone:transfer', 'record:read', 'record:create', 'record:delete'] },
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-octodns-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'zones'));
    const lineOf = (at: number) => `h${at}: {type: A, ttl: 60, value: 192.0.2.${at}}\n`;
    const write = (count: number) => {
      const lines = Array.from({ length: count }, (_, at) => lineOf(at));
      writeFileSync(join(folder, 'zones', `${zone}.yaml`), `---\n${lines.join('')}`);
    };
    writeFileSync(
      join(folder, 'config.yaml'),
      `providers:
  files: {class: octodns.provider.yaml.YamlProvider, directory: ${join(folder, 'zones')}, enforce_order: false}
  served:
    {class: octodns_bind.Rfc2136Provider, host: 127.0.0.1, port: ${service.dnsPort},
     key_name: ${key.name}, key_secret: ${key.secret}, key_algorithm: ${key.algorithm}}
zones:
  ${zone}.: {sources: [files], targets: [served]}
`,
    );
    write(100);
    const same = await octodns(folder);
    expect([same.code, same.said]).toEqual([0, expect.any(String)]);
    expect(await countOf(service)).toBeGreaterThanOrEqual(100);
    const before = await countOf(service);
    // A directory without the file is refused by octoDNS itself.
    write(0);
    const empty = await octodns(folder);
    expect([empty.code, empty.said]).toEqual([1, expect.stringContaining('REFUSED')]);
    expect(await countOf(service)).toBe(before);
    await service.must('PUT', `/zones/${zone}`, { guard: { max_delete_percent: 100 } });
    expect((await octodns(folder)).code).toBe(0);
    expect(await countOf(service)).toBeLessThan(3);
  });
});

const reason = await findController();
if (reason !== undefined) console.warn(`the controller can not be built here: ${reason}`);

needsPeers('external-dns', 'external-dns-source')('a sync of ExternalDNS', () => {
  it('from an empty cluster is held', async () => {
    const bench = await ControllerBench.open([zone]);
    onTestFinished(() => bench.close());
    const endpoints: SourceEndpoint[] = Array.from({ length: 30 }, (_, at) => {
      return { dnsName: `h${at}.${zone}`, recordType: 'A', targets: [`192.0.2.${at}`] };
    });
    expect((await bench.sync(endpoints)).code).toBe(0);
    const before = await bench.held(zone);
    expect(before.length).toBeGreaterThan(30);
    expect((await bench.sync([])).code).toBe(0);
    expect(await bench.held(zone)).toEqual(before);
    const reasons = (await bench.problems()).map(({ reason: why }) => why);
    expect(reasons).toEqual(before.map(() => 'guarded'));
    // Whoever means it lets the zone be emptied.
    await bench.local('PUT', `/zones/${zone}`, { guard: { max_delete_percent: 100 } });
    expect((await bench.sync([])).code).toBe(0);
    expect(await bench.held(zone)).toEqual([]);
    expect(await bench.problems()).toEqual([]);
  });
});
