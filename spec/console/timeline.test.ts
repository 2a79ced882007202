/** The changes of a zone as its timeline tells them: long ones, what is beside each, and where its history begins. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the timeline of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  /** `stands`: when the clock of the page stands still, if it does. */
  async function at(zone: string, stands?: Date): Promise<Person> {
    const person = await browser.person();
    if (stands !== undefined) await person.page.clock.setFixedTime(stands);
    await person.logIn(token, `/zones/${zone}/timeline`);
    return person;
  }

  /** Makes RRsets of one address each, as one change. */
  const addHosts = (name: string, count: number) =>
    local('POST', `/zones/${name}/import`, {
      mode: 'append',
      content: Array.from({ length: count }, (_, index) => `h${index} A 192.0.2.1`).join('\n'),
    });

  it('counts a change that the list has a part of, and gives all of it by pages', async () => {
    await local('POST', '/zones', { name: 'long.example', ...soa });
    await addHosts('long.example', 250);
    const { page } = await at('long.example');
    const change = page.getByRole('article').first();
    await change.getByText('+250 records').waitFor();
    await change.getByText('… 250 RRsets in all').click();
    const lines = change.getByRole('row', { name: /added h\d/ });
    const more = change.getByRole('button', { name: 'More RRsets of 250 RRsets' });
    await more.click();
    await expect.poll(() => lines.count()).toBe(200);
    await more.click();
    await expect.poll(() => lines.count()).toBe(250);
    await expect.poll(() => more.count()).toBe(0);
  });

  it('ends with who created the zone, and with when versions begin', async () => {
    const zone = 'retained.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const [created] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    const { page, complaints } = await at(zone, new Date(created.at));
    const begins = page.getByText(`${zone} was created just now by`);
    await begins.waitFor();
    expect(await begins.textContent()).toMatch(/Its history begins here\.$/);
    expect(await page.locator('.strip .gone').count()).toBe(0);
    for (const count of [1, 2, 3]) await addHosts(zone, count);
    const { items } = await local('GET', `/events?zone=${zone}&limit=1`);
    const before = new Date(Date.parse(items[0].at) + 1).toISOString();
    await local('POST', `/zones/${zone}/forget-history`, { before });
    await page.reload();
    await begins.getByText(/Versions before .* were deleted by retention/).waitFor();
    await page.getByText(/^Hatched: versions before/).waitFor();
    await expect.poll(() => page.locator('.strip .gone').count()).toBe(1);
    await page.getByRole('link', { name: 'Only mine' }).click();
    await expect.poll(() => begins.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('lists kinds, leaves signing out, and marks deletions and steps of keys', async () => {
    const zone = 'kinds.example';
    await local('POST', '/zones', { name: zone, ...soa });
    await local('DELETE', `/zones/${zone}`);
    await local('POST', `/zones/${zone}/restore`);
    await addHosts(zone, 1);
    await local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    const { page, complaints } = await at(zone);
    const changes = page.getByRole('article');
    const signing = changes.filter({ hasText: 'Signing: enabled' });
    await signing.waitFor();
    const { items } = await local('GET', `/events?zone=${zone}`);
    await expect.poll(() => changes.count()).toBe(items.length);
    await page.getByRole('list', { name: 'Deletions' }).getByRole('link').waitFor();
    await page.getByText(/steps? of keys and signing$/).click();
    const steps = page.getByRole('list', { name: 'Steps of keys and signing' });
    await steps.getByRole('link', { name: 'Signing: enabled' }).waitFor();
    const marked = async () => new Set(await page.locator('.marks text').allTextContents());
    await expect.poll(marked).toEqual(new Set(['✕', '◆']));
    await page.getByRole('link', { name: 'Without signing' }).click();
    const isOfSigning = ({ kind }: { kind: string }) => kind.startsWith('zone.sign');
    const others = items.filter((event: { kind: string }) => !isOfSigning(event));
    await expect.poll(() => changes.count()).toBe(others.length);
    expect(await signing.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Zone deleted');
    await expect.poll(() => changes.count()).toBe(1);
    await page.getByRole('heading', { name: 'Zone deleted' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has a link to each change, its request and its hash; only a web address is a link', async () => {
    const zone = 'linked.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const references = ['https://tickets.example/OPS-7', 'javascript:alert(1)'];
    for (const [index, reference] of references.entries()) {
      await fetch(`http://127.0.0.1:${service.apiPort}/records`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'zonebook-reference': reference,
          'x-request-id': `request-${index}`,
        },
        body: JSON.stringify({ zone_name: zone, name: `h${index}`, type: 'A', value: '192.0.2.1' }),
      });
    }
    const { page, complaints } = await at(zone);
    await page.getByText(`Reference: ${references[1]}`).waitFor();
    const ticket = page.getByRole('link', { name: references[0]! });
    expect(await ticket.getAttribute('href')).toBe(references[0]);
    expect(await ticket.getAttribute('rel')).toBe('noreferrer noopener');
    expect(await page.getByRole('link', { name: /javascript/ }).count()).toBe(0);
    const [, event] = (await local('GET', `/events?zone=${zone}`)).items;
    const change = page.getByRole('article').filter({ hasText: `h0.${zone} A added` });
    await change.getByText(`Event ${event.seq}`).click();
    await change.getByText('X-Request-Id: request-0').waitFor();
    const json = await change.getByRole('figure', { name: `Event ${event.seq}` }).textContent();
    expect(json).toContain(`"hash": "${event.hash}"`);
    await change.getByRole('link', { name: 'Link to this change' }).click();
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    await change.waitFor();
    expect(complaints).toEqual([]);
  });

  it('gives a change of over 1,000 records too, of which the list has none', async () => {
    await local('POST', '/zones', { name: 'longer.example', ...soa });
    await addHosts('longer.example', 3);
    const kept = { mode: 'replace', content: '@ NS ns1.example.com.\n' };
    const hosts = Array.from({ length: 1204 }, (_, index) => `n${index} A 192.0.2.2\n`).join('');
    await local('POST', '/zones/longer.example/import', {
      ...kept,
      content: `${kept.content}${hosts}`,
    });
    const { page, complaints } = await at('longer.example');
    const change = page.getByRole('article').first();
    await change.getByText('+1,204 −3 records').waitFor();
    await change.getByText('What it changed').click();
    await change.getByRole('row', { name: /removed h0\./ }).waitFor();
    await change.getByRole('button', { name: 'More RRsets' }).click();
    await expect
      .poll(() => change.getByRole('row', { name: /(added|removed) \w/ }).count())
      .toBe(200);
    expect(complaints).toEqual([]);
  });
});
