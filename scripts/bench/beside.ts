/**
 * Rows about what others wait while something large is done to a zone: DNS and /health at p99.9, writes in another
 * zone and in the same one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, BenchService, Row } from './bench.ts';
import { importBody, importMix } from './large.ts';
import { post } from './large-body.ts';
import { noteTimes } from './writes.ts';

const zone = 'large.example';
const other = 'other.example';
/** Milliseconds after the answer in which what was replaced is cleared away. */
const afterMs = 3000;

interface LargeWork {
  readonly name: string;
  readonly what: string;
  /** False where there is no zone that could be written meanwhile. */
  readonly isSameZoneWritten: boolean;
  /** Makes what has to be there before, beside the large zone, and returns the work itself. */
  prepare(bench: Bench, service: BenchService): Promise<() => Promise<unknown>>;
}

const path = `/zones/${zone}`;

/** An import of the zone that leaves no record as it is. */
function replacing(bench: Bench, { running }: BenchService): () => Promise<unknown> {
  const body = importBody(bench, zone, { seed: bench.options.seed + 1 });
  return () => post(running.apiPort, `${path}/import`, body);
}

const works: readonly LargeWork[] = [
  {
    name: 'import',
    what: 'another large zone is imported',
    isSameZoneWritten: false,
    async prepare(bench, { running }) {
      const name = 'imported.example';
      const body = importBody(bench, name, { create: true });
      return () => post(running.apiPort, `/zones/${name}/import`, body);
    },
  },
  {
    name: 'replace',
    what: 'an import replaces all records',
    isSameZoneWritten: true,
    async prepare(bench, service) {
      return replacing(bench, service);
    },
  },
  {
    name: 'rollback',
    what: 'such a replacement is rolled back',
    isSameZoneWritten: true,
    async prepare(bench, service) {
      const { running } = service;
      const { zone: before } = await running.must('GET', path);
      await replacing(bench, service)();
      return () => running.must('POST', `${path}/versions/${before.serial}/rollback`);
    },
  },
  {
    name: 'sign',
    what: 'the zone is signed for the first time',
    isSameZoneWritten: true,
    async prepare(_, { running }) {
      const body = { parent_ns_addrs: ['127.0.0.1:9'] };
      return () => running.must('POST', `${path}/dnssec`, body);
    },
  },
  {
    name: 'purge',
    what: 'the zone is deleted and purged',
    isSameZoneWritten: false,
    async prepare(_, { running }) {
      return async () => {
        await running.must('DELETE', path);
        await running.must('POST', `${path}/purge`);
      };
    },
  },
  {
    name: 'verify',
    what: 'journal and projections are verified by another process',
    isSameZoneWritten: true,
    async prepare(_, { running }) {
      const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
      const words = [main, 'journal', 'verify', '--data-dir', running.dataDir];
      return async () => {
        const child = spawn(process.execPath, words, { stdio: 'ignore' });
        const [status] = await once(child, 'exit');
        if (status !== 0) throw new Error(`journal verify ended with ${status}`);
      };
    },
  },
  {
    name: 'export',
    what: 'the zone is exported',
    isSameZoneWritten: true,
    async prepare(_, { running }) {
      return () => running.must('GET', `${path}/export`);
    },
  },
];

async function run(bench: Bench, { name, prepare, isSameZoneWritten }: LargeWork) {
  await using service = await bench.service();
  await service.createZone(other);
  await importMix(bench, service, zone);
  const work = await prepare(bench, service);
  const samples = [
    { name: 'DNS', asks: 'query', zone: other, everyMs: 2 },
    { name: 'health', asks: 'health', zone: other, everyMs: 5 },
    { name: 'write in another zone', asks: 'create', zone: other, everyMs: 20 },
    ...(isSameZoneWritten
      ? [{ name: 'write in the same zone', asks: 'create', zone, everyMs: 50 } as const]
      : []),
  ] as const;
  const { result, seen } = await bench.beside(service, samples, () =>
    bench.measured(service, async () => {
      const startedMs = performance.now();
      await work();
      const seconds = (performance.now() - startedMs) / 1000;
      await sleep(afterMs);
      return seconds;
    }),
  );
  bench.note(name, result.result, 's', result.perOperation(bench.options.records));
  const { DNS = [], health = [], ...writes } = seen.times;
  const { residentMb } = seen;
  noteTimes(bench, { times: { DNS, health }, residentMb }, `beside ${name}`, 0.999);
  noteTimes(bench, { times: writes, residentMb }, `beside ${name}`, 0.99);
  bench.note(`resident memory, max beside ${name}`, residentMb, 'MB');
}

export const besideRows: readonly Row[] = works.map((each) => ({
  name: `beside-${each.name}`,
  what: `DNS, /health and writes while ${each.what}`,
  run: (bench) => run(bench, each),
}));
