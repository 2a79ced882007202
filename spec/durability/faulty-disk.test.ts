/**
 * A disk that fails under a running service: what was acknowledged is there afterwards, what was refused is not, /health
 * tells the truth, reads and DNS go on, and writes come back by themselves.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import {
  optRecord,
  readAnswer,
  requestMessage,
  wireName,
  wireRecord,
} from '../support/dns-messages.ts';
import { askByTcp, askByUdp } from '../support/exchanges.ts';
import { type DiskFaults, FaultyDisk } from '../support/faulty-disk.ts';
import { isLong } from '../support/long.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { programCommand } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'disk.example';
const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

/** Why no change can be written, and which counter of the disk shows that it was so. */
const faults: readonly (readonly [string, DiskFaults, 'writes' | 'syncs'])[] = [
  ['is full', { write: 'ENOSPC' }, 'writes'],
  ['is full in the middle of a commit', { write: 'ENOSPC', passes: 3 }, 'writes'],
  ['fails writes', { write: 'EIO' }, 'writes'],
  ['fails to sync, and keeps what was written', { sync: 'EIO' }, 'syncs'],
  ['fails to sync once and loses what was written', { sync: 'EIO', loses: 1 }, 'syncs'],
  ['becomes read-only', { write: 'EROFS', open: 'EROFS' }, 'writes'],
];

/** A disk that only takes its time. */
const slow: readonly (readonly [string, DiskFaults])[] = [
  ['takes 5 ms for each sync', { syncDelayUs: 5000 }],
  ['takes 20 ms for each sync', { syncDelayUs: 20_000 }],
  ['writes no more than 100 bytes at once', { mostBytes: 100 }],
];

/** Played in a long run only: others fail in the same places. */
const skipped = new Set([
  'is full in the middle of a commit',
  'fails writes',
  'takes 5 ms for each sync',
]);

interface Setting {
  readonly service: RunningService;
  readonly disk: FaultyDisk;
}

async function setUp(env: Record<string, string> = {}): Promise<Setting & AsyncDisposable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-'));
  const disk = new FaultyDisk(dataDir);
  const service = await startService(
    { ...disk.env, ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false', ...env },
    { dataDir },
  );
  await service.must('POST', '/zones', { name: zone, ...soa });
  return {
    service,
    disk,
    async [Symbol.asyncDispose]() {
      disk.recover();
      await service[Symbol.asyncDispose]();
      disk[Symbol.dispose]();
    },
  };
}

const create = (service: RunningService, name: string) =>
  service.call('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.1' });

/** The owners of A records that the API shows. */
async function owners(service: RunningService): Promise<string[]> {
  const found: string[] = [];
  for (let more = true; more; ) {
    const path = `/records?zone_name=${zone}&type=A&limit=1000&offset=${found.length}`;
    const { items } = await service.must('GET', path);
    for (const { name } of items) found.push(name.slice(0, -zone.length - 2));
    more = items.length === 1000;
  }
  return found;
}

/** Waits until it can write again, or has ended by itself; whether it is the former. */
async function isBack(service: RunningService): Promise<boolean> {
  const health = () => service.call('GET', '/health').catch(() => undefined);
  await expect.poll(async () => !service.isRunning || (await health())?.status === 200).toBe(true);
  return service.isRunning;
}

async function comesBack(service: RunningService): Promise<void> {
  expect(await isBack(service)).toBe(true);
}

/** How often it has said something. */
const times = (service: RunningService, said: string) => service.output.split(said).length - 1;

/**
 * Waits until the index of searches has all that was written. What goes into it is not synced by itself, and a disk
 * that loses that ends the process, as a test of its own has it.
 */
async function untilIndexed(service: RunningService): Promise<void> {
  const remains = async () => {
    const { complete_to, deleted_from } = await service.must('GET', '/search?q=a');
    return complete_to === null || deleted_from > 1;
  };
  await expect.poll(remains).toBe(false);
}

async function metric(service: RunningService, name: string): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)![1]);
}

