/**
 * Progress of a long scan: a bar on the terminal, nothing elsewhere. It goes to standard error, so
 * that output stays clean, and is wiped when the scan ends.
 */
import { monotonicMs } from '../base/clock.ts';
import type { Surroundings } from './services.ts';

const barCharacters = 30;
/** Milliseconds before the bar shows at all, and between two updates. */
const updateMs = 200;

/** Passes items on, telling how many of `total` have gone by. */
export function* withProgress<Item>(
  items: Iterable<Item>,
  total: number,
  label: string,
  { stderr, isTerminal }: Surroundings,
): Generator<Item> {
  let shownMs = monotonicMs();
  let count = 0;
  let isShown = false;
  try {
    for (const item of items) {
      yield item;
      count++;
      if (!isTerminal.stderr || monotonicMs() - shownMs < updateMs) continue;
      shownMs = monotonicMs();
      const part = Math.min(1, count / Math.max(1, total));
      const bar = '#'.repeat(Math.round(part * barCharacters)).padEnd(barCharacters, '.');
      stderr.write(`\r${label} [${bar}] ${Math.floor(part * 100)} %`);
      isShown = true;
    }
  } finally {
    if (isShown) stderr.write('\r\u001b[K');
  }
}
