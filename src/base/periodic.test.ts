import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Periodic, type PeriodicOptions, type Run } from './periodic.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that ends when the test says so. */
function controlled(options: Partial<PeriodicOptions> = {}) {
  const ends: ((dueMs?: number) => void)[] = [];
  const reported: unknown[] = [];
  const work: Run = () => new Promise((resolve) => void ends.push(resolve));
  const periodic = new Periodic(work, {
    everyMs: 100,
    failed: (error) => void reported.push(error),
    ...options,
  });
  const begun = () => ends.length;
  const end = async (dueMs?: number) => {
    ends.at(-1)!(dueMs);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { periodic, begun, end, reported };
}

it('waits as long as it is to, however long that is', async () => {
  const yearMs = 8760 * 3_600_000;
  const { periodic, begun, end } = controlled({ everyMs: yearMs });
  periodic.start();
  await vi.advanceTimersByTimeAsync(yearMs - 1);
  expect(begun()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(1);
  await end(yearMs / 2);
  await vi.advanceTimersByTimeAsync(yearMs / 2 - 1);
  expect(begun()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(2);
  await end();
  await periodic.stop();
});

it('runs at intervals, which are counted from the end of a run', async () => {
  const { periodic, begun, end } = controlled({ firstMs: 10 });
  periodic.start();
  await vi.advanceTimersByTimeAsync(9);
  expect(begun()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun()).toBe(1);
  await end();
  await vi.advanceTimersByTimeAsync(99);
  expect(begun()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(2);
});

it('runs when it says itself that the next run is due', async () => {
  const { periodic, begun, end } = controlled();
  void periodic.wake();
  await end(5);
  await vi.advanceTimersByTimeAsync(5);
  expect(begun()).toBe(2);
  await end();
  await vi.advanceTimersByTimeAsync(5);
  expect(begun()).toBe(2);
});

it('woken, runs at once and begins its interval again, never two runs at a time', async () => {
  const { periodic, begun, end } = controlled();
  periodic.start();
  await vi.advanceTimersByTimeAsync(60);
  void periodic.wake();
  expect(begun()).toBe(1);
  let woken = 0;
  for (let times = 0; times < 3; times++) void periodic.wake().then(() => woken++);
  await vi.advanceTimersByTimeAsync(60);
  expect(begun()).toBe(1);
  await end();
  expect([begun(), woken]).toEqual([2, 0]);
  await end();
  expect([begun(), woken]).toEqual([2, 3]);
  await vi.advanceTimersByTimeAsync(99);
  expect(begun()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(3);
});

it('without an interval, runs only when it is woken', async () => {
  const { periodic, begun, end } = controlled({ everyMs: 0 });
  periodic.start();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(begun()).toBe(0);
  void periodic.wake();
  await end();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(begun()).toBe(1);
});

it('reports the first failure in a row, and goes on', async () => {
  const reported: unknown[] = [];
  const outcomes = ['one', 'two', undefined, 'three'];
  let runs = 0;
  const periodic = new Periodic(
    () => {
      const error = outcomes[runs++];
      if (error !== undefined) throw new Error(error);
    },
    { everyMs: 10, failed: (error) => void reported.push((error as Error).message) },
  );
  periodic.start();
  await vi.advanceTimersByTimeAsync(40);
  expect(runs).toBe(4);
  expect(reported).toEqual(['one', 'three']);
  await periodic.stop();
});

it('throws on a failure that nobody is told of, and goes on', async () => {
  let runs = 0;
  const work = () => {
    if (runs++ === 0) throw new Error('a bug');
  };
  const periodic = new Periodic(work, { everyMs: 10 });
  await expect(periodic.wake()).rejects.toThrow('a bug');
  await vi.advanceTimersByTimeAsync(10);
  expect(runs).toBe(2);
  await periodic.stop();
});

it('stops when the run in progress has ended, and begins none that was asked for', async () => {
  const { periodic, begun, end } = controlled();
  void periodic.wake();
  const woken = periodic.wake();
  let isStopped = false;
  void periodic.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(isStopped).toBe(false);
  await end();
  await woken;
  expect(isStopped).toBe(true);
  await periodic.wake();
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun()).toBe(1);
});

it('shortens intervals at random by up to their jitter', async () => {
  let runs = 0;
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const periodic = new Periodic(() => void runs++, { everyMs: 100, jitter: 0.2, failed() {} });
  periodic.start();
  await vi.advanceTimersByTimeAsync(89);
  expect(runs).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(1);
  random.mockRestore();
  await periodic.stop();
});

it('has no two runs at once where one is asked for as another ends', async () => {
  const ended = Promise.withResolvers<void>();
  let begun = 0;
  let active = 0;
  const periodic = new Periodic(
    async () => {
      begun++;
      expect(++active).toBe(1);
      await ended.promise;
      if (begun === 1) queueMicrotask(() => queueMicrotask(() => void periodic.wake()));
      active--;
    },
    { everyMs: 0 },
  );
  const first = periodic.wake();
  const next = periodic.wake();
  ended.resolve();
  await Promise.all([first, next]);
  await periodic.stop();
  expect([begun, active]).toEqual([2, 0]);
});

it('runs once more for who asks again in the turn in which a run ends', async () => {
  let asked = 0;
  const seen: number[] = [];
  const periodic = new Periodic(async () => void seen.push(asked), { everyMs: 0 });
  const ask = () => {
    asked++;
    return periodic.wake();
  };
  const last = ask().then(() => {
    void ask();
    return ask();
  });
  await Promise.all([last, ask()]);
  expect(asked).toBe(4);
  expect(seen.at(-1)).toBe(4);
  await periodic.stop();
});

it('never has two runs at once, though it is started within one', async () => {
  const { periodic, begun, end } = controlled();
  void periodic.wake();
  periodic.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(begun()).toBe(1);
  await end();
  expect(begun()).toBe(2);
  await end();
  await periodic.stop();
});
