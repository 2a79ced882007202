/**
 * Threads that work in the background: they yield to the thread that answers.
 *
 * Linux keeps a priority for each thread, and 0 names the one that asks; elsewhere that would be the
 * whole process, so nothing is done there.
 */
import { getPriority, setPriority } from 'node:os';

/** How much nicer: about a third of the share of a thread that answers, while that one has work. */
const nicer = 5;
const nicest = 19;

/** From now on this thread runs only when those that answer leave it time. Not to be undone. */
export function giveWayToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(nicest, getPriority(0) + nicer));
  } catch {
    // A sandbox may refuse it: then all threads share alike.
  }
}
