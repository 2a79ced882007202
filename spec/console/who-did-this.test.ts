/**
 * How far it is from any screen to "who changed this, when, why, and put it back": at most three clicks, or five keys.
 * And what the page weighs.
 */
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleAssets } from '../../scripts/build/console.ts';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';
import { checkout } from '../support/test-titles.ts';

const zone = 'changed.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const screens = [
  '/zones',
  '/changes',
  `/zones/${zone}/records`,
  `/zones/${zone}/compare`,
  `/zones/${zone}/text`,
  ...(isLong
    ? [
        '/secondaries',
        '/access',
        '/bin',
        `/zones/${zone}/timeline`,
        `/zones/${zone}/dnssec`,
        `/zones/${zone}/secondaries`,
      ]
    : []),
];

needsPeers('chromium')('who changed this, and put it back', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let culprit: string;
  let id: number;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    culprit = await tokenOf(service, 'mallory');
    await local('POST', '/zones', { name: zone, ...soa });
    const www = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
    id = (await local('POST', '/records', www)).record.id;
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Somebody else changes www, for a reason. */
  async function breakIt(): Promise<void> {
    const headers = {
      authorization: `Bearer ${culprit}`,
      'content-type': 'application/json',
      'zonebook-reason': 'it was in the ticket',
    };
    const body = JSON.stringify({ name: 'www', type: 'A', value: '192.0.2.66' });
    const url = `http://127.0.0.1:${service.apiPort}/records/${id}`;
    expect((await fetch(url, { method: 'PUT', headers, body })).ok).toBe(true);
  }

  const value = async () => (await local('GET', `/records/${id}`)).record.value;

  /** On the screen: who, why and what. */
  async function isExplained({ page }: Person): Promise<void> {
    const change = page.getByRole('article').first();
    await change.getByText('mallory').waitFor();
    await change.getByText('it was in the ticket').waitFor();
    await change.getByRole('row', { name: /removed www.*192\.0\.2\.1/ }).waitFor();
  }

  it('takes three clicks from any screen', async () => {
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    for (const screen of screens) {
      await breakIt();
      await alice.open(screen);
      let clicks = 0;
      const click = async (role: 'link' | 'button', name: string | RegExp) => {
        await page.getByRole(role, { name }).first().click();
        clicks++;
      };
      if (screen.endsWith('/records')) await click('link', /^History of www A: mallory/);
      else if (screen.endsWith('/compare')) await click('link', 'Timeline');
      else if (!/changes$|timeline$/.test(screen)) await click('link', 'Changes');
      await isExplained(alice);
      await click('button', 'Undo this change');
      await click('button', 'Undo it');
      await expect.poll(value).toBe('192.0.2.1');
      expect({ screen, clicks }).toEqual({ screen, clicks: expect.toSatisfy((n) => n <= 3) });
    }
    expect(alice.complaints).toEqual([]);
  });

  it('takes five keys from any screen', async () => {
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    for (const screen of screens) {
      await breakIt();
      await alice.open(screen);
      await alice.settled();
      let keys = 0;
      const press = async (key: string) => {
        await page.keyboard.press(key);
        keys++;
      };
      if (!/changes$|timeline$/.test(screen)) {
        await alice.press('g c');
        keys += 2;
      }
      await isExplained(alice);
      await press('j');
      await press('u');
      await page.getByRole('button', { name: 'Undo it' }).waitFor();
      await press('Control+Enter');
      await expect.poll(value).toBe('192.0.2.1');
      expect({ screen, keys }).toEqual({ screen, keys: expect.toSatisfy((n) => n <= 5) });
    }
  });

  it('is one key for the last change of the caller itself', async () => {
    const mallory = await browser.person();
    await mallory.logIn(culprit, `/zones/${zone}/records`);
    await breakIt();
    const { page } = mallory;
    await page.getByRole('row', { name: /www A/ }).waitFor();
    await page.keyboard.press('u');
    await page.getByRole('dialog', { name: /^Undo: www\.changed\.example A changed/ }).waitFor();
    await page.getByRole('button', { name: 'Undo it' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await expect.poll(value).toBe('192.0.2.1');
  });
});

it('needs less than 80 kB of script gzipped, in one file', async () => {
  const assets = await consoleAssets(join(checkout, '.'));
  const scripts = Object.entries(assets).filter(([name]) => name.endsWith('.js.gzip'));
  expect(scripts).toHaveLength(1);
  const [[, script]] = scripts as [[string, Buffer]];
  expect(script.length).toBeLessThan(80_000);
  expect(gunzipSync(script).equals(assets[scripts[0]![0].replace(/\.gzip$/, '')]!)).toBe(true);
});
