import { defineConfig } from 'vitest/config';

/** For a test that hangs: a slow host takes minutes over what takes seconds elsewhere. */
const patienceMs = process.env.LONG_TESTS === '1' ? 1_800_000 : 300_000;

/** The whole suite: unit tests beside their file in src/, conformance and end-to-end tests in spec/. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['src/**/*.test.ts', 'spec/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // What is polled for comes when the host has time for it.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
