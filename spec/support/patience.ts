import { isLong } from './long.ts';

/**
 * Milliseconds that something may take that is waited for, in the time that a test has (vitest.config.ts).
 * What is waited for comes in a moment; on a host that is busy with other things it comes late, and later in a long
 * run, where much is done to much, beside others that do the same.
 */
export const patienceMs: number = isLong ? 900_000 : 240_000;
