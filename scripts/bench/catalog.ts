/**
 * The row about the catalog: many zones are created one by one while a consumer watches, set up as its page says.
 * Measured until it serves the last of them.
 */

import { type PageSecondary, startFromPage } from '../../spec/support/page-secondaries.ts';
import { peer } from '../../spec/support/peers.ts';
import type { RunningService } from '../../spec/support/service.ts';
import type { Bench, Row } from './bench.ts';

const maxZones = 10_000;
const clients = 32;
const asked = 64;
const withinMs = 600_000;

/** A service and consumer of their own for each kind. */
async function benchCatalog(bench: Bench): Promise<void> {
  const zoneCount = Math.min(maxZones, Math.ceil(bench.options.records / 100));
  for (const kind of ['knotd', 'named'] as const) {
    if (peer(kind) === undefined) continue;
    await using started = await bench.service({ ZONEBOOK_LOGGING_LEVEL: 'error' });
    const service = started.running;
    await using consumer = await startFromPage(kind, service.dnsPort);
    const address = `127.0.0.1:${consumer.port}`;
    await service.must('POST', '/secondaries', { name: 'consumer', address });
    const first = 'first.example';
    await create(service, first);
    await consumer.waitFor(first, 1);
    const startedMs = performance.now();
    const names = Array.from({ length: zoneCount }, (_, at) => `zone-${at}.example`);
    await inParallel(names, clients, (name) => create(service, name));
    const createdMs = performance.now() - startedMs;
    await allServed(consumer, names, startedMs);
    const servedMs = performance.now() - startedMs;
    const what = zoneCount.toLocaleString('en');
    const remark = `the creates alone took ${(createdMs / 1000).toFixed(1)} s`;
    bench.note(`${what} zones created until ${kind} serves all`, servedMs / 1000, 's', { remark });
    const startMs = performance.now();
    await create(service, 'last.example');
    await consumer.waitFor('last.example', 1);
    const oneMs = performance.now() - startMs;
    bench.note(`one more zone created until ${kind} serves it`, oneMs, 'ms');
  }
}

async function create(service: RunningService, name: string): Promise<void> {
  await service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });
}

/** Waits until each zone was served once; who is served already is not asked again. */
async function allServed(consumer: PageSecondary, names: string[], startedMs: number) {
  let missing = names;
  while (missing.length > 0) {
    if (performance.now() - startedMs > withinMs) {
      throw new Error(`${consumer.kind} still lacks ${missing.length} zones`);
    }
    const last = missing.at(-1)!;
    if ((await consumer.serial(last)) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const still: string[] = [];
    await inParallel(missing, asked, async (name) => {
      if ((await consumer.serial(name)) === undefined) still.push(name);
    });
    missing = still;
  }
}

async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export const catalogRows: readonly Row[] = [
  {
    name: 'catalog',
    what: 'many zones created one by one until a consumer of the catalog serves them',
    run: benchCatalog,
  },
];
