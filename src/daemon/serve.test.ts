import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endService } from './serve.ts';

/** What was logged, and where the process ended. */
const seen: unknown[] = [];
const log = { info: (...line: unknown[]) => void seen.push(line) };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'exit').mockImplementation((() => void seen.push('exit')) as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  seen.length = 0;
});

it('logs that the service has stopped before it ends a stop that takes too long', async () => {
  const ended = endService({ stop: () => new Promise(() => {}) }, log, Promise.resolve());
  await vi.advanceTimersByTimeAsync(9499);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  const stopped = ['service.stopped', { graceful: false, requestsCut: undefined }];
  expect(seen).toEqual([stopped, 'exit']);
});

it('waits no longer for the service manager to be notified', async () => {
  const ended = endService({ stop: async () => 0 }, log, new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(9500);
  await ended;
  expect(seen).toEqual([['service.stopped', { graceful: true, requestsCut: 0 }], 'exit']);
});

it('ends a process that something keeps after the stop', async () => {
  await endService({ stop: async () => 0 }, log, Promise.resolve());
  const stopped = ['service.stopped', { graceful: true, requestsCut: 0 }];
  expect(seen).toEqual([stopped]);
  await vi.advanceTimersByTimeAsync(9500);
  expect(seen).toEqual([stopped, 'exit']);
});
