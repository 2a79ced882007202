import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { momentBetween } from '../support/moments.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const hostile = ['<img src=x onerror=alert(1)>', '\u202Egnp.exe', "';alert(1)//"];

needsPeers('chromium')('the screens of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let asked: string;
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    const local = (method: string, path: string, body: object) =>
      callLocally(service, method, path, body);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await local('POST', '/zones', { name: 'example.com', ...soa, description: hostile[0] });
    await local('POST', '/zones', { name: 'example.net', ...soa });
    await local('POST', '/zones/example.com/dnssec', { parent_ns_addrs: ['127.0.0.1'] });
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:1' });
    const zone_name = 'example.com';
    const add = (name: string, type: string, value: string) =>
      local('POST', '/records', { zone_name, name, type, value });
    const { record } = await add('www', 'A', '192.0.2.1');
    asked = await momentBetween();
    const change = { name: 'www', type: 'A', ttl: 300, value: '192.0.2.2' };
    await local('PUT', `/records/${record.id}`, change);
    for (const [index, value] of hostile.entries()) await add(`hostile${index}`, 'TXT', value);
    await add('long', 'TXT', 'x'.repeat(3000));
    await add('huge', 'TXT', '<b>'.repeat(20_000));
    await add('nul\\000and\\060b\\062', 'A', '192.0.2.66');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const cellsOf = (person: Person, row: RegExp) =>
    person.page.getByRole('row', { name: row }).first();

  it('lead from a zone to its records, to the history of one, and back', async () => {
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    await page.getByLabel('Part of the name').fill('ample.com');
    await page.getByRole('link', { name: 'example.com' }).click();
    await cellsOf(alice, /www A .* 192\.0\.2\.2/).waitFor();
    await page.getByRole('link', { name: 'History of www A' }).click();
    const changes = page.getByRole('article');
    await changes
      .first()
      .getByRole('row', { name: /added www\.example\.com\. A 300 192\.0\.2\.2/ })
      .waitFor();
    expect(await changes.count()).toBe(2);
    await page.goBack();
    await cellsOf(alice, /www A/).waitFor();
    // The address has it all: another tab shows the same.
    await page.goForward();
    const other = await alice.otherTab(new URL(page.url()).href.split('/console')[1]);
    await other.getByRole('article').nth(1).waitFor();
    expect(await other.getByRole('article').count()).toBe(2);
    expect(alice.complaints).toEqual([]);
  });

  it('compare an earlier moment with now', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/example.com/compare?from=${asked}`);
    const { page } = alice;
    await page
      .getByRole('row', { name: /removed www\.example\.com\. A 3600 192\.0\.2\.1/ })
      .waitFor();
    await page.getByRole('row', { name: /added www\.example\.com\. A 300 192\.0\.2\.2/ }).waitFor();
  });

  it('show hostile values as what they are, and run nothing', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/zones/example.com/records?search=hostile');
    const { page } = alice;
    await page.getByText(hostile[0]!).waitFor();
    await page.getByText('⟨U+202E⟩gnp.exe').waitFor();
    await alice.open('/changes');
    await page.getByText(hostile[0]!).first().waitFor();
    await alice.open('/zones/example.com/records?search=long');
    await page.getByText(/3,0\d\d characters/).waitFor();
    await alice.open('/zones/example.com/records?search=huge');
    await page.getByText(/6\d,\d\d\d characters/).waitFor();
    // What was said of it in the history, too.
    await alice.open('/zones/example.com/timeline?name=huge');
    await page.getByText(/6\d,\d\d\d characters/).waitFor();
    await alice.open('/zones/example.com/records?search=nul');
    await page.getByRole('row', { name: /nul\\000and/ }).waitFor();
    expect(await page.locator('main b').count()).toBe(0);
    expect(alice.complaints).toEqual([]);
    expect([...alice.origins]).toEqual([`http://127.0.0.1:${service.apiPort}`]);
  });

  it('answer to keys, none of them while somebody types', async () => {
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    await page.getByRole('table').waitFor();
    await alice.press('g c');
    await page.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
    await alice.press('g z');
    await page.getByRole('link', { name: 'example.com' }).waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('gz?');
    expect(await page.getByLabel('Part of the name').inputValue()).toBe('gz?');
    await page.getByRole('link', { name: 'example.net' }).waitFor({ state: 'detached' });
    await page.getByLabel('Part of the name').fill('');
    await page.getByRole('link', { name: 'example.net' }).waitFor();
    await page.getByLabel('Part of the name').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'example.net', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  });

  it('tell of keys, of secondaries that do not answer, and of browsers that are logged in', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/zones/example.com/dnssec');
    const { page } = alice;
    await page.getByRole('row', { name: /CSK ecdsap256sha256 active/ }).waitFor();
    await page.getByText(/^example\.com\. IN DS \d+ 13 2/).waitFor();
    await expect.poll(() => page.locator('.key-lives rect.active').count()).toBe(1);
    await page.getByText(/^Do not give it to the registrar before/).waitFor();
    await alice.open('/zones/example.com/secondaries');
    await page.getByRole('row', { name: /127\.0\.0\.1:1 not yet: / }).waitFor();
    await alice.open('/access');
    await page.getByRole('row', { name: /alice admin/ }).waitFor();
    const other = await browser.person();
    await other.logIn(await tokenOf(service, 'mallory'));
    await page.reload();
    await alice.settled();
    await page
      .getByRole('row', { name: /mallory 127/ })
      .getByRole('button', { name: 'End' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('row', { name: /mallory 127/ }).waitFor({ state: 'detached' });
    await other.page.reload();
    await other.page.getByRole('dialog', { name: 'Log in to Zonebook' }).waitFor();
  });

  it('tell who may see nothing what to do, and what is hidden as if it were missing', async () => {
    const nobody = await tokenOf(service, 'nobody', []);
    const visitor = await browser.person();
    await visitor.logIn(nobody);
    await visitor.page.getByText('None that role nobody may see').waitFor();
    const words = 'There is no such thing, or it is not visible to you.';
    for (const zone of ['example.com', 'never.example']) {
      await visitor.open(`/zones/${zone}`);
      await visitor.page.getByRole('alert').getByText(words).waitFor();
    }
  });
});
