/**
 * Rows about what others wait while something large is done to a zone: DNS and /health at p99.9, writes in another
 * zone and in the same one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, BenchService, Row } from './bench.ts';
import { importMix } from './large.ts';
import { noteTimes } from './writes.ts';

const zone = 'large.example';
const other = 'other.example';
/** Milliseconds after the answer in which what was replaced is cleared away. */
const afterMs = 3000;

interface LargeWork {
  readonly name: string;
  readonly what: string;
  /** What has to be there before; without it the large zone. */
  prepare?(bench: Bench, service: BenchService): Promise<void>;
  work(bench: Bench, service: BenchService): Promise<unknown>;
  /** False where there is no zone that could be written meanwhile. */
  readonly isSameZoneWritten: boolean;
}

const path = `/zones/${zone}`;

function largeZone(bench: Bench, service: BenchService): Promise<void> {
  return importMix(bench, service, zone, { mode: 'create' });
}

function otherSeed(bench: Bench): number {
  return bench.options.seed + 1;
}

const works: readonly LargeWork[] = [
  {
    name: 'import',
    what: 'another large zone is imported',
    work: (bench, service) => importMix(bench, service, 'imported.example', { mode: 'create' }),
    isSameZoneWritten: false,
  },
  {
    name: 'replace',
    what: 'an import replaces all records',
    work: (bench, service) => importMix(bench, service, zone, { seed: otherSeed(bench) }),
    isSameZoneWritten: true,
  },
  {
    name: 'rollback',
    what: 'such a replacement is rolled back',
    async prepare(bench, service) {
      await largeZone(bench, service);
      await importMix(bench, service, zone, { seed: otherSeed(bench) });
    },
    async work(_, { running }) {
      const { items } = await running.must('GET', `${path}/versions?limit=100`);
      const serials = items.map(({ serial }: { serial: number }) => serial);
      // Those who write meanwhile have made the later versions.
      await running.must('POST', `${path}/versions/${Math.min(...serials)}/rollback`);
    },
    isSameZoneWritten: true,
  },
  {
    name: 'sign',
    what: 'the zone is signed for the first time',
    work: (_, { running }) =>
      running.must('POST', `${path}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] }),
    isSameZoneWritten: true,
  },
  {
    name: 'purge',
    what: 'the zone is deleted and purged',
    async work(_, { running }) {
      await running.must('DELETE', path);
      await running.must('POST', `${path}/purge`);
    },
    isSameZoneWritten: false,
  },
  {
    name: 'verify',
    what: 'journal and projections are verified by another process',
    async work(_, { running }) {
      const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
      const words = [main, 'journal', 'verify', '--data-dir', running.dataDir];
      const child = spawn(process.execPath, words, { stdio: 'ignore' });
      const [status] = await once(child, 'exit');
      if (status !== 0) throw new Error(`journal verify ended with ${status}`);
    },
    isSameZoneWritten: true,
  },
  {
    name: 'export',
    what: 'the zone is exported',
    work: (_, { running }) => running.must('GET', `${path}/export`),
    isSameZoneWritten: true,
  },
];

async function run(bench: Bench, { name, prepare, work, isSameZoneWritten }: LargeWork) {
  await using service = await bench.service();
  await service.createZone(other);
  await (prepare ?? largeZone)(bench, service);
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
      await work(bench, service);
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
