/** The activity strip of a timeline: what it says, and the ranges that it filters the changes by. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zone_name = 'active.example';

interface Span {
  readonly changes: number;
  readonly added: number;
  readonly removed: number;
  readonly signing: number;
}

needsPeers('chromium')('the activity strip of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    await local('POST', '/zones', { name: zone_name, ...soa });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const record = { zone_name, name, type: 'A', value: '192.0.2.1' };
      const { id } = (await local('POST', '/records', record)).record;
      // Some changes share a span, others do not.
      if (name !== 'c') await delay(60);
      if (name === 'b') await local('DELETE', `/records/${id}`);
    }
    await local('PUT', `/zones/${zone_name}`, { refresh: 1234 });
    await local('POST', `/zones/${zone_name}/tags`, { name: 'before-move', serial: 3 });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Somebody at the timeline, and the spans that the strip was given. */
  async function atStrip(as = token): Promise<{ person: Person; items: Span[] }> {
    const person = await browser.person();
    await person.logIn(as);
    const answered = person.page.waitForResponse((response) =>
      response.url().includes('/activity'),
    );
    await person.open(`/zones/${zone_name}/timeline`);
    const { items } = (await (await answered).json()) as { items: Span[] };
    await person.page.getByRole('slider', { name: 'Activity over time' }).waitFor();
    await person.settled();
    return { person, items };
  }

  /** Of the address as the page itself sees it. */
  const parameterOf = ({ page }: Person, name: string): Promise<string | null> =>
    page.evaluate((wanted) => {
      const { location } = globalThis as unknown as { location: { search: string } };
      return new URLSearchParams(location.search).get(wanted);
    }, name);

  /** Changes that the list shows, once they are those that the address asks for. */
  async function listed(person: Person): Promise<void> {
    const query = new URLSearchParams({ zone: zone_name, limit: '100' });
    for (const name of ['since', 'until']) {
      query.set(name, (await parameterOf(person, name)) ?? 'missing');
    }
    const { items } = await local('GET', `/events?${query}`);
    await expect.poll(() => person.page.getByRole('article').count()).toBe(items.length);
  }

  const isActive = ({ changes, signing }: Span) => changes + signing > 0;

  it('goes from change to change by keys, and filters by what they take', async () => {
    const { person, items } = await atStrip();
    const { page } = person;
    const slider = page.getByRole('slider', { name: 'Activity over time' });
    const sum = (of: (span: Span) => number) => items.reduce((total, span) => total + of(span), 0);
    const told = async () => (await slider.getAttribute('aria-valuetext'))!;
    expect(await told()).toContain(
      `: ${sum(({ changes }) => changes)} changes, 6 records added, 1 removed`,
    );
    await slider.focus();
    const active = items.flatMap((span, index) => (isActive(span) ? [index] : []));
    for (const index of active.toReversed()) {
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe(String(index));
      const { changes, added } = items[index]!;
      expect(await told()).toContain(`: ${changes} change`);
      expect(await told()).toContain(`, ${added} record`);
    }
    await page.keyboard.press('Enter');
    await listed(person);
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await listed(person);
    await page.keyboard.press('Escape');
    await expect.poll(() => parameterOf(person, 'since')).toBeNull();
    await page.keyboard.press('+');
    await expect.poll(() => parameterOf(person, 'from')).not.toBeNull();
    const zoomed = await parameterOf(person, 'from');
    await page.getByRole('link', { name: 'Zoom out' }).click();
    await expect.poll(() => parameterOf(person, 'from')).not.toBe(zoomed);
    if ((await parameterOf(person, 'from')) !== null) {
      await page.getByRole('link', { name: 'Since its creation' }).click();
    }
    await expect.poll(() => parameterOf(person, 'from')).toBeNull();
    expect(person.complaints).toEqual([]);
  });

  it('filters by a range that is drawn, and lets all back in', async () => {
    const { person, items } = await atStrip();
    const { page } = person;
    const { x, y, width } = (await page
      .getByRole('slider', { name: 'Activity over time' })
      .boundingBox())!;
    await page.mouse.move(x + width / 3, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + 10, { steps: 4 });
    await page.mouse.up();
    await listed(person);
    await page.getByRole('link', { name: 'Changes of all times' }).click();
    await expect.poll(() => page.getByRole('article').count()).toBe(9);
    await expect.poll(() => page.locator('.strip g').count()).toBe(items.length);
    expect(items.length).toBeLessThanOrEqual(400);
  });

  it('stands in a table too, whose rows filter', async () => {
    const { person, items } = await atStrip();
    const { page } = person;
    await page.getByText('Activity as a table').click();
    const table = page.getByRole('table', { name: 'Activity', exact: true });
    const active = items.filter(isActive);
    expect(await table.getByRole('row').count()).toBe(active.length + 1);
    for (const [index, { changes, added, removed }] of active.entries()) {
      const cells = table
        .getByRole('row')
        .nth(index + 1)
        .getByRole('cell');
      const texts = (await cells.allTextContents()).slice(0, 3);
      expect(texts).toEqual([changes, added, removed].map(String));
    }
    await table.getByRole('button').first().click();
    await listed(person);
  });

  it('names the tags of the zone, and leads from one to what changed since', async () => {
    const { person } = await atStrip();
    const { page } = person;
    await page
      .getByRole('list', { name: 'Tags' })
      .getByRole('link', { name: 'before-move' })
      .click();
    await page.getByText(/^From serial 3/).waitFor();
  });

  it('is not drawn for who may not read all records', async () => {
    const grants = [{ zone_name, actions: ['zone:read', 'record:read'], record_types: 'A' }];
    const reader = await browser.person();
    await reader.logIn(await tokenOf(service, 'narrow', grants), `/zones/${zone_name}/timeline`);
    await reader.page.getByRole('article').first().waitFor();
    expect(await reader.page.getByRole('slider').count()).toBe(0);
    expect(await reader.page.getByRole('alert').count()).toBe(0);
  });
});
