/**
 * Pictures of the screens, which the manual shows. One that looks otherwise, or says other words, fails until somebody
 * has looked at it: ACCEPT_PICTURES=1 writes those that are kept anew.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { FrozenClock } from '../support/frozen-clock.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { isThere, settle } from '../support/pictured.ts';
import { differenceOf, smallPng } from '../support/pictures.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const isAccepting = process.env.ACCEPT_PICTURES === '1';
const folder = join(import.meta.dirname, '../manual/console');
/** What each of them says, line by line. */
const textsFile = join(import.meta.dirname, 'pictures.json');
/** Bytes of a picture at most. */
const mostBytes = 60_000;
/** The share of a picture that may look otherwise. */
const tolerance = 0.01;

const zone = 'example.com';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium', 'faketime')('the pictures of the console', () => {
  const clock = new FrozenClock('2026-11-18T08:00:00Z');
  let service: RunningService;
  let browser: ConsoleBrowser;
  let blank: Page;
  let token: string;
  const texts: Record<string, readonly string[]> = existsSync(textsFile)
    ? JSON.parse(readFileSync(textsFile, 'utf8'))
    : {};
  const at = (time: string) => clock.set(time);
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  /** As alice, with why. */
  async function byToken(method: string, path: string, body: object, reason: string) {
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'zonebook-reason': reason,
      },
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return answer.json() as Promise<{ record: { id: number } }>;
  }
  const add = (name: string, type: string, value: string, priority?: number) =>
    local('POST', '/records', { zone_name: zone, name, type, value, priority, ttl: 300 });

  // The service, which lives by the clock, ends before it does.
  afterAll(() => clock[Symbol.dispose]());
  beforeConsole(
    async (started) => {
      ({ service, browser, token } = started);
      blank = await (await browser.person()).blankPage();
      await local('POST', '/zones', { name: zone, ...soa, description: 'the shop' });
      for (const name of ['example.net', 'example.org'])
        await local('POST', '/zones', { name, ...soa });
      at('2026-11-18T09:30:00Z');
      await add('ns1', 'A', '192.0.2.53');
      await add('@', 'MX', 'mail.example.com.', 10);
      await add('mail', 'A', '192.0.2.25');
      await add('_dmarc', 'TXT', 'v=DMARC1; p=reject');
      at('2026-11-18T14:10:00Z');
      const { record } = await byToken(
        'POST',
        '/records',
        { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.80', ttl: 300 },
        'the first host of the shop',
      );
      at('2026-11-19T10:05:00Z');
      await add('old', 'CNAME', 'www.example.com.');
      await local('POST', '/zones/example.net/dnssec', { parent_ns_addrs: ['127.0.0.1'] });
      at('2026-11-20T13:40:00Z');
      const moved = { name: 'www', type: 'A', value: '198.51.100.80', ttl: 300 };
      await byToken('PUT', `/records/${record.id}`, moved, 'OPS-7: the move to the new rack');
      at('2026-11-20T15:00:00Z');
      await add('shop', 'CNAME', 'www.example.com.');
    },
    {
      ...clock.env,
      ZONEBOOK_DATABASE_VERIFY_INTERVAL_HOURS: '0',
      // A run that the clock wakes would change what they show, sooner or later.
      ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0',
    },
  );
  afterAll(() => {
    if (isAccepting) writeFileSync(textsFile, `${JSON.stringify(texts, null, 2)}\n`);
  });

  interface View {
    readonly width: 1360 | 390;
    readonly dark?: true;
    readonly path: string;
    /** What is done there before the picture is taken. */
    readonly act?: (person: Person) => Promise<void>;
  }

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('dialog').first().getByRole('textbox', { name: label }).fill(text);

  async function collect(person: Person): Promise<void> {
    await press(person, 'Delete old CNAME');
    await person.page.getByRole('button', { name: 'Delete record' }).waitFor();
    await press(person, 'Put into the basket');
    await press(person, 'New record');
    await fill(person, /^Type/, 'MX');
    await fill(person, /^Value/, '20 mail2.example.com.');
    await press(person, 'Put into the basket');
    await person.page.getByText('2 edits in the basket').waitFor();
  }

  const views: Readonly<Record<string, View>> = {
    zones: { width: 1360, path: '/zones' },
    'zones-narrow': { width: 390, dark: true, path: '/zones' },
    records: { width: 1360, path: `/zones/${zone}/records` },
    past: { width: 1360, path: `/zones/${zone}/records?at=2026-11-19T00:00:00Z` },
    'past-narrow': {
      width: 390,
      path: `/zones/${zone}/records?search=www&at=2026-11-19T00:00:00Z`,
    },
    timeline: { width: 1360, dark: true, path: `/zones/${zone}/timeline` },
    'timeline-narrow': { width: 390, path: `/zones/${zone}/timeline` },
    form: {
      width: 1360,
      path: `/zones/${zone}/records`,
      async act(person) {
        await press(person, 'New record');
        await fill(person, /^Type/, 'SRV');
        await fill(person, /^Name/, '_sip._tcp');
        await fill(person, /^Value/, '0 5 5060 sip');
        // Asked for once nothing more is typed.
        await person.page.getByText('has one label').waitFor();
      },
    },
    preview: {
      width: 1360,
      dark: true,
      path: `/zones/${zone}/records`,
      async act(person) {
        await collect(person);
        await press(person, 'Preview 2 edits');
        await person.page.getByRole('button', { name: 'Make 2 edits' }).waitFor();
      },
    },
    'refused-narrow': {
      width: 390,
      path: `/zones/${zone}/records?search=old`,
      async act(person) {
        await press(person, 'New record');
        await fill(person, /^Name/, 'www');
        await fill(person, /^Value/, '192.0.2.300');
        await press(person, 'Put into the basket');
        await press(person, 'Preview 1 edit');
        await person.page.getByText('1 refused').waitFor();
      },
    },
    compare: {
      width: 1360,
      path: `/zones/${zone}/compare`,
      async act({ page }) {
        const file =
          'ns1 300 IN A 192.0.2.53\nwww 300 IN A 203.0.113.80\nftp 300 IN A 192.0.2.21\n';
        await page.getByRole('textbox', { name: 'Text of the file' }).fill(file);
        await page.getByRole('button', { name: 'Compare with the file' }).click();
        await page.getByRole('button', { name: 'Import…' }).waitFor();
      },
    },
    import: {
      width: 1360,
      path: '/import',
      async act({ page }) {
        const lines = ['$ORIGIN example.edu.', '@ 300 IN SOA ns1 hostmaster 1 3600 600 604800 300'];
        const wrong = ['@ 300 IN NS ns1', 'ns1 300 IN A 192.0.2.300', '@ 300 IN MX mail', ''];
        await page.getByLabel('Text of the file').fill([...lines, ...wrong].join('\n'));
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        await page.getByText('2 errors').waitFor();
      },
    },
    dnssec: { width: 1360, path: '/zones/example.net/dnssec' },
    'health-narrow': { width: 390, dark: true, path: '/health' },
    health: { width: 1360, path: '/health' },
  };

  it('are of these screens and of no others', () => {
    const kept = readdirSync(folder).map((file) => file.replace(/\.\w+$/, ''));
    expect([...new Set(kept)].sort()).toEqual(Object.keys(views).sort());
    expect(Object.keys(texts).sort()).toEqual(Object.keys(views).sort());
  });

  const taken = isAccepting ? Object.keys(views) : sampleOf(Object.keys(views), 5);
  it.each(taken)('%s is as it was accepted', async (name) => {
    const view = views[name]!;
    const { width, dark = false, path, act } = view;
    const person = await browser.person({ width, dark, frozenAt: clock.now });
    await settle(person.page);
    const { page } = person;
    await person.logIn(token, path);
    await isThere(person);
    await act?.(person);
    await isThere(person);
    // Nothing is under the pointer.
    await page.mouse.move(0, 0);
    await page.evaluate('document.fonts.ready');
    const text = (await page.locator('body').innerText())
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const seen = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const file = join(folder, `${name}.png`);
    if (isAccepting) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, await smallPng(blank, seen));
      texts[name] = text;
    }
    expect(text).toEqual(texts[name]);
    const difference = await differenceOf(blank, readFileSync(file), seen);
    const kept = join(tmpdir(), `zonebook-${name}.png`);
    if (difference > tolerance) writeFileSync(kept, seen);
    expect({ difference, see: kept }).toEqual({
      difference: expect.toSatisfy((share: number) => share <= tolerance),
      see: kept,
    });
    expect(statSync(file).size).toBeLessThan(mostBytes);
    expect(person.complaints).toEqual([]);
  });

  it('a picture of something else is told from it', async () => {
    const [one, other] = ['zones', 'records'].map((name) =>
      readFileSync(join(folder, `${name}.png`)),
    );
    expect(await differenceOf(blank, one!, one!)).toBe(0);
    expect(await differenceOf(blank, one!, other!)).toBeGreaterThan(tolerance);
  });
});
