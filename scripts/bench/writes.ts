/** Rows about single changes: creates over HTTP, dynamic updates, and DNS beside them. */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Bench, type BenchService, median, percentile, type Row } from './bench.ts';
import type { Seen } from './meanwhile.ts';
import { mixFor } from './mix.ts';

const zone = 'creates.example';
/** As a service that has been busy for some seconds: its code is compiled. */
const warmUp = 5000;
/** Where a row is about a slow disk, and the run names no other delay. */
const slowDiskMs = { dns: 20, creates: 5 };

/** A service with a zone that has taken some records. */
async function warmService(bench: Bench, fsyncDelayMs?: number): Promise<BenchService> {
  const service = await bench.service({}, fsyncDelayMs);
  await service.createZone(zone);
  const isSlow = (fsyncDelayMs ?? bench.options.fsyncDelayMs) > 0;
  const count = Math.min(isSlow ? warmUp / 10 : warmUp, bench.options.records);
  const { failed } = await bench.load({ ...loadOf(service), clients: 32, first: 0, count });
  if (failed > 0) throw new Error(`${failed} of ${count} creates were refused`);
  return service;
}

function loadOf({ running }: BenchService) {
  return { port: running.apiPort, zone, chunk: 1 };
}

async function creates(
  bench: Bench,
  clients: number,
  requests: number,
  fsyncDelayMs?: number,
): Promise<void> {
  await using service = await warmService(bench, fsyncDelayMs);
  const count = Math.min(requests, bench.options.records);
  const job = { ...loadOf(service), clients, first: warmUp, count };
  const { result, perOperation } = await bench.measured(service, () => bench.load(job));
  const { perSecond, failed, p50Ms, p99Ms } = result;
  bench.note('creates', perSecond, '/s', {
    remark: `failed ${failed}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    ...perOperation(count),
  });
}

/** DNS and health with nothing else to do, then beside so many clients that write all the time. */
async function dnsBeside(bench: Bench, clients: number, delayMs: number): Promise<void> {
  await using service = await warmService(bench, delayMs);
  const samples = [
    { name: 'DNS', asks: 'query', zone, everyMs: 2 },
    { name: 'health', asks: 'health', zone, everyMs: 10 },
    { name: 'health on a new connection', asks: 'newcomer', zone, everyMs: 10 },
  ] as const;
  const seconds = Math.min(20, Math.max(2, bench.options.records / 50_000));
  const pause = () => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const idle = await bench.beside(service, samples, pause);
  noteTimes(bench, idle.seen, 'idle', 0.99);
  const job = { ...loadOf(service), clients, first: warmUp, count: 10_000_000, seconds };
  const busy = await bench.beside(service, samples, () => bench.load(job));
  noteTimes(bench, busy.seen, `beside ${clients} writers`, 0.99);
  const { failed, perSecond } = busy.result;
  const remark = `+${delayMs} ms an fsync, failed ${failed}`;
  bench.note(`creates of the ${clients} writers`, perSecond, '/s', { remark });
}

export function noteTimes(bench: Bench, seen: Seen, when: string, share: number): void {
  for (const [name, times] of Object.entries(seen.times)) {
    const max = times.reduce((most, each) => Math.max(most, each), 0);
    bench.note(`${name} ${when}, p${share * 100}`, percentile(times, share), 'ms', {
      remark: `p50 ${median(times).toFixed(1)} ms, max ${max.toFixed(0)} ms, ${times.length} answers`,
    });
  }
}

/** The same creates with authentication off and by a token with a narrowed grant, in turn. */
async function access(bench: Bench): Promise<void> {
  await using open = await warmService(bench);
  await using guarded = await bench.service({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
  const zonebook = (...args: string[]) => {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const all = [main, ...args, '--data-dir', guarded.running.dataDir, '-o', 'json'];
    // What it warns of on the way is no matter of ours.
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return JSON.parse(execFileSync(process.execPath, all, { encoding: 'utf8', stdio }));
  };
  zonebook('zone', 'create', zone, '--mname', `ns1.${zone}`, '--rname', `h@${zone}`);
  zonebook('role', 'create', 'creators');
  const actions = ['--actions', 'record:create,record:read', '--zone', zone];
  zonebook('role', 'grant', 'creators', ...actions);
  const { secret } = zonebook('token', 'create', 'creator', '--role', 'creators');
  const count = Math.min(10_000, bench.options.records);
  const rates: { open: number[]; guarded: number[] } = { open: [], guarded: [] };
  const used: { open: number[]; guarded: number[] } = { open: [], guarded: [] };
  for (let round = 0; round < 4; round++) {
    for (const [who, service] of [
      ['open', open],
      ['guarded', guarded],
    ] as const) {
      const job = { ...loadOf(service), clients: 32, first: warmUp + round * count, count };
      const load = () => bench.load({ ...job, ...(who === 'guarded' && { token: secret }) });
      const { result, cpu } = await bench.measured(service, load);
      // The first round compiles.
      if (round === 0) continue;
      rates[who].push(result.perSecond);
      used[who].push(cpu.allMs);
    }
  }
  const share = (of: typeof rates) => (median(of.guarded) / median(of.open)) * 100;
  bench.note('creates by a granted token, of those with authentication off', share(rates), '%', {
    remark: `processor time ${share(used).toFixed(0)} % of it`,
  });
}

/** One change in the large zone and in a small one, and the IXFR that carries it. */
async function change(bench: Bench): Promise<void> {
  await using service = await bench.service();
  const { apiPort: port, dnsPort } = service.running;
  // Loopback may transfer only as a registered secondary.
  await service.running.must('POST', '/secondaries', { name: 'bench', address: '127.0.0.1:1' });
  const sizes = { 'small.example': 0, 'large.example': bench.options.records };
  for (const [name, count] of Object.entries(sizes)) {
    await service.createZone(name);
    await bench.load({ port, zone: name, chunk: 20_000, clients: 2, first: 0, count });
    const record = mixFor(name, bench.options.seed);
    const job = { port, zone: name, chunk: 1, clients: 1, first: count, count: 200 };
    const { result, perOperation } = await bench.measured(service, () => bench.load(job));
    bench.note(`one change in ${name}, p50`, result.p50Ms, 'ms', {
      remark: `p99 ${result.p99Ms.toFixed(1)} ms, last ${record(count).type}`,
      ...perOperation(result.records),
    });
    const { zone: now } = await service.running.must('GET', `/zones/${name}`);
    const transfer = await bench.script<{ seconds: number; bytes: number }>(
      'transfer.ts',
      dnsPort,
      name,
      now.serial - 1,
    );
    const remark = `${transfer.bytes} bytes`;
    bench.note(`IXFR of the last change in ${name}`, transfer.seconds * 1000, 'ms', { remark });
  }
}

export const writeRows: readonly Row[] = [
  {
    name: 'dns-beside-writers',
    what: 'DNS and /health idle and beside 8 API writers, on a disk whose fsync takes 20 ms longer',
    run: (bench) => dnsBeside(bench, 8, bench.options.fsyncDelayMs || slowDiskMs.dns),
  },
  {
    name: 'dns-beside-many',
    what: 'the same beside 500 API writers, each on a connection that is kept open',
    run: (bench) => dnsBeside(bench, 500, bench.options.fsyncDelayMs),
  },
  ...[1, 32, 200].map((clients) => ({
    name: `creates-${clients}`,
    what: `durable single creates by ${clients} client(s)`,
    run: (bench: Bench) => creates(bench, clients, clients === 1 ? 5000 : 30_000),
  })),
  {
    name: 'creates-slow-disk',
    what: 'durable single creates by 8 clients, on a disk whose fsync takes 5 ms longer',
    run: (bench) => creates(bench, 8, 5000, bench.options.fsyncDelayMs || slowDiskMs.creates),
  },
  { name: 'access', what: 'creates by a granted token beside those of anybody', run: access },
  { name: 'change', what: 'one change in a small and in a large zone, and its IXFR', run: change },
];
