/**
 * README and the pages beside it are true: their tested commands run in order, each page in a fresh copy of the
 * checkout's entry points with a service of its own, and print what it says there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageRun, readPage } from './support/console-page.ts';
import { needsPeers, peer } from './support/peers.ts';

/** Pages with the ports that they name, and the settings that their service needs. */
const pages: readonly [path: string, ports: readonly string[], env?: Record<string, string>][] = [
  ['README.md', ['3000', '5300', '5301']],
  ['spec/api-by-example.md', ['3000', '5300']],
  ['spec/access-control.md', ['3000', '5300']],
  ['spec/history.md', ['3000', '5300']],
  ['spec/dnssec.md', ['3000', '5300', '5302']],
];

needsPeers('curl', 'script')('commands of pages', () => {
  describe.each(pages)('%s', (path, ports, env) => {
    const page = readPage(path);
    let run: PageRun;
    beforeAll(async () => {
      run = await PageRun.of(page, ports, env);
      expect(await run.startService()).toContain('is running');
    });
    afterAll(() => run[Symbol.dispose]());

    it.each(page.blocks)('$title: prints what it says', ({ needs, steps }, context) => {
      const missing = needs.filter((name) => peer(name) === undefined);
      if (process.env.REQUIRE_PEERS === '1') expect(missing).toEqual([]);
      if (missing.length > 0) context.skip(`missing here: ${missing.join(', ')}`);
      for (const step of steps) {
        const { actual, expected } = run.compare(step);
        expect(actual, step.command).toBe(expected);
      }
    });
  });
});
