import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../base/limits.ts';
import { readChunks } from './body-source.ts';
import type { HttpContext } from './request-source.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => vi.useRealTimers());

function body(complete = false) {
  const stream = Object.assign(new PassThrough(), { complete, headers: {} });
  const stopping = new AbortController();
  const env = { incoming: stream as unknown as IncomingMessage, stopping: stopping.signal };
  const taken: Buffer[] = [];
  const read = readChunks({ env } as unknown as HttpContext, (chunk) => {
    taken.push(Buffer.from(chunk));
  });
  const outcome = read.then(
    () => Buffer.concat(taken).length,
    (error: { code?: string }) => error.code,
  );
  return { stream, stopping, outcome };
}

/** Writes so many bytes each second, and lets the time pass. */
async function drip(stream: PassThrough, bytes: number, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    stream.write(Buffer.alloc(bytes));
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1000);
  }
}

it('a body that comes too slowly is given up after a while', async () => {
  const { stream, outcome } = body();
  await drip(stream, 1, limits.bodyGraceMs / 1000 + 10);
  expect(await outcome).toBe('REQUEST_TIMEOUT');
});

it('one that never begins is given up likewise', async () => {
  const { outcome } = body();
  vi.advanceTimersByTime(limits.bodyGraceMs + 10_000);
  expect(await outcome).toBe('REQUEST_TIMEOUT');
});

it('one that comes fast enough may take its time', async () => {
  const { stream, outcome } = body();
  await drip(stream, limits.bodyBytesPerSecond, 300);
  stream.end();
  expect(await outcome).toBe(300 * limits.bodyBytesPerSecond);
});

it('a stop ends what has not come whole, and nothing else', async () => {
  const partial = body();
  const whole = body(true);
  partial.stream.write('{');
  whole.stream.write('{}');
  partial.stopping.abort();
  whole.stopping.abort();
  whole.stream.end();
  expect(await partial.outcome).toBe('OVERLOADED');
  expect(await whole.outcome).toBe(2);
});
