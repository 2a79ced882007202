/**
 * The benchmark: what one host does, beside real peers in the same run. Prints a table and writes
 * dist/bench.json. Timings of a noisy machine: compare the columns of one run, not runs.
 *
 * Usage: npm run bench [-- --records 1000000 --only creates,bulk,...]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { peer } from '../../spec/support/peers.ts';
import { type RunningSecondary, startSecondary } from '../../spec/support/secondaries.ts';
import { type RunningService, startService } from '../../spec/support/service.ts';
import { benchCatalog } from './catalog.ts';
import { benchDnssec, benchEnabling } from './dnssec.ts';
import { benchHistory, benchImport, benchLargeBulk } from './import.ts';
import { benchUpdates } from './update.ts';

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly note?: string;
}

const { values: options } = parseArgs({
  options: { records: { type: 'string', default: '1000000' }, only: { type: 'string' } },
});
const records = Number(options.records);
const only = options.only?.split(',');
const wanted = (part: string) => only === undefined || only.includes(part);
const rows: Row[] = [];
const zone = 'large.example';

function note(what: string, value: number, unit: string, remark?: string): void {
  rows.push(remark === undefined ? { what, value, unit } : { what, value, unit, note: remark });
  process.stdout.write(
    `${what.padEnd(58)} ${format(value).padStart(12)} ${unit.padEnd(10)} ${remark ?? ''}\n`,
  );
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

function script(name: string, ...args: (string | number)[]): Record<string, number> {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const output = execFileSync(process.execPath, [path, ...args.map(String)], { encoding: 'utf8' });
  return JSON.parse(output);
}

async function createZone(service: RunningService, name: string): Promise<void> {
  const body = { name, mname: `ns1.${name}`, rname: `hostmaster@${name}` };
  await service.must('POST', '/zones', body);
}

/** Durable single creates over HTTP. */
async function benchCreates(service: RunningService): Promise<void> {
  await createZone(service, 'creates.example');
  // As a service that has been busy for some seconds: its code is compiled.
  script('http-load.ts', service.apiPort, 32, 30_000, 'creates.example', 'warm');
  for (const [clients, requests] of [
    [1, 5000],
    [32, 30_000],
  ] as const) {
    const prefix = `c${clients}-`;
    const result = script(
      'http-load.ts',
      service.apiPort,
      clients,
      requests,
      'creates.example',
      prefix,
    );
    const remark = `failed ${result.failed}, p50 ${format(result.p50Ms!)} ms, p99 ${format(result.p99Ms!)} ms`;
    note(`durable single creates, ${clients} client(s)`, result.perSecond!, '/s', remark);
  }
}

/** The same creates with authentication off and by a token with a narrowed grant, in turn. */
async function benchAccess(open: RunningService): Promise<void> {
  await using guarded = await startService({
    ZONEBOOK_LOGGING_LEVEL: 'warn',
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
  });
  const zonebook = (...args: string[]) => {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const all = [main, ...args, '--data-dir', guarded.dataDir, '-o', 'json'];
    return JSON.parse(execFileSync(process.execPath, all, { encoding: 'utf8' }));
  };
  const name = 'access.example';
  await createZone(open, name);
  zonebook('zone', 'create', name, '--mname', `ns1.${name}`, '--rname', `h@${name}`);
  zonebook('role', 'create', 'creators');
  const actions = ['--actions', 'record:create,record:read', '--types', 'A', '--zone', name];
  zonebook('role', 'grant', 'creators', ...actions);
  const { secret } = zonebook('token', 'create', 'creator', '--role', 'creators');
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = 0; round < 7; round++) {
    const load = [32, 10_000, name, `r${round}-`] as const;
    const before = [cpuSeconds(open.pid), cpuSeconds(guarded.pid)] as const;
    const off = script('http-load.ts', open.apiPort, ...load);
    const token = script('http-load.ts', guarded.apiPort, ...load, secret);
    if (round === 0) continue;
    ratios.push(token.perSecond! / off.perSecond!);
    const spent = [cpuSeconds(open.pid) - before[0], cpuSeconds(guarded.pid) - before[1]] as const;
    cpuRatios.push(spent[1] / spent[0]);
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]! * 100;
  const cpu = `CPU time ${format(middle(cpuRatios))} % of it`;
  note('creates by a granted token, of those with authentication off', middle(ratios), '%', cpu);
}

