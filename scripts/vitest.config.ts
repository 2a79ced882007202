import { defineConfig } from 'vitest/config';

/** The whole suite: unit tests beside their file in src/, conformance and end-to-end tests in spec/. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['src/**/*.test.ts', 'spec/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is polled for comes when the host has time for it.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
