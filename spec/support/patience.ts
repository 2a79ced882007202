/**
 * Milliseconds that something may take that is waited for, in the time that a test has (vitest.config.ts).
 * What is waited for comes in a moment; on a host that is busy with other things it comes late.
 */
export const patienceMs = 240_000;
