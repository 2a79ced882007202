import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong, seedVariable } from '../spec/support/long.ts';
import { patienceMs } from '../spec/support/patience.ts';
import { isInShare } from './suite-share.ts';

const root = new URL('..', import.meta.url).pathname;

/**
 * Files, and the tests in each, come in another order every time, so that none can lean on what another
 * left behind. The run prints its seed; `TEST_SEED` brings an order back.
 */
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));

/**
 * For a test that hangs: a slow host takes minutes over what takes seconds elsewhere, and hours over what takes a
 * quarter of one, in a long run, whose heaviest files come beside each other.
 */
const timeLimitMs = isLong ? 3 * 3_600_000 : 300_000;

/** These take two minutes to an hour in a long run, and little in any other; the longest stand first. */
const longestOfLong = [
  /spec\/visibility\/reads\.test\.ts$/,
  /spec\/(visibility\/mutants|dnssec\/matrix|mutation\/mutation)\.test\.ts$/,
  /spec\/(events\/readers|dnssec\/(real-life|verify)|openapi-judges)\.test\.ts$/,
  /spec\/(search\/addresses|changes\/long-diffs|dnssec\/moved-clock|interface-2\.1\/cursors)\.test\.ts$/,
  /spec\/(durability\/(overload|faulty-disk|retention)|import\/moved-from-powerdns)\.test\.ts$/,
  /spec\/properties\/(past|stored-zones|retention|damaged-file)\.test\.ts$/,
];

/** These take far more than the others: minutes in a long run, or most of one in any. */
const longest = [
  ...(isLong ? longestOfLong : []),
  /spec\/dnssec\/(matrix|real-life|moved-clock)\.test\.ts$/,
  /spec\/(tests\/readme|tests\/clients|secondaries\/follow|rfc9432\/catalog|packaging\/one-executable)\.test\.ts$/,
  /spec\/(properties\/transferable-zones|secondaries\/refused-by-others)\.test\.ts$/,
  /spec\/(interface-5\/matrix|rfc7766\/slow-readers|dnssec\/review)\.test\.ts$/,
];

/** Whether files are left out, as `npm test` does: not where paths or titles are named, nor with `ALL_TESTS=1`. */
function takesShare(paths: readonly string[], title: RegExp | undefined): boolean {
  const isWhole = ['src/', 'spec/', 'scripts/'].every((folder) =>
    paths.some((path) => path.startsWith(folder)),
  );
  return isWhole && title === undefined && !isLong && process.env.ALL_TESTS !== '1';
}

/** What takes longest begins first, so that the rest is done beside it, in the order of the seed. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const drawnBy = this.ctx.config.sequence.seed;
    const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);
    const placeOf = (path: string) => {
      const found = longest.findIndex((each) => each.test(path));
      const rank = found < 0 ? longest.length : found;
      const draw = createHash('sha256').update(`${drawnBy} ${path}`);
      return `${String(rank).padStart(4, '0')} ${draw.digest('hex')}`;
    };
    const { testNamePattern } = this.ctx.config;
    let taken = files;
    if (takesShare(files.map(pathOf), testNamePattern)) {
      taken = files.filter((file) => isInShare(pathOf(file), drawnBy));
      const left = files.length - taken.length;
      this.ctx.logger.log(`Takes all files but ${left}, drawn by the seed; ALL_TESTS=1 takes all.`);
    }
    return taken.toSorted((one, other) => (placeOf(pathOf(one)) < placeOf(pathOf(other)) ? -1 : 1));
  }
}

/** The whole suite: unit tests beside their file in src/, conformance and end-to-end tests in spec/. */
export default defineConfig({
  root,
  test: {
    include: ['src/**/*.test.ts', 'spec/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['spec/support/global-setup.ts'],
    setupFiles: [
      'spec/support/fresh-connections.ts',
      'spec/support/built-threads.ts',
      'spec/support/stopped-jobs.ts',
    ],
    env: { [seedVariable]: String(seed) },
    testTimeout: timeLimitMs,
    hookTimeout: timeLimitMs,
    // What is polled for comes when the host has time for it.
    expect: { poll: { timeout: patienceMs } },
    sequence: { sequencer: LongestFirst, shuffle: { tests: true }, seed },
    pool: 'forks',
    // Files share their workers, and what these loaded: no test may mock a module.
    isolate: false,
    restoreMocks: true,
    // More than the two cores of a small machine: many tests wait for clocks and other programs.
    maxWorkers: 4,
  },
});
