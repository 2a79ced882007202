/** When sessions end: one rule for those who answer requests, and for the writer. */

import { Problem } from '../../base/problem.ts';

/** How long sessions last, in milliseconds. */
export interface SessionTimes {
  /** Without use. */
  readonly idleMs: number;
  /** In any case. */
  readonly ageMs: number;
}

/** When a session was opened and last used, in milliseconds since 1970. */
export interface SessionUse {
  readonly openedAt: number;
  readonly seenAt: number;
}

/** When it ends unless it is used again, in milliseconds since 1970. */
export function endOfSession(
  { openedAt, seenAt }: SessionUse,
  { idleMs, ageMs }: SessionTimes,
): number {
  return Math.min(seenAt + idleMs, openedAt + ageMs);
}

/** The refusal of what came by a session that has ended. */
export function sessionEnded(): Problem {
  return new Problem('UNAUTHORIZED', 'the session that this came by has ended: log in again');
}
