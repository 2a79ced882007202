/** Moments of the clock that the test and its service share. */
import { setTimeout as delay } from 'node:timers/promises';

/** One that is no earlier than all that was written, and earlier than all that is written from now on. */
export async function momentBetween(): Promise<string> {
  const now = Date.now();
  while (Date.now() === now) await delay(1);
  return new Date(now).toISOString();
}
