/** Rows about large zones: import, bulk, memory, transfer, history, start. */
import { setTimeout as sleep } from 'node:timers/promises';
import { peer } from '../../spec/support/peers.ts';
import { startSecondary } from '../../spec/support/secondaries.ts';
import type { Bench, BenchService, Row } from './bench.ts';
import { post } from './large-body.ts';
import { residentMb } from './cpu.ts';
import { masterFile } from './mix.ts';

const zone = 'large.example';
const others = 'others.example';

/** Milliseconds until a process that has nothing to do is as small as it gets. */
const calmMs = 2000;

interface ImportOptions {
  readonly create?: boolean;
  readonly seed?: number;
  readonly count?: number;
}

/** The body of an import of the mix that creates a zone, or replaces what it holds. */
export function importBody(bench: Bench, name: string, options: ImportOptions = {}): Buffer {
  const { create = false, seed = bench.options.seed, count = bench.options.records } = options;
  const content = masterFile(name, count, seed);
  return Buffer.from(JSON.stringify({ content, ...(create ? { create } : { mode: 'replace' }) }));
}

/** Makes a zone that holds the mix. */
export async function importMix(
  bench: Bench,
  { running }: BenchService,
  name: string,
  count = bench.options.records,
): Promise<void> {
  const body = importBody(bench, name, { create: true, count });
  await post(running.apiPort, `/zones/${name}/import`, body);
}

async function importing(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await service.createZone(others);
  const body = importBody(bench, zone, { create: true });
  const path = `/zones/${zone}/import`;
  const samples = [{ name: 'reads', asks: 'read', zone: others, everyMs: 100 }] as const;
  const { seen, result } = await bench.beside(service, samples, () =>
    bench.measured(service, () => post(service.running.apiPort, path, body)),
  );
  noteLarge(bench, 'import', result, seen.residentMb);
}

type Measured = Awaited<ReturnType<Bench['measured']>>;

function noteLarge(bench: Bench, what: string, measured: Measured, mostMb: number): void {
  const { records } = bench.options;
  const cpu = measured.perOperation(records);
  bench.note(what, records / measured.seconds, 'records/s', cpu);
  bench.note(`resident memory, max at the ${what}`, mostMb, 'MB');
}

async function bulk(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await service.createZone(zone);
  await service.createZone(others);
  const { apiPort: port } = service.running;
  const job = { port, zone, clients: 2, first: 0, count: bench.options.records, chunk: 20_000 };
  const samples = [{ name: 'reads', asks: 'read', zone: others, everyMs: 100 }] as const;
  const { seen, result } = await bench.beside(service, samples, () =>
    bench.measured(service, () => bench.load(job)),
  );
  if (result.result.failed > 0) throw new Error(`${result.result.failed} requests failed`);
  noteLarge(bench, 'bulk', result, seen.residentMb);
}

/** Idle with the large zone, fresh from its start. */
async function memory(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await importMix(bench, service, zone);
  await service.running.end();
  const startedMs = performance.now();
  await service.running.start();
  bench.note('start with the large zone', performance.now() - startedMs, 'ms');
  await sleep(calmMs);
  bench.note('resident memory, large zone and idle', residentMb(service.running.pid), 'MB');
}

/** Six bodies of as many records as fill 95 MB in a full run, at once. */
async function bodies(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await service.createZone(others);
  const maxBytes = Math.min(95_000_000, bench.options.records * 95);
  const contents = Array.from({ length: 6 }, (_, index) => {
    const name = `body-${index}.example`;
    const lines = masterFile(name, Math.ceil(maxBytes / 60), bench.options.seed + index);
    const cut = lines.slice(0, maxBytes * 0.9);
    const content = `${cut.slice(0, cut.lastIndexOf('\n'))}\n`;
    // Bytes outside of the heap: six such texts would fill it.
    return { name, body: Buffer.from(JSON.stringify({ content, create: true })) };
  });
  const samples = [{ name: 'reads', asks: 'read', zone: others, everyMs: 100 }] as const;
  const { seen } = await bench.beside(service, samples, () =>
    Promise.all(
      contents.map(({ name, body }) =>
        post(service.running.apiPort, `/zones/${name}/import`, body, { mayBeRefused: true }),
      ),
    ),
  );
  const megabytes = contents.reduce((sum, { body }) => sum + body.length, 0) / 1e6;
  const remark = `${megabytes.toFixed(0)} MB of bodies`;
  bench.note('resident memory, max at six bodies at once', seen.residentMb, 'MB', { remark });
}

interface Transfer {
  readonly records: number;
  readonly messages: number;
  readonly perSecond: number;
}

async function transfer(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await importMix(bench, service, zone);
  const { running } = service;
  await running.must('POST', '/secondaries', { name: 'bench', address: '127.0.0.1:1' });
  // A fresh process, so that the first transfer finds nothing of it in memory.
  await running.end();
  await running.start();
  const run = (port: number) => bench.script<Transfer>('transfer.ts', port, zone);
  for (const what of ['AXFR, first', 'AXFR, repeated']) {
    const { result, perOperation } = await bench.measured(service, () => run(running.dnsPort));
    const remark = `${result.records} records in ${result.messages} messages`;
    bench.note(what, result.perSecond, 'records/s', { remark, ...perOperation(result.records) });
  }
  if (peer('named') === undefined) return;
  await using named = await startSecondary('named', zone, running.dnsPort);
  const { zone: now } = await running.must('GET', `/zones/${zone}`);
  await named.waitForSerial(now.serial, 600_000);
  bench.note('AXFR of the same zone from named', (await run(named.port)).perSecond, 'records/s');
}

/** A zone of a tenth of the records, changed a hundredth as often since. */
async function history(bench: Bench): Promise<void> {
  await using service = await bench.service();
  const [count, changes] = [bench.options.records / 10, bench.options.records / 100];
  await importMix(bench, service, zone, count);
  const { apiPort: port } = service.running;
  const { zone: before } = await service.running.must('GET', `/zones/${zone}`);
  await bench.load({ port, zone, clients: 16, first: count, count: changes, chunk: 1 });
  for (const [what, path] of [
    [`version ${changes} serials back`, `versions/${before.serial}`],
    [`diff over ${changes} serials`, `versions/diff?from=${before.serial}`],
  ] as const) {
    const times: number[] = [];
    const run = async () => {
      const startedMs = performance.now();
      await service.running.must('GET', `/zones/${zone}/${path}`);
      times.push(performance.now() - startedMs);
    };
    // The first one starts the thread that reads.
    await run();
    const { perOperation } = await bench.measured(service, run);
    bench.note(what, times[1]!, 'ms', {
      remark: `first ${times[0]!.toFixed(0)} ms`,
      ...perOperation(1),
    });
  }
}

async function starting(bench: Bench): Promise<void> {
  await using service = await bench.service();
  await service.running.end();
  const startedMs = performance.now();
  await service.running.start();
  bench.note('start with no zone', performance.now() - startedMs, 'ms');
}

export const largeRows: readonly Row[] = [
  { name: 'import', what: 'one master file', run: importing },
  { name: 'bulk', what: 'POST /records/bulk of 20,000 records each, 2 clients', run: bulk },
  { name: 'memory', what: 'start and resident memory with the large zone', run: memory },
  { name: 'bodies', what: 'memory at six large bodies at once', run: bodies },
  {
    name: 'transfer',
    what: 'AXFR of the large zone, first and repeated, beside named',
    run: transfer,
  },
  { name: 'history', what: 'a version and a diff far back', run: history },
  { name: 'start', what: 'from the start of the process to its first answer', run: starting },
];
