/** The records at the handle of a timeline: of any moment what the zone file of then has, asked for only at rest. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { seedVariable } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';
import { diceOf } from '../support/zone-changes.ts';

const zone = 'moments.example';
const moments = 20;

needsPeers('chromium')('the records at the handle', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const dice = diceOf(Number(process.env[seedVariable]));
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await local('POST', '/zones', { name: zone, ...soa });
    for (let index = 0; index < 25; index++) {
      const names = ['a', 'b', 'c', 'd', 'e'].slice(0, 1 + dice(5));
      const values = [`192.0.2.${index}`, `198.51.100.${dice(99)}`];
      const set = names.map((name) => ({ name, type: 'A', ttl: 300, values }));
      const remove = names.map((name) => ({ name, type: 'A' }));
      const change = index % 4 === 3 ? { delete: remove } : { set };
      await local('POST', '/changes', { zones: [{ name: zone, ...change }] });
      // So that changes are in spans of their own.
      await delay(20);
    }
  });

  const handleOf = ({ page }: Person) => page.getByRole('slider', { name: 'Moment' });
  const regionOf = ({ page }: Person) =>
    page.getByRole('region', { name: 'Records at this moment' });
  const momentOf = ({ page }: Person) => new URL(page.url()).searchParams.get('at');

  /** With a strip from the first change to the last. */
  async function atTimeline(): Promise<Person> {
    const { items } = await local('GET', `/zones/${zone}/versions?limit=100`);
    const [to, from] = [items[0], items.at(-1)].map(({ created_at: at }) => at);
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/timeline?from=${from}&to=${to}`);
    await handleOf(person).waitFor();
    return person;
  }

  /** The moments whose records were asked for, in order. */
  function askedOf({ page }: Person): string[] {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/records')) asked.push(searchParams.get('at') ?? '');
    });
    return asked;
  }

  /** Resolves when so many lists of records were answered. */
  function answersOf({ page }: Person, count: number): Promise<void> {
    let left = count;
    return new Promise((resolve) => {
      page.on('requestfinished', (request) => {
        if (new URL(request.url()).pathname.endsWith('/records') && --left === 0) resolve();
      });
    });
  }

  async function listed(person: Person): Promise<string[]> {
    const rows = await regionOf(person).getByRole('row').all();
    const cells = await Promise.all(
      rows.slice(1).map((row) => row.getByRole('cell').allTextContents()),
    );
    const names = await regionOf(person).getByRole('rowheader').allTextContents();
    return cells
      .map(([type, ttl, value], index) => `${names[index]} ${ttl} ${type} ${value}`)
      .sort();
  }

  async function exported(at: string): Promise<string[]> {
    const path = `/zones/${zone}/export?at=${encodeURIComponent(at)}`;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}${path}`, { headers });
    const lines = (await answer.text()).split('\n').map((line) => line.replace(/\s+/g, ' '));
    return lines
      .filter((line) => / IN (A|NS) /.test(line))
      .map((line) => line.replace(' IN ', ' '))
      .sort();
  }

  it(`are those of the zone file at ${moments} moments, and nothing writes`, async () => {
    const person = await atTimeline();
    const { page } = person;
    const handle = handleOf(person);
    const length = Number(await handle.getAttribute('max'));
    for (let count = 0; count < moments; count++) {
      const before = momentOf(person);
      const passed = 1 + dice(length - 1);
      const stays = (await handle.inputValue()) === String(passed);
      await handle.fill(String(passed));
      if (!stays) await expect.poll(() => momentOf(person)).not.toBe(before);
      const at = momentOf(person)!;
      const records = await exported(at);
      await expect.poll(() => listed(person)).toEqual(records);
      const many = `${records.length} record${records.length === 1 ? '' : 's'}`;
      await regionOf(person).getByRole('status').getByText(`${many} at`).waitFor();
      const { serial } = (await local('GET', `/zones/${zone}?at=${encodeURIComponent(at)}`)).zone;
      await expect
        .poll(() => handle.getAttribute('aria-valuetext'))
        .toMatch(new RegExp(`, serial ${serial}, ${many}$`));
      for (const name of ['New record', /^Edit/, /^Delete/, 'Apply', 'Roll back to here']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
    }
    await page.getByRole('link', { name: 'Back to now' }).first().click();
    await expect.poll(() => regionOf(person).count()).toBe(0);
    expect(person.complaints).toEqual([]);
  });

  it('are asked for once however far the handle was dragged, and then those beside them', async () => {
    const person = await atTimeline();
    const asked = askedOf(person);
    const answered = answersOf(person, 3);
    const handle = handleOf(person);
    // All in one turn of the page: the handle never rests.
    await handle.evaluate((element) => {
      const input = element as unknown as { value: string; max: string } & EventTarget;
      const end = Number(input.max);
      for (let passed = end - 1; passed > end / 2; passed--) {
        input.value = String(passed);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
    });
    await expect.poll(() => momentOf(person)).not.toBeNull();
    const at = momentOf(person)!;
    const records = await exported(at);
    await expect.poll(() => listed(person)).toEqual(records);
    await expect.poll(() => asked.length).toBe(3);
    expect(asked[0]).toBe(at);
    // The change before and the one after are there before anybody asks for them.
    const [earlier = '', later = ''] = asked.slice(1).sort();
    expect(earlier < at && at < later).toBe(true);
    await answered;
    await person.page.route('**/records?*', (route) => route.abort());
    await handle.press('ArrowLeft');
    await expect.poll(() => momentOf(person)).toBe(earlier);
    const then = await exported(earlier);
    await expect.poll(() => listed(person)).toEqual(then);
    expect(asked.filter((moment) => moment === earlier)).toHaveLength(1);
    expect(person.complaints).toEqual([]);
  });

  it('are given up when the handle moves on', async () => {
    const person = await atTimeline();
    const { page } = person;
    const handle = handleOf(person);
    const max = Number(await handle.getAttribute('max'));
    const failed: string[] = [];
    page.on('requestfailed', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/records')) failed.push(searchParams.get('at') ?? '');
    });
    // The first answer never comes.
    await page.route('**/records?*', () => {}, { times: 1 });
    const held = page.waitForRequest('**/records?*');
    await handle.fill(String(Math.floor(max / 2)));
    await expect.poll(() => momentOf(person)).not.toBeNull();
    const at = momentOf(person)!;
    await held;
    await handle.fill(String(Math.floor(max / 3)));
    await expect.poll(() => failed).toContain(at);
    await expect.poll(() => momentOf(person)).not.toBe(at);
    const records = await exported(momentOf(person)!);
    await expect.poll(() => listed(person)).toEqual(records);
    expect(person.complaints).toEqual([]);
  });

  it('are counted at once while the handle moves', async () => {
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/timeline`);
    const said = await handleOf(person).evaluate(async (element) => {
      const input = element as unknown as { value: string } & EventTarget;
      input.value = '2';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
      return (input as unknown as { ariaValueText: string }).ariaValueText;
    });
    await expect.poll(() => momentOf(person)).not.toBeNull();
    const records = await exported(momentOf(person)!);
    expect(said).toMatch(new RegExp(`, ${records.length} records?$`));
    expect(person.complaints).toEqual([]);
  });
});