/** Bulk insert of the large zone, in chunks of 20,000, by two clients. */
async function benchBulk(service: RunningService): Promise<void> {
  await createZone(service, zone);
  const result = script('bulk-load.ts', service.apiPort, 2, records, 20_000, zone);
  const what = `bulk insert of ${records.toLocaleString('en')} records, 2 clients`;
  note(what, result.perSecond!, 'records/s', `failed ${result.failed}`);
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** User and system time of a process so far. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function benchMemory(service: RunningService): Promise<void> {
  note('resident memory after the bulk insert', residentMb(service.pid), 'MB');
  await service.end();
  const startedMs = performance.now();
  await service.start();
  note('start with the large zone', performance.now() - startedMs, 'ms');
  await new Promise((resolve) => setTimeout(resolve, 2000));
  note('resident memory, large zone loaded and idle', residentMb(service.pid), 'MB', 'limit 400');
}

async function benchTransfer(
  service: RunningService,
  named: RunningSecondary | undefined,
): Promise<void> {
  const runs = (port: number) => script('transfer.ts', port, zone);
  const cold = runs(service.dnsPort);
  note(
    'AXFR of the large zone, first',
    cold.perSecond!,
    'records/s',
    `${cold.records} records, ${cold.messages} messages`,
  );
  const repeated = [runs(service.dnsPort), runs(service.dnsPort), runs(service.dnsPort)];
  note('AXFR of the large zone, repeated (median of 3)', median(repeated), 'records/s');
  if (named === undefined) return;
  const theirs = [runs(named.port), runs(named.port), runs(named.port)];
  note('AXFR of the same zone from named (median of 3)', median(theirs), 'records/s');
}

function median(results: Record<string, number>[]): number {
  return results.map((result) => result.perSecond!).sort((a, b) => a - b)[results.length >> 1]!;
}

/** One change in the large zone and in a small one: commit time and the IXFR that carries it. */
async function benchSingleChange(service: RunningService): Promise<void> {
  await createZone(service, 'small.example');
  for (const name of ['small.example', zone]) {
    const timesMs: number[] = [];
    for (let index = 0; index < 200; index++) {
      const startedMs = performance.now();
      await service.must('POST', '/records', {
        zone_name: name,
        name: `single-${index * 7919}`,
        type: 'A',
        value: '192.0.2.1',
      });
      timesMs.push(performance.now() - startedMs);
    }
    timesMs.sort((a, b) => a - b);
    const { zone: now } = await service.must('GET', `/zones/${name}`);
    const transfers = Array.from({ length: 5 }, () =>
      script('transfer.ts', service.dnsPort, name, now.serial - 1),
    );
    const times = transfers.map((result) => result.seconds! * 1000).sort((a, b) => a - b);
    note(
      `one change over HTTP in ${name}, p50`,
      timesMs[100]!,
      'ms',
      `p99 ${format(timesMs[198]!)} ms`,
    );
    note(`IXFR of that change in ${name}`, times[2]!, 'ms', `${transfers[0]!.octets} octets`);
  }
}

/** From sending a change to named's first answer with it. */
async function benchLatency(service: RunningService): Promise<void> {
  await createZone(service, 'latency.example');
  await using named = await startSecondary('named', 'latency.example', service.dnsPort);
  await service.must('POST', '/secondaries', {
    name: 'latency',
    address: `127.0.0.1:${named.port}`,
  });
  await named.waitForSerial(1);
  const timesMs: number[] = [];
  for (let index = 0; index < 300; index++) {
    const name = `now-${index}`;
    const startedMs = performance.now();
    await service.must('POST', '/records', {
      zone_name: 'latency.example',
      name,
      type: 'A',
      value: '192.0.2.1',
    });
    while (!(await answers(named.port, `${name}.latency.example`))) {}
    timesMs.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  timesMs.sort((a, b) => a - b);
  note('change to named answering it, p50', timesMs[150]!, 'ms', `p99 ${format(timesMs[297]!)} ms`);
  await service.must('DELETE', '/secondaries/latency');
}

/** Whether a server answers a name with a record; asks once. */
function answers(port: number, name: string): Promise<boolean> {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  const header = Buffer.from([1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const query = Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const done = (answer: boolean) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => done(false), 500);
    socket.on('message', (reply) => done(reply.readUInt16BE(6) > 0));
    socket.send(query, port, '127.0.0.1');
  });
}

/** UDP queries for names of the zone, by dnsperf, beside knotd serving the same zone. */
async function benchQueries(service: RunningService): Promise<void> {
  const dnsperf = peer('dnsperf');
  if (dnsperf === undefined) return;
  const name = 'creates.example';
  await using knotd = await startSecondary('knotd', name, service.dnsPort);
  await service.must('POST', '/secondaries', {
    name: 'queries',
    address: `127.0.0.1:${knotd.port}`,
  });
  const { zone: now } = await service.must('GET', `/zones/${name}`);
  await knotd.waitForSerial(now.serial);
  const queries = Array.from({ length: 20_000 }, (_, index) => {
    return index % 5 === 4 ? `missing-${index}.${name} A` : `c32-${index}.${name} A`;
  });
  const file = `${service.dataDir}/queries.txt`;
  writeFileSync(file, `${queries.join('\n')}\n`);
  for (const [who, port] of [
    ['zonebook', service.dnsPort],
    ['knotd', knotd.port],
  ] as const) {
    const args = [
      '-s',
      '127.0.0.1',
      '-p',
      String(port),
      '-d',
      file,
      '-l',
      '8',
      '-c',
      '4',
      '-q',
      '100',
    ];
    const { stdout } = spawnSync(dnsperf, args, { encoding: 'utf8' });
    const perSecond = Number(/Queries per second:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0);
    const lost = /Queries lost:\s+(.*)/.exec(stdout)?.[1];
    note(`UDP queries, ${who}`, perSecond, '/s', `lost ${lost}`);
  }
  await service.must('DELETE', '/secondaries/queries');
}

await using service = await startService({ ZONEBOOK_LOGGING_LEVEL: 'warn' });
process.on('uncaughtExceptionMonitor', () => process.stderr.write(service.output.slice(-3000)));
if (wanted('creates')) await benchCreates(service);
if (wanted('access')) await benchAccess(service);
if (wanted('queries') && wanted('creates')) await benchQueries(service);
if (wanted('latency')) await benchLatency(service);
if (wanted('updates')) await benchUpdates(service, note);
if (wanted('dnssec')) await benchDnssec(service, records, note);
// A part of the one before, for whoever wants no more.
else if (wanted('enabling')) await benchEnabling(service, records, note);
if (wanted('signed-updates')) await benchUpdates(service, note, 'signed-updates.example', true);
if (wanted('catalog')) await benchCatalog(note);
if (wanted('import')) {
  await benchImport(service, records, note);
  await benchLargeBulk(service, Math.ceil(records / 10), note);
}
if (wanted('history')) await benchHistory(service, note);
if (wanted('bulk')) {
  await benchBulk(service);
  if (wanted('memory')) await benchMemory(service);
  await using stack = new AsyncDisposableStack();
  let named: RunningSecondary | undefined;
  // Loopback may transfer only as a registered secondary.
  await service.must('POST', '/secondaries', { name: 'bench', address: '127.0.0.1:1' });
  if (wanted('transfer') && peer('named') !== undefined) {
    const startedMs = performance.now();
    named = stack.use(await startSecondary('named', zone, service.dnsPort));
    const { zone: now } = await service.must('GET', `/zones/${zone}`);
    await named.waitForSerial(now.serial, 300_000);
    note('named has the large zone', (performance.now() - startedMs) / 1000, 's');
    // A fresh process, so that the first transfer finds no warm cache of ours.
    await service.end();
    await service.start();
  }
  if (wanted('transfer')) await benchTransfer(service, named);
  if (wanted('change')) await benchSingleChange(service);
}
mkdirSync('dist', { recursive: true });
writeFileSync(
  'dist/bench.json',
  `${JSON.stringify({ at: new Date().toISOString(), records, rows }, null, 2)}\n`,
);
