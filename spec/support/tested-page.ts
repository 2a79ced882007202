/** Tests of a page whose commands are run (console-page.ts): one for each of its blocks, in their order. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PageRun, readPage } from './console-page.ts';
import { storyWithPeers } from './story.ts';

/** `ports` are those that the page names, `env` holds settings of its service; `beside` starts what else it needs. */
export function testPage(
  path: string,
  ports: readonly string[],
  env: Record<string, string> = {},
  beside?: (run: PageRun) => Promise<AsyncDisposable>,
): void {
  const page = readPage(path);
  storyWithPeers(
    'curl',
    'script',
    ...page.needs,
  )(path, () => {
    let run: PageRun;
    let other: AsyncDisposable | undefined;
    beforeAll(async () => {
      run = await PageRun.of(page, ports, env);
      expect(await run.startService()).toContain('is running');
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
