/** Rows about the index of searches: how long it takes to be made, its size, and what it answers. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type BenchService, median, type Row } from './bench.ts';
import { importMix } from './large.ts';
import { mixFor } from './mix.ts';

/** Records of a zone. */
const zoneRecords = 500_000;
const asked = 40;

async function search(bench: Bench): Promise<void> {
  await using service = await bench.service();
  const { records: wanted, seed } = bench.options;
  const zones = Math.ceil(wanted / zoneRecords);
  const nameOf = (zone: number) => `zone-${zone}.example`;
  const startedMs = performance.now();
  for (let zone = 0; zone < zones; zone++) {
    await importMix(bench, service, nameOf(zone), Math.min(zoneRecords, wanted));
  }
  const writtenMs = performance.now();
  await made(service);
  bench.note('records written', (writtenMs - startedMs) / 1000, 's');
  bench.note('indexed behind the last of them', (performance.now() - writtenMs) / 1000, 's');
  bench.note('database', statSync(join(service.running.dataDir, 'zonebook.db')).size / 1e6, 'MB');
  const draw = mixFor(nameOf(0), seed);
  const some = (type: string) => {
    const found = Array.from({ length: 2000 }, (_, at) => draw(at * 7)).filter(
      (record) => record.type === type,
    );
    return found.slice(0, asked);
  };
  const addresses = some('A').map(({ value }) => value);
  const questions: Readonly<Record<string, readonly string[]>> = {
    'an address': addresses,
    'a prefix of 24 bits': addresses.map((value) => `${value}/24`),
    'a prefix of 8 bits': ['10.0.0.0/8'],
    'a part of a name': some('A').map(({ name }) => name.slice(2, 12)),
    'a part of most names': ['web', 'prod', 'corp.lan'],
    'a name with its zone': some('A').map(({ name }) => `${name}.${nameOf(0)}`),
    'a word of a value': some('TXT').map(({ value }) => /[a-z]{4,}/.exec(value)?.[0] ?? 'spf1'),
    'what is nowhere': ['nothing-has-this', '203.0.113.77'],
  };
  for (const [what, texts] of Object.entries(questions)) {
    const times: number[] = [];
    for (let number = 0; number < asked; number++) {
      const q = texts[number % texts.length]!;
      const atMs = performance.now();
      await service.running.must('GET', `/search?q=${encodeURIComponent(q)}`);
      times.push(performance.now() - atMs);
    }
    bench.note(what, median(times), 'ms', { remark: `at most ${Math.max(...times).toFixed(1)}` });
  }
}

/** Waits until the index has everything. */
async function made(service: BenchService): Promise<void> {
  while (true) {
    const { complete_to, deleted_from } = await service.running.must('GET', '/search?q=x');
    const [newest] = (await service.running.must('GET', '/events?limit=1')).items;
    if (complete_to === newest.seq && deleted_from === 1) return;
    await sleep(200);
  }
}

export const searchRows: readonly Row[] = [
  { name: 'search', what: 'the index of searches and what it answers', run: search },
];
