/**
 * Clears away, a little with each commit, what large changes have left behind: what they replaced, and what
 * was prepared and never published.
 */
import type { Engine } from '../../engine/engine.ts';

/** Milliseconds between two looks when there was nothing to clear. */
const restMs = 2000;
/** Milliseconds between two goes, so that others come first. */
const pauseMs = 5;

export interface Clearing {
  stop(): void;
}

export function startClearing(engine: Pick<Engine, 'operate'>): Clearing {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const again = (delayMs: number) => {
    if (isStopped) return;
    timer = setTimeout(go, delayMs);
    timer.unref();
  };
  const go = async () => {
    try {
      again((await engine.operate({ kind: 'clear-stages' })) ? pauseMs : restMs);
    } catch {
      // Too much is waiting: this can wait longer.
      again(restMs);
    }
  };
  again(0);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
