import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser } from '../support/browser.ts';
import { momentBetween } from '../support/moments.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf, untilSearchable } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

needsPeers('chromium')('the search of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let before: string;
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    const local = (method: string, path: string, body: object) =>
      callLocally(service, method, path, body);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await local('POST', '/zones', { name: 'example.com', ...soa });
    await local('POST', '/zones', { name: 'example.net', ...soa });
    const records = [
      ['example.com', 'www', 'A', '192.0.2.9'],
      ['example.net', 'api', 'A', '192.0.2.10'],
      ['example.net', 'note', 'TXT', '<img src=x onerror=alert(1)> rack'],
    ] as const;
    for (const [zone_name, name, type, value] of records) {
      await local('POST', '/records', { zone_name, name, type, value });
    }
    before = await momentBetween();
    await callLocally(service, 'DELETE', '/records?zone_name=example.com&name=www');
    await untilSearchable(service);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  it('finds while somebody types, now and before, and leads to the history', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/zones');
    const { page } = alice;
    await page.getByRole('table').waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.locator('.search input:focus').count()).toBe(1);
    await page.keyboard.type('192.0.2.0/24');
    const found = page.getByRole('region', { name: 'Records', exact: true });
    await found.getByText('192.0.2.10').waitFor();
    const deleted = page.getByRole('region', { name: 'Deleted records' });
    await deleted.getByText(/^until .*\d.*, serial 3$/).waitFor();
    expect(await deleted.locator('time').getAttribute('datetime')).toMatch(/^\d{4}-/);
    await deleted.getByRole('link', { name: 'www.example.com. A' }).click();
    await page.getByRole('heading', { name: 'example.com', exact: true }).waitFor();
    const removal = page.getByRole('article').first();
    await removal.getByRole('row', { name: /removed www\.example\.com\. A/ }).waitFor();
    await page.goBack();
    await found.getByText('192.0.2.10').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('finds zones and tokens, and shows hostile values as what they are', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/search?q=rack');
    const { page } = alice;
    await page.getByText('<img src=x onerror=alert(1)> rack').waitFor();
    await page.getByRole('searchbox', { name: /^Search/ }).fill('ali');
    await page.getByRole('region', { name: 'Tokens and keys' }).getByText('alice').waitFor();
    await page.getByRole('link', { name: 'Changes of alice' }).click();
    await expect.poll(() => page.getByLabel('By', { exact: true }).inputValue()).toBe('alice');
    await page.goBack();
    await page.getByRole('searchbox', { name: /^Search/ }).fill('example');
    const zones = page.getByRole('region', { name: 'Zones' });
    await zones.getByRole('link', { name: 'example.net' }).click();
    await page.getByRole('heading', { name: 'example.net', exact: true }).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('keeps a space that was typed, behind which more is', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const fields = [
      ['/search', page.getByRole('searchbox', { name: /^Search/ }), 'q'],
      ['/changes', page.getByLabel('By', { exact: true }), 'actor'],
      ['/zones/example.net/records', page.getByLabel('Part of name or value'), 'search'],
    ] as const;
    await alice.logIn(token);
    for (const [path, field, parameter] of fields) {
      await alice.open(path);
      await field.focus();
      await page.keyboard.type('two ');
      const asked = () => new URL(page.url()).searchParams.get(parameter)?.trim();
      await expect.poll(asked).toBe('two');
      await alice.atRest();
      await page.keyboard.type('words');
      expect(await field.inputValue()).toBe('two words');
      await expect.poll(asked).toBe('two words');
      await page.goBack();
      await page.goForward();
      await expect.poll(() => field.inputValue()).toBe('two words');
    }
    expect(alice.complaints).toEqual([]);
  });

  it('leads to a deleted zone itself', async () => {
    const zone = 'gone.example';
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    await callLocally(service, 'DELETE', `/zones/${zone}`);
    const alice = await browser.person();
    await alice.logIn(token, '/search?q=gone');
    const zones = alice.page.getByRole('region', { name: 'Zones' });
    await zones.getByRole('link', { name: zone }).click();
    await alice.page.getByText(/^Deleted .* at serial 1\./).waitFor();
    expect(alice.page.url()).toContain(`/bin/${zone}/`);
  });

  it('finds zones from two characters on, and says that records need three', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/search');
    const { page } = alice;
    const note = page.getByText('Records are found from three characters on.');
    await page.getByRole('searchbox', { name: /^Search/ }).fill('le');
    await note.waitFor();
    const zones = page.getByRole('region', { name: 'Zones' });
    await zones.getByRole('link', { name: 'example.net' }).waitFor();
    await page.getByRole('searchbox', { name: /^Search/ }).fill('ple');
    await note.waitFor({ state: 'detached' });
    await zones.getByRole('link', { name: 'example.net' }).waitFor();
  });

  it('leads to where something is done, in the zone that is named', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/search');
    const { page } = alice;
    const commands = page.getByRole('region', { name: 'Commands' }).getByRole('link');
    const ask = (text: string) => page.getByRole('searchbox', { name: /^Search/ }).fill(text);
    const labels = () => commands.allTextContents();
    await ask('ro');
    await expect.poll(labels).toEqual(['Roll keys', 'Changes', 'Tokens, roles and keys']);
    await ask('roll key of example.com');
    await expect.poll(labels).toEqual(['Roll keys: example.com']);
    await commands.click();
    await page.getByRole('region', { name: 'DNSSEC' }).waitFor();
    expect(page.url()).toContain('/zones/example.com/dnssec');
    // One that is not there is none to roll the keys of.
    for (const [text, label] of [
      ['sign nowhere.example', 'Sign'],
      ['backups', 'Health'],
      ['import', 'Import a zone'],
      ['token', 'Tokens, roles and keys'],
    ] as const) {
      await ask(text);
      await expect.poll(labels).toEqual([label]);
    }
    await ask('www');
    await expect.poll(labels).toEqual([]);
    await ask('new zone');
    await expect.poll(labels).toEqual(['New zone']);
    await commands.click();
    const form = page.getByRole('dialog', { name: 'New zone' });
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    expect(alice.complaints).toEqual([]);
  });

  it('offers no command to who may not', async () => {
    const reader = await browser.person();
    const grants = [{ zone_name: 'example.com', actions: ['dnssec:read', 'record:read'] }];
    await reader.logIn(await tokenOf(service, 'one-reader', grants), '/search?q=zone');
    const commands = reader.page.getByRole('region', { name: 'Commands' }).getByRole('link');
    await reader.page.getByText('Nothing was found').waitFor();
    expect(await commands.allTextContents()).toEqual([]);
    await reader.open('/search?q=zone+example.com');
    await expect.poll(() => commands.allTextContents()).toEqual(['Settings: example.com']);
  });

  it('looks at the moment that the page looks at', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/search?q=www&at=${before}`);
    const { page } = alice;
    const found = page.getByRole('region', { name: 'Records', exact: true });
    await found.getByText('192.0.2.9').waitFor();
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByRole('region', { name: 'Deleted records' }).getByText('192.0.2.9').waitFor();
  });

  it('says that nothing was found', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/search?q=nothing-has-this');
    await alice.page.getByText('Nothing was found.').waitFor();
  });
});
