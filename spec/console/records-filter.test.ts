/** The filter of records in the console: words beside plain text, in one field and in the address. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'words.example';

type HTMLLinks = Iterable<{ readonly textContent: string; click(): void }>;

needsPeers('chromium')('the filter of records', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    const records = [
      ['dyn', 'A', '192.0.2.1'],
      ['a.dyn', 'A', '192.0.2.2'],
      ['a.dyn', 'TXT', 'include:spf'],
      ['www', 'A', '198.51.100.1'],
      ['www', 'MX', 'mail.example.net.'],
    ].map(([name, type, value]) => ({ name, type, value }));
    await callLocally(service, 'POST', `/zones/${zone}/records/bulk`, { records });
  });

  const field = ({ page }: Person) =>
    page.getByRole('searchbox', { name: 'Part of name or value' });
  const listed = async ({ page }: Person) => {
    const names = await page.getByRole('rowheader').allTextContents();
    const values = await page.locator('td[data-label="Type"]').allTextContents();
    return names.map((name, index) => `${name} ${values[index]}`);
  };

  it.each([
    ['type:MX', ['www MX']],
    ['name:*.dyn', ['dyn A', 'a.dyn A', 'a.dyn TXT']],
    ['name:dyn', ['dyn A']],
    ['name:*.dyn type:a value:192.0.2.2/32', ['a.dyn A']],
    ['type:A www', ['www A']],
    ['"include:spf"', ['a.dyn TXT']],
  ])('finds %s', async (text, expected) => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/records`);
    await field(alice).fill(text);
    await expect.poll(() => listed(alice)).toEqual(expected);
    // A shared link finds the same.
    const { href, searchParams } = new URL(alice.page.url());
    expect(searchParams.get('search')).toBe(text);
    await alice.page.goto(href);
    await expect.poll(() => listed(alice)).toEqual(expected);
    expect(await field(alice).inputValue()).toBe(text);
    expect(alice.complaints).toEqual([]);
  });

  it('is not what was typed on the screen before, or above it', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/zones');
    const { page } = alice;
    const link = page.getByRole('link', { name: zone, exact: true });
    await link.waitFor();
    for (const label of ['Part of the name', 'Search everything']) {
      // The next screen is asked for before the one that is left has taken what was typed.
      await page.getByLabel(label).evaluate((input, name) => {
        const typed = input as unknown as { value: string } & EventTarget;
        typed.value = 'words';
        typed.dispatchEvent(new Event('input', { bubbles: true }));
        const { document } = globalThis as unknown as { document: { links: HTMLLinks } };
        [...document.links].find(({ textContent }) => textContent === name)!.click();
      }, zone);
      await expect.poll(() => listed(alice)).toHaveLength(6);
      await alice.atRest();
      expect(new URL(page.url()).pathname).toBe(`/console/zones/${zone}/records`);
      expect(new URL(page.url()).search).toBe('');
      await page.goBack();
      await link.waitFor();
    }
    expect(alice.complaints).toEqual([]);
  });

  it('finds what somebody changed last, or what changed since, at any moment', async () => {
    const carla = await tokenOf(service, 'carla');
    const { items } = await callLocally(service, 'GET', `/records?zone_name=${zone}&name=www`);
    const { id } = items.find(({ type }: { type: string }) => type === 'A');
    const { status } = await fetch(`http://127.0.0.1:${service.apiPort}/records/${id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${carla}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value: '198.51.100.9' }),
    });
    expect(status).toBe(200);
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    await field(alice).fill('by:carla');
    await expect.poll(() => listed(alice)).toEqual(['www A']);
    expect(await page.getByLabel('DNSSEC records').isDisabled()).toBe(true);
    await field(alice).fill('by:carla type:MX');
    await page.getByText('No records match.').waitFor();
    await field(alice).fill('since:2100-01-01');
    await page.getByText('No records match.').waitFor();
    await field(alice).fill('since:1h type:A');
    await expect.poll(() => listed(alice)).toEqual(['dyn A', 'a.dyn A', 'www A']);
    const { items: versions } = await callLocally(service, 'GET', `/zones/${zone}/versions`);
    const earlier = versions.at(-1).created_at;
    await alice.open(`/zones/${zone}/records?at=${earlier}&search=by:carla`);
    await page.getByText('No records match.').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('says which words it does not know, and where those about changes are', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records?name=www&type=MX`);
    await expect.poll(() => listed(alice)).toEqual(['www MX']);
    expect(await field(alice).inputValue()).toBe('name:www type:MX');
    await field(alice).fill('typ:MX since:7d type:TXT');
    await page.getByText('There is no filter typ: here.').waitFor();
    await expect.poll(() => listed(alice)).toEqual(['a.dyn TXT']);
    await page.getByRole('link', { name: 'All records of the zone' }).click();
    await expect.poll(async () => (await listed(alice)).length).toBe(6);
    await field(alice).fill('by:nobody since:1h');
    await page.getByRole('link', { name: 'Look for all changes in the timeline' }).click();
    await expect.poll(() => page.getByLabel('By', { exact: true }).inputValue()).toBe('nobody');
    expect(new URL(page.url()).searchParams.get('since')).toMatch(/Z$/);
    expect(alice.complaints).toEqual([]);
  });
});
