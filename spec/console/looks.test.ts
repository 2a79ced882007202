/**
 * Every screen at two widths, light and dark: empty, full, at an earlier moment, and with a refusal. Each is compared
 * with a sketch of what was accepted; ACCEPT_PICTURES=1 keeps new ones, PICTURES_FOLDER gets the pictures to look at.
 * Nothing goes beyond the right edge, and in a narrow table each cell says which column it is of.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { FrozenClock } from '../support/frozen-clock.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { isThere, settle } from '../support/pictured.ts';
import { sketchesApart, sketchOf } from '../support/pictures.ts';
import { callLocally, untilSearchable } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const isAccepting = process.env.ACCEPT_PICTURES === '1';
const folder = process.env.PICTURES_FOLDER ?? join(tmpdir(), 'zonebook-looks');
const sketchesFile = join(import.meta.dirname, 'looks.json');
/** The share of a picture that may look otherwise. */
const tolerance = 0.01;

const zone = 'example.com';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const past = '2026-11-19T00:00:00Z';
const sizes = [
  { width: 1360, height: 900 },
  { width: 390, height: 1600 },
] as const;

interface Look {
  readonly name: string;
  readonly path: string;
  /** What it says once it is there; what most screens have when it is left out. */
  readonly ready?: string;
  /** What is done there before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

const emptyLooks: readonly Look[] = [
  { name: 'zones-empty', path: '/zones' },
  { name: 'secondaries-empty', path: '/secondaries' },
  { name: 'bin-empty', path: '/bin' },
  { name: 'search-empty', path: '/search?q=nothing' },
];

const looks: readonly Look[] = [
  ...['zones', 'changes', 'secondaries', 'access', 'bin', 'health'].map((name) => ({
    name,
    path: `/${name}`,
  })),
  { name: 'import', path: '/import', ready: 'Choose a zone file' },
  { name: 'search', path: '/search?q=www' },
  ...['records', 'timeline', 'compare', 'text', 'dnssec', 'secondaries', 'settings'].map((tab) => ({
    name: `zone-${tab}`,
    path: `/zones/${zone}/${tab}`,
  })),
  { name: 'unsigned', path: '/zones/example.org/dnssec' },
  ...['zones', 'changes', 'bin'].map((name) => ({
    name: `${name}-past`,
    path: `/${name}?at=${past}`,
  })),
  { name: 'purge', path: '/bin/old-shop.example/4/purge', ready: 'What still holds it' },
  ...['records', 'timeline', 'text', 'settings'].map((tab) => ({
    name: `zone-${tab}-past`,
    path: `/zones/${zone}/${tab}?at=${past}`,
  })),
  { name: 'no-such-zone', path: '/zones/elsewhere.example/records', ready: 'There is no such' },
  {
    name: 'import-refused',
    path: '/import',
    ready: 'Choose a zone file',
    async act(page) {
      await page.getByLabel('Name of the zone').fill('example.info');
      await page
        .getByLabel('Text of the file')
        .fill('www 300 IN A 192.0.2.300\n@ 300 IN MX mail\n');
      await press(page, 'Check');
      await page.getByText('errors: nothing').waitFor();
    },
  },
  {
    name: 'settings-refused',
    path: `/zones/${zone}/settings`,
    async act(page) {
      await page.getByLabel('Refresh').fill('soon');
      await press(page, 'Preview');
      await page.locator('.field-error').first().waitFor();
    },
  },
  {
    name: 'secondary-refused',
    path: '/secondaries',
    async act(page) {
      await press(page, 'New secondary');
      await page.getByLabel(/^Name/).fill('ns9');
      await page.getByLabel(/^Address/).fill('not an address');
      await press(page, 'Preview');
      await press(page, 'Register secondary');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'delete-zone',
    path: `/zones/${zone}/settings`,
    async act(page) {
      await press(page, 'Delete the zone…');
      await page.getByLabel(/to confirm/).waitFor();
    },
  },
];

/** What is known of a secondary: how much of it there is, and in which words, is a matter of seconds. */
const silent = {
  asked_at: '2026-11-20T13:40:00Z',
  in_sync: 0,
  behind: 0,
  silence: { since: '2026-11-20T13:40:00Z', error: '127.0.0.1:9 can not be reached' },
  lag: null,
  last_transfer: null,
  last_notify: null,
};

async function withSilentSecondaries(page: Page): Promise<void> {
  await page.route(/\/secondary-states\?/, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const items = body.items.map(({ name }: { name: string }) => ({ name, ...silent }));
    await route.fulfill({ response, json: { ...body, items } });
  });
}

