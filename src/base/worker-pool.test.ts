import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import type { Parts } from './jobs.ts';
import { Problem } from './problem.ts';
import { SharedJob } from './shared-job.ts';
import { WorkerPool } from './worker-pool.ts';

/** As the program below has it. */
interface Numbers {
  thread(input: undefined): number;
  double(input: number): number;
  refuse(input: string): never;
  count(input: number, parts: Parts<number>): Promise<string>;
  counted(input: undefined): number;
  exit(input: undefined): void;
  read(input: string): Buffer;
}

const folder = mkdtempSync(join(tmpdir(), 'zonebook-pool-'));
const program = pathToFileURL(join(folder, 'program.mts'));
const sources = new URL('.', import.meta.url).href;
writeFileSync(
  program,
  `import { readFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { serveJobs } from '${sources}jobs.ts';
import { Problem } from '${sources}problem.ts';
serveJobs({
  numbers: async () => {
    let counted = 0;
    return {
      thread: () => threadId,
      double: (number) => 2 * number,
      refuse(message) { throw new Problem('ZONE_NOT_FOUND', message); },
      async count(upTo, parts) {
        for (counted = 0; counted < upTo; counted++) await parts.send(10 + counted);
        await parts.allTaken();
        return 'done';
      },
      counted: () => counted,
      exit: () => process.exit(3),
      read: (path) => readFileSync(path),
    };
  },
  broken: async () => { throw new Problem('INVALID_INPUT', 'never begins'); },
});
`,
);
afterAll(() => rmSync(folder, { recursive: true }));

let pool: WorkerPool;
beforeEach(() => {
  pool = new WorkerPool(program, { file: '', folder });
});
afterEach(() => pool.close());

const open = () => pool.open<Numbers>('numbers');

it('answers calls, and passes refusals on as what they are', async () => {
  const job = open();
  expect(await job.call('double', 21)).toBe(42);
  const refused = job.call('refuse', 'no such zone');
  await expect(refused).rejects.toThrow(new Problem('ZONE_NOT_FOUND', 'no such zone'));
  await expect(refused).rejects.toBeInstanceOf(Problem);
  const broken = pool.open<Numbers>('broken');
  await expect(broken.call('double', 1)).rejects.toThrow('never begins');
});

it('sends parts no faster than they are taken, and the result after the last', async () => {
  const job = open();
  const taken: number[] = [];
  const ahead: number[] = [];
  const take = async (part: number) => {
    taken.push(part);
    ahead.push((await job.call('counted', undefined)) - taken.length);
  };
  expect(await job.call('count', 5, { take })).toBe('done');
  expect(taken).toEqual([10, 11, 12, 13, 14]);
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
});

it('cancels a stream that nobody reads to its end, and a call whose parts can not be taken', async () => {
  const job = open();
  for await (const part of job.stream('count', 1_000_000)) if (part === 12) break;
  const failing = job.call('count', 1_000_000, {
    take() {
      throw new Error('the disk is full');
    },
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await job.call('counted', undefined)).toBeLessThan(10);
  expect(await Array.fromAsync(job.stream('count', 3))).toEqual([10, 11, 12]);
});

it('ends the last call of a job with what is to follow it, read or not', async () => {
  for (const isRead of [true, false]) {
    const job = open();
    let over = 0;
    const parts = job.lastStream('count', 2, () => void over++, [1]);
    if (isRead) expect(await Array.fromAsync(parts)).toEqual([1, 10, 11]);
    else await parts.return!();
    expect(over).toBe(1);
    job.release();
  }
});

it('ends the one of many last calls of which nothing was taken for longest', async () => {
  const job = open();
  const over: number[] = [];
  const follow = (number: number) =>
    job.lastStream('count', 2, () => void over.push(number), [number]);
  const streams = Array.from({ length: 8 }, (_, number) => follow(number));
  expect(await streams[0]!.next()).toEqual({ done: false, value: 0 });
  streams.push(follow(8));
  expect(over).toEqual([1]);
  await expect(streams[1]!.next()).rejects.toThrow('too slow');
  expect(await Array.fromAsync(streams[0]!)).toEqual([10, 11]);
  // What was read to its end makes room for another.
  streams.push(follow(9));
  expect(over).toEqual([1, 0]);
  for (const number of [2, 8, 9]) {
    expect(await Array.fromAsync(streams[number]!)).toEqual([number, 10, 11]);
  }
  job.release();
});

it('gives an idle worker to the next job, and a new one while it is busy', async () => {
  const first = open();
  const thread = await first.call('thread', undefined);
  const second = open();
  expect(await second.call('thread', undefined)).not.toBe(thread);
  first.release();
  const third = open();
  expect(await third.call('thread', undefined)).toBe(thread);
});

it('rejects what waits for a worker that ends, and goes on with another', async () => {
  const job = open();
  const other = job.call('count', 3, { take: () => new Promise(() => {}) });
  const refused = expect(other).rejects.toThrow('a worker ended');
  await expect(job.call('exit', undefined)).rejects.toThrow('a worker ended');
  await refused;
  expect(job.isThere).toBe(false);
  await expect(job.call('double', 1)).rejects.toThrow('ended');
  job.release();
  expect(await open().call('double', 2)).toBe(4);
});

it('keeps nobody waiting for a worker that is ended and can not end yet', async () => {
  const path = join(folder, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
  const job = open();
  const reading = job.call('read', path);
  const refused = expect(reading).rejects.toThrow('a worker ended');
  // Once it is open here it is in the worker, which waits for its end as it may for SQLite.
  const pipe = await openFile(path, 'w');
  job.end();
  await refused;
  await pipe.close();
});

it('has one worker for all who share a job, as long as there are any', async () => {
  const shared = new SharedJob<Numbers>(pool, 'numbers');
  const threads = await Promise.all([
    shared.call('thread', undefined),
    shared.call('thread', undefined),
  ]);
  expect(new Set(threads).size).toBe(1);
  await expect(shared.call('exit', undefined)).rejects.toThrow('a worker ended');
  expect(await shared.call('double', 4)).toBe(8);
});
