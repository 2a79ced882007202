/** Reads that the service, or what stands before it, asked to come again later (RFC 9110 10.2.3). */
import { signal } from '@preact/signals';

/** The time in milliseconds until which reads wait; null while none does. */
export const heldUntil = signal<number | null>(null);

/** What ends the wait of each. */
const waiting = new Set<() => void>();

/** The time in milliseconds that a Retry-After says, as seconds or as a date; undefined where it says none. */
export function retryTimeOf(text: string | null, now = Date.now()): number | undefined {
  if (text === null) return undefined;
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Longest time that a timer of a browser takes. */
const maxTimerMs = 2_147_483_647;

/** Resolves at the time, when somebody does not want to wait, or with the signal. */
export function waitUntil(time: number, signal: AbortSignal | undefined): Promise<void> {
  heldUntil.value = Math.max(heldUntil.value ?? 0, time);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      waiting.delete(end);
      signal?.removeEventListener('abort', end);
      if (waiting.size === 0) heldUntil.value = null;
      resolve();
    };
    const timer = setTimeout(end, Math.min(maxTimerMs, Math.max(0, time - Date.now())));
    waiting.add(end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** Asks again what waits, now. */
export function askNow(): void {
  for (const end of [...waiting]) end();
}