/** What somebody would have to scroll to, and cells that do not say their column. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const faults = [];
    const beyond = document.scrollingElement.scrollWidth - innerWidth;
    if (beyond > 0) faults.push('goes ' + beyond + ' pixels beyond the right edge');
    for (const table of document.querySelectorAll('table.rows')) {
      if (getComputedStyle(table).display !== 'block') continue;
      const names = [...table.querySelectorAll('thead th')].map((head) =>
        head.querySelector('.unseen') ? 'none' : '"' + head.textContent.trim() + '"');
      for (const cell of table.querySelectorAll('tbody td')) {
        const said = getComputedStyle(cell, '::before').content;
        if (said !== names[cell.cellIndex] && cell.childNodes.length > 0)
          faults.push('a cell of column ' + names[cell.cellIndex] + ' says ' + said);
      }
    }
    return faults;
  })()`);

needsPeers('chromium', 'faketime')('the looks of the console', () => {
  const clock = new FrozenClock('2026-11-18T08:00:00Z');
  let service: RunningService;
  let browser: ConsoleBrowser;
  let blank: Page;
  let token: string;
  const known: Record<string, string> = existsSync(sketchesFile)
    ? JSON.parse(readFileSync(sketchesFile, 'utf8'))
    : {};
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);

  // The service, which lives by the clock, ends before it does.
  afterAll(() => clock[Symbol.dispose]());
  beforeConsole(
    async (started) => {
      ({ service, browser, token } = started);
      blank = await (await browser.person()).blankPage();
      mkdirSync(folder, { recursive: true });
    },
    { ...clock.env, ZONEBOOK_DATABASE_VERIFY_INTERVAL_HOURS: '0' },
  );
  afterAll(() => {
    if (isAccepting) writeFileSync(sketchesFile, `${JSON.stringify(known, null, 2)}\n`);
  });

  /** A zone with some history, one that is signed, one that was deleted, a secondary that does not answer. */
  async function fill(): Promise<void> {
    const add = (name: string, type: string, value: string, priority?: number) =>
      local('POST', '/records', { zone_name: zone, name, type, value, priority, ttl: 300 });
    await local('POST', '/zones', { name: zone, ...soa, description: 'the shop' });
    await local('POST', '/zones', { name: 'example.org', ...soa });
    await local('POST', '/zones', { name: 'example.net', ...soa });
    await local('POST', '/zones', { name: 'old-shop.example', ...soa });
    await add('ns1', 'A', '192.0.2.53');
    const { record } = await add('www', 'A', '192.0.2.80');
    await add('mail', 'A', '192.0.2.25');
    await add('@', 'MX', 'mail.example.com.', 10);
    await add('key._domainkey', 'TXT', `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG'.repeat(12)}`);
    clock.set('2026-11-19T10:05:00Z');
    await local('PUT', `/records/${record.id}`, { name: 'www', type: 'A', value: '198.51.100.80' });
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:9' });
    await local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    clock.set('2026-11-20T13:40:00Z');
    await local('DELETE', '/zones/old-shop.example');
    await local('POST', '/roles', { name: 'readers' });
    await local('POST', '/tokens', { name: 'dashboard', role_name: 'readers' });
    await add('shop', 'CNAME', 'www.example.com.');
    await untilSearchable(service);
  }

  const login: Look = { name: 'login-refused', path: '', ready: 'No token yet?' };
  /** Of some screens, some in an ordinary run. */
  const drawn = (these: readonly Look[], most: number) =>
    isAccepting ? these : sampleOf(these, most);

  /** At each size, light and dark: what is wrong with it. */
  async function lookAt(person: Person, look: Look): Promise<string[]> {
    const { page } = person;
    const { name, ready, act } = look;
    const faults: string[] = [];
    const arrive = () =>
      ready === undefined ? isThere(person) : page.getByText(ready).first().waitFor();
    await page.setViewportSize(sizes[0]);
    await arrive();
    await act?.(page);
    for (const size of sizes) {
      await page.setViewportSize(size);
      await arrive();
      await page.mouse.move(0, 0);
      for (const fault of await faultsOf(page)) faults.push(`${name} ${size.width}: ${fault}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const key = `${name}-${size.width}-${colorScheme}`;
        const seen = await page.screenshot({ animations: 'disabled', caret: 'hide' });
        const sketch = await sketchOf(blank, seen);
        const apart = known[key] === undefined ? 1 : sketchesApart(known[key], sketch);
        const file = join(folder, `${key}.png`);
        if (apart > tolerance || process.env.PICTURES_FOLDER) writeFileSync(file, seen);
        // What is the same but for noise is not written anew.
        if (isAccepting && apart > tolerance) known[key] = sketch;
        else if (apart > tolerance) faults.push(`${key} looks otherwise (${apart}): see ${file}`);
      }
    }
    return faults;
  }

  it('are kept of these screens and of no others', () => {
    const keys = [login, ...emptyLooks, ...looks].flatMap(({ name }) =>
      sizes.flatMap(({ width }) => ['light', 'dark'].map((scheme) => `${name}-${width}-${scheme}`)),
    );
    expect(Object.keys(known).sort()).toEqual(keys.sort());
  });

  it('are as they were accepted, whole and with names of columns', async () => {
    const alice = await browser.person({ frozenAt: clock.now });
    const { page } = alice;
    await settle(page);
    await withSilentSecondaries(page);
    await alice.open('/zones');
    await page.getByLabel('Token').fill('zb_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    const faults = await lookAt(alice, login);
    await alice.logIn(token, '/zones');
    const all = async (these: readonly Look[]) => {
      for (const look of these) {
        await alice.open(look.path);
        faults.push(...(await lookAt(alice, look)));
      }
    };
    await all(drawn(emptyLooks, 2));
    await fill();
    await page.clock.setFixedTime(clock.now);
    // Two days have gone by: the session has ended.
    await alice.logIn(token, '/zones');
    await all(drawn(looks, 6));
    expect(faults).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });
});
