/**
 * Rows about a long past: what pages of events, blame, versions and differences cost at the end of a deep history, and
 * what open streams of events hold in memory.
 */
import { mkdtempSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningService, startService } from '../../spec/support/service.ts';
import { type Bench, median, type Row } from './bench.ts';
import { residentMb } from './cpu.ts';
import { deep } from './fill-past.ts';

const asked = 20;
const streams = 256;
/** Milliseconds from the start until the service has made net changes of all spans. */
const calmMs = 180_000;
/** Milliseconds until what a burst of requests left is collected. */
const settleMs = 10_000;

/** Asks the service of a folder that fill-past.ts has written. */
export async function askPast(bench: Bench, running: RunningService): Promise<void> {
  const { zone } = await running.must('GET', `/zones/${deep}`);
  const { items } = await running.must('GET', '/events?limit=1');
  const newest: number = items[0].seq;
  const versions = `/zones/${deep}/versions`;
  const oldest = 100;
  const middle = Math.floor(zone.serial / 2);
  const diffOf = (serial: number) => `${versions}/diff?from=${serial}&to=${serial + 10}`;
  const questions: Readonly<Record<string, string>> = {
    'a page of events': '/events',
    'a page of events in the middle': `/events?before=${Math.floor(newest / 2)}`,
    'a page of events of a zone': `/events?zone=${deep}`,
    'a page of the first events of a zone': `/events?zone=${deep}&order=asc`,
    'a page of history': `/zones/${deep}/history?limit=10`,
    'a page of versions': `${versions}?limit=10`,
    'a page of the first versions': `${versions}?limit=10&offset=${zone.serial - 500}`,
    'a page of blame': `/zones/${deep}/blame`,
    'a page of blame at the first versions': `/zones/${deep}/blame?at=${oldest}`,
    'a difference of the last ten serials': diffOf(zone.serial - 10),
    'a difference of ten serials in the middle': diffOf(middle),
    'a difference of the first ten serials': diffOf(oldest),
    'a page of a version in the middle': `${versions}/${middle}?limit=50`,
    'a page of the first versions of all records': `${versions}/${oldest}?limit=50`,
    'a name in the first versions': `${versions}/${oldest}?name=host-77.rack-77`,
  };
  for (const [what, path] of Object.entries(questions)) {
    const times: number[] = [];
    for (let number = 0; number < asked; number++) {
      const atMs = performance.now();
      await running.must('GET', path);
      times.push(performance.now() - atMs);
    }
    bench.note(what, median(times), 'ms', {
      remark: `at most ${Math.max(...times).toFixed(0)} ms`,
    });
  }
}

async function past(bench: Bench): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-bench-'));
  await bench.script('fill-past.ts', dataDir, bench.options.records);
  await using running = await startService({ ZONEBOOK_LOGGING_LEVEL: 'warn' }, { dataDir });
  await sleep(calmMs);
  await askPast(bench, running);
}

/** Resident memory with as many streams as may be open, idle and after each was sent some events. */
async function eventStreams(bench: Bench): Promise<void> {
  await using service = await bench.service();
  const { running } = service;
  await service.createZone(deep);
  await sleep(settleMs);
  bench.note('resident memory', residentMb(running.pid), 'MB');
  const open = await Promise.all(Array.from({ length: streams }, () => streamOf(running)));
  await sleep(settleMs);
  const what = `resident memory, ${streams} streams of events`;
  bench.note(`${what}, idle`, residentMb(running.pid), 'MB');
  const job = { port: running.apiPort, zone: deep, clients: 8, chunk: 1, first: 0 };
  await bench.load({ ...job, count: Math.min(5000, bench.options.records) });
  await sleep(settleMs);
  bench.note(`${what}, each sent 5,000`, residentMb(running.pid), 'MB');
  for (const stream of open) stream.destroy();
}

function streamOf({ apiPort: port }: RunningService): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = get(
      { port, host: '127.0.0.1', path: '/events/stream', agent: false },
      (answer) => {
        answer.resume();
        // It is destroyed in the end.
        answer.on('error', () => {});
        if (answer.statusCode === 200) resolve(answer);
        else reject(new Error(`a stream was answered ${answer.statusCode}`));
      },
    );
    call.on('error', reject);
  });
}

export const pastRows: readonly Row[] = [
  {
    name: 'past',
    what: 'events, blame, versions and differences at five events for each of --records versions',
    run: past,
  },
  {
    name: 'event-streams',
    what: 'memory of as many streams of events as may be open',
    run: eventStreams,
  },
];
