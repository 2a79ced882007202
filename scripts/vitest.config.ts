import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** For a test that hangs: a slow host takes minutes over what takes seconds elsewhere. */
const patienceMs = process.env.LONG_TESTS === '1' ? 1_800_000 : 300_000;

/** These take far more than the others: minutes in a long run, or most of one in any. */
const longest = [
  /spec\/dnssec\/(matrix|real-life)\.test\.ts$/,
  /spec\/(readme|secondaries\/follow|rfc9432\/catalog|packaging\/one-executable)\.test\.ts$/,
  /spec\/(properties\/transferable-zones|secondaries\/refused-by-others)\.test\.ts$/,
  /spec\/(interface-5\/matrix|rfc7766\/slow-readers|dnssec\/review)\.test\.ts$/,
];

/** What takes longest begins first, so that the rest is done beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((each) => each.test(moduleId));
      return at < 0 ? longest.length : at;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** The whole suite: unit tests beside their file in src/, conformance and end-to-end tests in spec/. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['src/**/*.test.ts', 'spec/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // What is polled for comes when the host has time for it.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // More than the two cores of a small machine: many tests wait for clocks and other programs.
    maxWorkers: 3,
  },
});
