/**
 * A file fails that leaves periodic work of the service running: files share their workers, so it would work on beside
 * the tests of the next ones, and its timers count among theirs.
 */
import { afterAll } from 'vitest';

const marked = Symbol.for('zonebook.stopped-jobs');
const scope = globalThis as typeof globalThis & { [marked]?: Map<NodeJS.Timeout, string> };

// Files share their workers, and each of them comes by here.
scope[marked] ??= recordTimers();
const periodic = scope[marked];

/** From now on records the timers that periodic work waits for, each with what set it. */
function recordTimers(): Map<NodeJS.Timeout, string> {
  const waiting = new Map<NodeJS.Timeout, string>();
  const native = globalThis.setTimeout;
  const recording = (...given: Parameters<typeof native>) => {
    const timer = native(...given);
    const [, , caller = ''] = (new Error('set').stack ?? '').split('\n');
    if (caller.includes('/src/base/periodic.ts')) waiting.set(timer, caller.trim());
    return timer;
  };
  globalThis.setTimeout = Object.assign(recording, native);
  return waiting;
}

afterAll(() => {
  const left = [...periodic].filter(([timer]) => isWaiting(timer));
  periodic.clear();
  if (left.length === 0) return;
  const setters = [...new Set(left.map(([, setter]) => setter))];
  throw new Error(`${left.length} periodic jobs were not stopped: ${setters.join(', ')}`);
});

function isWaiting(timer: NodeJS.Timeout): boolean {
  return Reflect.get(timer, '_destroyed') === false;
}
