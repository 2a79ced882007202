/** The strip of a timeline: who changed how much, what stands out, and the handle that sets the moment. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zone_name = 'scrubbed.example';

needsPeers('chromium')('the strip of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  const remote = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${service.apiPort}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    await local('POST', '/zones', { name: zone_name, ...soa });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const record = { zone_name, name, type: 'A', value: '192.0.2.1' };
      if (name < 'd') expect((await remote('/records', record)).status).toBe(201);
      else await local('POST', '/records', record);
      await delay(50);
    }
    await local('POST', `/zones/${zone_name}/tags`, { name: 'before-move', serial: 3 });
    await local('POST', `/zones/${zone_name}/versions/5/rollback`, {});
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  async function atTimeline(): Promise<Person> {
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone_name}/timeline`);
    await person.page.getByRole('slider', { name: 'Moment' }).waitFor();
    await person.page.getByRole('article').first().waitFor();
    await person.settled();
    return person;
  }

  const parameterOf = ({ page }: Person, name: string) =>
    new URL(page.url()).searchParams.get(name);

  /** That the page has the changes up to its moment, and the serial of then. */
  async function looksAt(person: Person, at: string): Promise<void> {
    const { page } = person;
    const query = new URLSearchParams({ zone: zone_name, limit: '100', until: at });
    const { items } = await local('GET', `/events?${query}`);
    await expect.poll(() => page.getByRole('article').count()).toBe(items.length);
    const { zone } = await local('GET', `/zones/${zone_name}?at=${encodeURIComponent(at)}`);
    await page.getByRole('definition').getByText(String(zone.serial), { exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Roll back to here' }).count())
      .toBe(0);
  }

  it('names the sources of its bars, each of which can stand out', async () => {
    const { page, complaints } = await atTimeline();
    const sources = page.getByRole('list', { name: 'Sources' });
    await sources.getByRole('button', { name: 'api: 3 changes' }).waitFor();
    const cli = sources.getByRole('button', { name: 'cli: 7 changes' });
    expect(await page.locator('.strip .source.api').count()).toBeGreaterThan(0);
    await cli.click();
    await expect.poll(() => cli.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => page.locator('.strip .api:not(.faint)').count()).toBe(0);
    expect(await page.locator('.strip .cli.faint').count()).toBe(0);
    await cli.click();
    await expect.poll(() => page.locator('.strip .faint').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('marks tags and rollbacks, and leads to them', async () => {
    const { page } = await atTimeline();
    await expect.poll(() => page.locator('.marks text').allTextContents()).toEqual(['⚑', '↶']);
    await page.getByRole('list', { name: 'Tags' }).getByText('before-move').waitFor();
    const rollbacks = page.getByRole('list', { name: 'Rollbacks' });
    await rollbacks.getByRole('link', { name: 'Rolled back' }).click();
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    await page.getByRole('heading', { name: 'Rolled back' }).waitFor();
  });

  it('sets the moment by keys, change by change, and goes back to now', async () => {
    const person = await atTimeline();
    const { page } = person;
    // The longer the zone lives the more changes share a span.
    const rows = page.getByRole('table', { name: 'Activity', exact: true }).getByRole('row');
    await page.getByText('Activity as a table').click();
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    const steps = Math.min(3, (await rows.count()) - 2);
    const handle = page.getByRole('slider', { name: 'Moment' });
    expect(await handle.getAttribute('aria-valuetext')).toBe('Now');
    await handle.focus();
    let before = new Date(Date.now() + 1000).toISOString();
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => parameterOf(person, 'at') ?? before).not.toBe(before);
      const at = parameterOf(person, 'at')!;
      expect(Date.parse(at)).toBeLessThan(Date.parse(before));
      before = at;
      await looksAt(person, at);
      expect(await handle.evaluate((element) => element.matches(':focus'))).toBe(true);
    }
    if (steps > 0) {
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => parameterOf(person, 'at')).not.toBe(before);
    }
    await page.keyboard.press('Home');
    await expect.poll(() => parameterOf(person, 'at')).not.toBeNull();
    await page.keyboard.press('End');
    await expect.poll(() => parameterOf(person, 'at')).toBeNull();
    await page.keyboard.press('Home');
    await expect.poll(() => parameterOf(person, 'at')).not.toBeNull();
    await looksAt(person, parameterOf(person, 'at')!);
    const strip = page.getByRole('region', { name: 'Activity' });
    await strip.getByRole('link', { name: 'Back to now' }).click();
    await expect.poll(() => parameterOf(person, 'at')).toBeNull();
    await expect.poll(() => handle.getAttribute('aria-valuetext')).toBe('Now');
    expect(person.complaints).toEqual([]);
  });

  it('sets the moment by dragging', async () => {
    const person = await atTimeline();
    const { page } = person;
    const { x, y, width, height } = (await page
      .getByRole('slider', { name: 'Moment' })
      .boundingBox())!;
    await page.mouse.move(x + width - 8, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 4, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await page.getByText('Nothing can be changed there').waitFor();
    // On a slow host the page has followed the handle to where it was on its way.
    await person.atRest();
    await looksAt(person, parameterOf(person, 'at')!);
  });

  it('zooms by the wheel around the pointer, and lets the page scroll at the end', async () => {
    const person = await atTimeline();
    const { page } = person;
    const strip = page.getByRole('slider', { name: 'Activity over time' });
    const { x, y, width } = (await strip.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 20);
    await page.mouse.wheel(0, -300);
    await expect.poll(() => parameterOf(person, 'from')).not.toBeNull();
    const range = () => {
      const [from, to] = ['from', 'to'].map((name) => Date.parse(parameterOf(person, name)!));
      return { from: from!, to: to! };
    };
    const first = range();
    expect(first.to).toBeGreaterThan(first.from);
    await expect.poll(() => page.getByRole('link', { name: 'Zoom out' }).count()).toBe(1);
    // The list moves what is below, not the strip; yet its place is asked again.
    await strip.hover({ position: { x: 20, y: 20 } });
    await page.mouse.wheel(0, 3000);
    await expect.poll(() => parameterOf(person, 'from')).toBeNull();
    const scrolled = () =>
      page.evaluate(() => (globalThis as unknown as { scrollY: number }).scrollY);
    expect(await scrolled()).toBe(0);
    await strip.hover();
    await page.mouse.wheel(0, 200);
    await expect.poll(scrolled).toBeGreaterThan(0);
    expect(parameterOf(person, 'from')).toBeNull();
    expect(person.complaints).toEqual([]);
  });
});