const opcodeUpdate = 5 << 11;
function updateMessage(owner: string): Buffer {
  const record = wireRecord(`${owner}.${zone}`, 'A', Buffer.from([192, 0, 2, 1]));
  record.writeUInt32BE(300, wireName(`${owner}.${zone}`).length + 4);
  const fields = { name: zone, type: 'SOA', flags: opcodeUpdate, authority: [record] };
  return requestMessage({ ...fields, additional: [optRecord()] });
}

/** Writes of every kind, by every way in; all are valid. */
const writes: readonly (readonly [string, string, object?])[] = [
  ['POST', '/records', { zone_name: zone, name: 'more', type: 'A', value: '192.0.2.9' }],
  ['PUT', '/records/2', { value: '192.0.2.9' }],
  ['DELETE', '/records/2'],
  ['POST', '/zones', { name: 'other.example', ...soa }],
  ['PUT', `/zones/${zone}`, { refresh: 1000 }],
  ['DELETE', `/zones/${zone}`],
  ['POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] }],
  ['POST', '/tokens', { name: 'one', role_name: 'admin' }],
  ['POST', '/tsig-keys', { name: 'one.example', role_name: 'admin' }],
  ['POST', '/secondaries', { name: 'one', address: '192.0.2.53' }],
  [
    'POST',
    '/records',
    { zone_name: zone, name: 'd', type: 'A', value: '192.0.2.9', dry_run: true },
  ],
];

async function expectRefused(service: RunningService, method: string, path: string, body?: object) {
  const answer = await fetch(`http://127.0.0.1:${service.apiPort}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const { code } = (await answer.json()) as { code: string };
  const seen = [method, path, answer.status, code, Number(answer.headers.get('Retry-After')) > 0];
  expect(seen).toEqual([method, path, 503, 'STORAGE_UNAVAILABLE', true]);
}

async function expectReads(service: RunningService, present: readonly string[]): Promise<void> {
  expect((await service.call('GET', `/zones/${zone}`)).status).toBe(200);
  expect(await owners(service)).toEqual(expect.arrayContaining([...present]));
  expect((await service.call('GET', `/zones/${zone}/versions`)).status).toBe(200);
  expect((await service.call('GET', '/tokens')).status).toBe(200);
  expect((await service.call('GET', '/secondaries')).status).toBe(200);
  const [first] = present;
  const request = requestMessage({ name: `${first}.${zone}`, type: 'A' });
  expect(readAnswer(await askByUdp(service.dnsPort, request)).answers).toHaveLength(1);
  expect(readAnswer(await askByTcp(service.dnsPort, request)).answers).toHaveLength(1);
}

/** The journal and all tables, as the command line proves them. */
async function expectWhole({ dataDir }: RunningService): Promise<void> {
  const command = `${programCommand} journal verify --data-dir ${dataDir} -o json`;
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  expect(JSON.parse(stdout)).toMatchObject({ intact: true, findings: [] });
}

needsPeers('cc')('case 116: a disk that', () => {
  let setting: Setting & AsyncDisposable;
  beforeAll(async () => {
    setting = await setUp();
  });
  afterAll(() => setting[Symbol.asyncDispose]());

  const acknowledged: string[] = [];
  const keep = async (service: RunningService) => {
    const name = `a${acknowledged.length}`;
    expect((await create(service, name)).status).toBe(201);
    acknowledged.push(name);
  };

  it.each(isLong ? faults : faults.filter(([title]) => !skipped.has(title)))(
    '%s',
    async (_, fault, counter) => {
      const { service, disk } = setting;
      for (let count = 0; count < 3; count++) await keep(service);
      if (fault.loses === 1) await untilIndexed(service);

      const failedBefore = disk.failed[counter];
      disk.fail(fault);
      for (const [method, path, body] of writes) await expectRefused(service, method, path, body);
      expect(disk.failed[counter]).toBeGreaterThan(failedBefore);
      const update = readAnswer(await askByUdp(service.dnsPort, updateMessage('updated')));
      expect([update.rcode, update.extendedErrors]).toEqual(['SERVFAIL', [22]]);
      expect(await service.call('GET', '/health')).toMatchObject({
        status: 503,
        body: {
          status: 'unhealthy',
          storage: expect.stringMatching(/^(full|io|readonly)$/),
          what_to_do: expect.any(String),
        },
      });
      await expectReads(service, acknowledged);
      expect(await metric(service, 'zonebook_storage_writable')).toBe(0);
      await expect
        .poll(() => service.output)
        .toMatch(/error storage\.unavailable kind=\w+ code=\w+/);

      disk.recover();
      await comesBack(service);
      expect(await metric(service, 'zonebook_storage_writable')).toBe(1);
      await expect.poll(() => service.output).toContain('storage.available');
      await keep(service);
      const owner = `a${acknowledged.length}`;
      expect(readAnswer(await askByUdp(service.dnsPort, updateMessage(owner))).rcode).toBe(
        'NOERROR',
      );
      acknowledged.push(owner);
      expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());

      // A second time, with the end of the process before the disk is better: what was refused may stand in the WAL.
      if (!isLong && counter !== 'syncs') return;
      if (fault.loses === 1) await untilIndexed(service);
      disk.fail(fault);
      await expectRefused(service, ...writes[0]!);
      await service.end('SIGKILL');
      disk.recover();
      await service.start();
      expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());
      await expectReads(service, acknowledged);
    },
  );

  it('loses what was never synced, and acknowledged to nobody, ends the process, and the next has all', async () => {
    await using own = await setUp();
    const { service, disk } = own;
    const names: string[] = [];
    // A sync of something else may come between: then nothing is lost, and it goes on.
    for (let attempt = 0; attempt < 10 && service.isRunning; attempt++) {
      await untilIndexed(service);
      disk.fail({ loses: 1 });
      expect((await create(service, `a${attempt}`)).status).toBe(201);
      names.push(`a${attempt}`);
      await untilIndexed(service);
      disk.fail({ sync: 'EIO', loses: 1 });
      const refused = await create(service, 'refused').catch(() => undefined);
      expect(refused?.status).not.toBe(201);
      disk.recover();
      await isBack(service);
    }
    expect(service.isRunning).toBe(false);
    await service.end();
    expect(service.output).toContain('error storage.lost');
    await service.start();
    expect(await owners(service)).toEqual(names);
    await untilIndexed(service);
    const { records } = await service.must('GET', `/search?q=${names.at(-1)}.${zone}`);
    expect(records).toHaveLength(1);
    await service.end();
    await expectWhole(service);
  });

  it('does not answer', async () => {
    const { service, disk } = setting;
    await keep(service);
    disk.fail({ syncDelayUs: -1 });
    const standing = create(service, `a${acknowledged.length}`);
    await expect
      .poll(async () => (await service.call('GET', '/health')).status, { timeout: patienceMs })
      .toBe(503);
    for (const [method, path, body] of writes) await expectRefused(service, method, path, body);
    const update = readAnswer(await askByUdp(service.dnsPort, updateMessage('updated')));
    expect([update.rcode, update.extendedErrors]).toEqual(['SERVFAIL', [22]]);
    await expectReads(service, acknowledged);
    expect(await metric(service, 'zonebook_storage_writable')).toBe(0);
    await expect.poll(() => service.output).toContain('error storage.unavailable kind=stalled');

    disk.recover();
    expect((await standing).status).toBe(201);
    acknowledged.push(`a${acknowledged.length}`);
    await comesBack(service);
    await keep(service);
    expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());
  });

  it('fails reads', async () => {
    const { service, disk } = setting;
    await keep(service);
    // The threads that read are new.
    await service.end('SIGKILL');
    await service.start();
    disk.fail({ read: 'EIO' });
    // A thread reads it, which opens the database only now: nothing is in its memory.
    const read = `/zones/${zone}/export`;
    expect(await service.call('GET', read)).toMatchObject({
      status: 503,
      body: { code: 'STORAGE_UNAVAILABLE' },
    });
    expect(disk.failed.reads).toBeGreaterThan(0);
    expect((await service.call('GET', '/health')).status).toBe(503);
    await expect.poll(() => service.output).toContain('storage.failed kind=io');
    disk.recover();
    expect((await service.call('GET', read)).status).toBe(200);
    // It is told of for some seconds, so that who looks now and then hears of it.
    if (isLong) await comesBack(service);
    else {
      await service.end('SIGKILL');
      await service.start();
    }
    await keep(service);
    expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());
  });

  it.each(isLong ? slow : slow.filter(([title]) => !skipped.has(title)))(
    '%s loses nothing of what many write',
    async (_, fault) => {
      const { service, disk } = setting;
      disk.fail(fault);
      const names = Array.from({ length: isLong ? 500 : 50 }, () => '').map(
        (__, index) => `a${acknowledged.length + index}`,
      );
      const answers = await Promise.all(names.map((name) => create(service, name)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      acknowledged.push(...names);
      expect((await service.call('GET', '/health')).status).toBe(200);
      if ('mostBytes' in fault) expect(disk.failed.shortened).toBeGreaterThan(0);
      await service.end('SIGKILL');
      disk.recover();
      await service.start();
      expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());
    },
  );

  it('fails under what the service does by itself loses nothing of it, and ends nothing', async () => {
    await using own = await setUp({
      ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1',
      ZONEBOOK_DNS_ZONE_HISTORY_RETENTION_DAYS: '1',
    });
    const { service, disk } = own;
    await service.must('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:9' });
    await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
    const { pid } = service;
    const runs = async () => {
      const { body } = await service.call('GET', '/metrics');
      const counts = body.matchAll(/^zonebook_dnssec_scheduler_runs_total\{.*\} (\d+)$/gm);
      return [...counts].reduce((sum: number, [, count]) => sum + Number(count), 0);
    };
    for (const fault of [{ write: 'EIO' }, { write: 'ENOSPC', read: 'EIO' }] as const) {
      disk.fail(fault);
      await expectRefused(service, ...writes[0]!);
      const transfer = requestMessage({ name: zone, type: 'AXFR' });
      await askByTcp(service.dnsPort, transfer);
      const before = await runs();
      await expect.poll(runs).toBeGreaterThan(before + 1);
      disk.recover();
      await expect
        .poll(async () => (await service.call('PUT', `/zones/${zone}`, { refresh: 1000 })).status)
        .toBe(200);
    }
    const { transfers } = await service.must('GET', '/secondaries/ns2/transfers');
    expect(transfers).toMatchObject([{ zone_name: zone }]);
    expect(service.pid).toBe(pid);
    expect(service.output).not.toMatch(/service\.stopp|assertion failed|UnhandledPromise/);
    if (!isLong) return;
    await service.end();
    await expectWhole(service);
  });

  it('says so to a start that has no room, and a later one finds everything', async () => {
    const { service, disk } = setting;
    await keep(service);
    await service.end('SIGKILL');
    disk.fail({ write: 'ENOSPC' });
    const { code, said } = await service.refusal();
    // Not 6, after which systemd does not try again.
    expect([code, said]).toEqual([1, expect.stringContaining('the disk of the database is full')]);
    disk.recover();
    await service.start();
    expect((await owners(service)).toSorted()).toEqual(acknowledged.toSorted());
    await service.end();
    await expectWhole(service);
    await service.start();
  });
});

/** Whole numbers below a bound, the same ones for each seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Callers who create records one after the other until they are told to stop, and what each was told. */
class Callers {
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly #unexpected: unknown[] = [];
  #stopped = false;
  #last = 0;
  #running: Promise<unknown> = Promise.resolve();

  start(service: RunningService, count: number): void {
    this.#stopped = false;
    this.#running = Promise.all(Array.from({ length: count }, () => this.#work(service)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    expect(this.#unexpected).toEqual([]);
  }

  async #work(service: RunningService): Promise<void> {
    while (!this.#stopped) {
      const name = `n${++this.#last}`;
      const answer = await create(service, name).catch(() => undefined);
      // Killed: nobody knows.
      if (answer === undefined) return;
      if (answer.status === 201) this.acknowledged.add(name);
      else if (answer.body.code === 'STORAGE_UNAVAILABLE') this.refused.add(name);
      else this.#unexpected.push(answer);
      if (answer.status !== 201) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const seeds = Array.from({ length: isLong ? 20 : 1 }, (_, index) => index + 1);
const rounds = isLong ? 12 : 2;

needsPeers('cc')(
  'case 116: invariant 5: a disk that fails again and again, and kills between',
  () => {
    it.each(
      seeds.flatMap((seed) =>
        isLong
          ? [
              [seed, 3],
              [seed, 120],
            ]
          : [[seed, 120]],
      ),
    )(
      'keeps what was acknowledged and nothing that was refused (seed %i, %i callers)',
      async (seed, count) => {
        const next = numbers(seed);
        await using setting = await setUp({ ZONEBOOK_LOGGING_LEVEL: 'warn' });
        const { service, disk } = setting;
        const callers = new Callers();
        callers.start(service, count);
        for (let round = 0; round < rounds; round++) {
          const known = callers.acknowledged.size;
          await expect.poll(() => callers.acknowledged.size).toBeGreaterThan(known + 20);
          const [, fault] = faults[next(faults.length)]!;
          const refused = callers.refused.size;
          const failures = times(service, 'storage.unavailable');
          const losses = times(service, 'storage.lost');
          disk.fail({ ...fault, passes: next(40) });
          const isFailing = () =>
            callers.refused.size > refused && times(service, 'storage.unavailable') > failures;
          await expect.poll(() => !service.isRunning || isFailing()).toBe(true);
          const isKilled = next(2) === 0;
          if (!isKilled) disk.recover();
          if (!isKilled && (await isBack(service))) continue;
          const isEnded = !service.isRunning;
          await service.end('SIGKILL');
          await callers.stop();
          // It ends by itself only where the disk loses what callers do not wait for.
          const lost = times(service, 'storage.lost') - losses;
          if (isEnded) expect([fault.loses, lost]).toEqual([1, 1]);
          disk.recover();
          await service.start();
          callers.start(service, count);
        }
        await callers.stop();
        await service.end('SIGKILL');
        await service.start();
        const there = new Set(await owners(service));
        expect([...callers.acknowledged].filter((name) => !there.has(name))).toEqual([]);
        expect([...callers.refused].filter((name) => there.has(name))).toEqual([]);
        await service.end();
        await expectWhole(service);
      },
    );
  },
);

needsPeers('cc')('the command line of a service whose disk is full', () => {
  it('says so and what to do, and examines what answers all the same', async () => {
    await using setting = await setUp();
    const { service, disk } = setting;
    disk.fail({ write: 'ENOSPC' });
    const { dataDir } = service;
    const cli = (...words: string[]) => run(words, { dataDir });
    const refused = await cli('record', 'create', zone, 'www', 'A', '192.0.2.1');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("is full (STORAGE_UNAVAILABLE); 'zonebook status' tells"),
    ]);
    const status = await cli('status');
    expect([status.code, status.err]).toEqual([
      1,
      expect.stringMatching(/is unhealthy: the disk of the database is full; make room/),
    ]);
    const env = {
      ZONEBOOK_API_LISTEN_PORT: String(service.apiPort),
      ZONEBOOK_DNS_LISTEN_PORT: String(service.dnsPort),
    };
    const { out } = await run(['doctor', '-o', 'json'], { dataDir, env });
    const results: { check: string; result: string; message: string }[] = JSON.parse(out).findings;
    const found = (wanted: string) => results.find(({ check }) => check === wanted);
    expect(found('api')).toMatchObject({
      result: 'FAIL',
      message: expect.stringContaining('unhealthy: the disk of the database is full'),
    });
    expect(found('api network')).toMatchObject({
      result: 'FAIL',
      message: expect.stringMatching(/answers status 503$/),
    });
    expect(found('dns')).toMatchObject({ result: 'OK' });
  });
});
