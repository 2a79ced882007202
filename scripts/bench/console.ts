/**
 * The row about the console: how soon its screens stand in a real browser, with many zones and a large one, how large
 * a page is and what the service answers for it. The browser is fresh for each screen.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { closeEngines, ConsoleBrowser, type Person } from '../../spec/support/browser.ts';
import { peer } from '../../spec/support/peers.ts';
import type { RunningService } from '../../spec/support/service.ts';
import { type Bench, median, type Row } from './bench.ts';
import { importMix } from './large.ts';

const large = 'large.example';
const clients = 32;
const looks = 3;
const scrubbedChanges = 30;

const screens = {
  'the list of zones': '/zones',
  'the last page of zones': '/zones?offset=LAST',
  'records of the large zone': `/zones/${large}/records`,
  'a page in the middle of it': `/zones/${large}/records?offset=MIDDLE`,
  'its records at its first moment': `/zones/${large}/records?at=1`,
  'its timeline': `/zones/${large}/timeline`,
  'it as a text': `/zones/${large}/text`,
  'its two versions compared': `/zones/${large}/compare?from=1`,
  'how it is signed': `/zones/${large}/dnssec`,
  'its secondaries': `/zones/${large}/secondaries`,
  'its settings': `/zones/${large}/settings`,
  'all changes': '/changes',
  'what a search finds': '/search?q=web',
  secondaries: '/secondaries',
  access: '/access',
  'the bin': '/bin',
  health: '/health',
} as const;

/** What somebody sees of a screen, in milliseconds from its address on. */
interface Look {
  readonly paintMs: number;
  readonly readyMs: number;
  readonly nodes: number;
  /** Bytes of the longest answer. */
  readonly longest: number;
}

async function benchConsole(bench: Bench): Promise<void> {
  if (peer('chromium') === undefined) return;
  await using service = await bench.service({ ZONEBOOK_LOGGING_LEVEL: 'error' });
  const { records } = bench.options;
  const zones = Math.ceil(records / 10);
  await createZones(service.running, zones);
  await importMix(bench, service, large, records);
  const browser = await ConsoleBrowser.launch(service.running.apiPort);
  try {
    for (const [what, path] of Object.entries(screens)) {
      const address = path
        .replace('LAST', String(Math.max(0, zones - 100)))
        .replace('MIDDLE', String(Math.floor(records / 2)));
      const seen: Look[] = [];
      for (let look = 0; look < looks; look++) {
        seen.push(await lookAt(await browser.person(), address));
      }
      const middle = (of: (look: Look) => number) => median(seen.map(of));
      const size = `${middle(({ nodes }) => nodes)} nodes, longest answer ${Math.ceil(
        middle(({ longest }) => longest) / 1000,
      )} kB`;
      bench.note(
        `${what}: painted first`,
        middle(({ paintMs }) => paintMs),
        'ms',
      );
      bench.note(
        `${what}: rows there`,
        middle(({ readyMs }) => readyMs),
        'ms',
        { remark: size },
      );
    }
    await scrub(bench, service.running, await browser.person());
  } finally {
    await browser[Symbol.asyncDispose]();
    await closeEngines();
  }
}

/** What the page of a timeline holds before and after its handle was moved to and fro. */
async function scrub(bench: Bench, service: RunningService, person: Person): Promise<void> {
  for (let count = 0; count < scrubbedChanges; count++) {
    const record = { name: `scrubbed-${count}`, type: 'A', value: '192.0.2.1' };
    await service.must('POST', '/records', { zone_name: large, ...record });
  }
  const { page } = person;
  await person.open(`/zones/${large}/timeline`);
  const handle = page.getByRole('slider', { name: 'Moment' });
  await handle.waitFor();
  await handle.focus();
  const engine = await page.context().newCDPSession(page);
  const megabytes = async () => {
    await engine.send('HeapProfiler.collectGarbage');
    return (await engine.send('Runtime.getHeapUsage')).usedSize / 1e6;
  };
  const turn = async (turns: number) => {
    for (let done = 0; done < turns; done++) {
      await page.keyboard.press(done % 20 < 10 ? 'ArrowLeft' : 'ArrowRight');
      // At rest it shows the rows of then.
      await delay(done % 5 === 0 ? 250 : 20);
    }
  };
  await turn(100);
  bench.note('scripts of a timeline, after 100 turns of its handle', await megabytes(), 'MB');
  await turn(1000);
  bench.note('the same after 1,000 more', await megabytes(), 'MB');
}

async function createZones(service: RunningService, count: number): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const name = `zone-${next++}.example`;
      await service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
}

/** Opens a screen, waits until its rows are there, and goes away. What single rows ask for aside is not waited for. */
async function lookAt(person: Person, path: string): Promise<Look> {
  const { page } = person;
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
    // One that ends as the page goes is not of it.
    sizes.push(size.catch(() => 0));
  });
  await person.open(path);
  await page.locator('main [aria-busy="false"]').first().waitFor();
  while ((await page.locator('.skeleton').count()) > 0) await nextTurn();
  const seen = (await page.evaluate(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    readyMs: performance.now(),
    nodes: document.querySelectorAll('*').length,
  })`)) as Omit<Look, 'longest'>;
  const longest = Math.max(...(await Promise.all(sizes)));
  await page.close();
  return { ...seen, longest };
}

export const consoleRows: readonly Row[] = [
  { name: 'console', what: 'screens of the console with many zones', run: benchConsole },
];
