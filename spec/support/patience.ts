import { isLong } from './long.ts';

/**
 * Milliseconds that something may take that is waited for, in the time that a test has (vitest.config.ts).
 * What is waited for comes in a moment; on a host that is busy with other things it comes late, and later in a long
 * run, where much is done to much, beside others that do the same.
 */
export const patienceMs: number = isLong ? 900_000 : 240_000;

/**
 * A line of `server` in knot.conf: how long knotd waits for who reads or sends a message slowly over TCP. By default
 * that is half a second, which a client on a busy host exceeds in the middle of every large transfer.
 */
export const knotPatience = `tcp-io-timeout: ${patienceMs}`;
