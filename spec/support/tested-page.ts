/** Tests of a page whose commands are run (console-page.ts): one for each of its blocks, in their order. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Entry, PageRun, type Page, readPages } from './console-page.ts';
import { storyWithPeers } from './story.ts';

interface Options {
  /** The executable when left out. */
  readonly entry?: Entry;
  /** Starts what a page needs besides its service. */
  readonly beside?: (run: PageRun) => Promise<AsyncDisposable>;
}

/** `ports` are those that the page names, `env` holds settings of its service. */
export function testPage(
  path: string,
  ports: readonly string[],
  env: Record<string, string> = {},
  options: Options = {},
): void {
  for (const page of readPages(path)) testPart(path, page, ports, env, options);
}

function testPart(
  path: string,
  page: Page,
  ports: readonly string[],
  env: Record<string, string>,
  { entry, beside }: Options,
): void {
  storyWithPeers(
    'curl',
    'script',
    ...page.needs,
  )(path, () => {
    let run: PageRun;
    let other: AsyncDisposable | undefined;
    beforeAll(async () => {
      run = await PageRun.of(page, ports, env, entry);
      expect(await run.startService()).toContain('is running');
      for (const command of page.first) run.run(command);
      other = await beside?.(run);
    });
    afterAll(async () => {
      await other?.[Symbol.asyncDispose]();
      run[Symbol.dispose]();
    });

    it('has commands', () => {
      expect(page.blocks.length).toBeGreaterThan(0);
    });

    it.each(page.blocks)('$title: prints what it says', ({ steps }) => {
      for (const step of steps) {
        const { actual, expected } = run.compare(step);
        expect(actual, step.command).toBe(expected);
      }
    });
  });
}
