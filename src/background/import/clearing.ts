/**
 * Clears away, a little with each commit, what large changes have left behind: what they replaced, and what
 * was prepared and never published.
 */
import { Periodic } from '../../base/periodic.ts';
import type { Writer } from '../../writer/writer.ts';

/** Milliseconds between two looks when there was nothing to clear. */
const idleMs = 2000;
/** Milliseconds between two goes, so that others come first. */
const pauseMs = 5;

export function createClearing(writer: Pick<Writer, 'operate'>): Periodic {
  const clear = async () =>
    (await writer.operate({ kind: 'clear-stages' })) ? pauseMs : undefined;
  // Where too much is waiting, this can wait longer.
  return new Periodic(clear, { everyMs: idleMs, firstMs: 0, failed: () => {} });
}
