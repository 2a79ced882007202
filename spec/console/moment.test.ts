/** The bar of a page that looks at an earlier moment: what it says of a zone, and the ways from there. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the bar of an earlier moment', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  /** A zone with three changes after its second serial; when that was. */
  async function madeThen(zone: string): Promise<string> {
    await local('POST', '/zones', { name: zone, ...soa });
    for (const name of ['www', 'one', 'two', 'three']) {
      const record = { zone_name: zone, name, type: 'A', value: '192.0.2.1' };
      await local('POST', '/records', record);
    }
    const { items } = await local('GET', `/events?zone=${zone}&order=asc&limit=2`);
    return items[1].at;
  }

  it('says the serial and how many changes came since, and restores it', async () => {
    const zone = 'restored.example';
    const at = await madeThen(zone);
    const alice = await browser.person();
    const { page } = alice;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await alice.logIn(token, `/zones/${zone}/records?at=${at}`);
    await page.getByText(/^You look at .*, serial 2 \(3 changes ago, /).waitFor();
    // The head of the zone and the bar are of one answer.
    await page.getByText(/^Made/).waitFor();
    expect(asked.filter((path) => path === `/zones/${zone}/versions`)).toHaveLength(1);
    await page.getByRole('link', { name: 'Compare with now' }).click();
    await page.getByText(/3 added, 0 changed, 0 removed/).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Restore this' }).click();
    const dialog = page.getByRole('dialog', { name: `Roll ${zone} back to serial 2 as serial 6` });
    await dialog.getByRole('row', { name: /removed three/ }).waitFor();
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText(`${zone} has serial 6`).waitFor();
    await expect.poll(() => page.getByText('You look at').count()).toBe(0);
    await page.getByRole('row', { name: /www A/ }).waitFor();
    const { items } = await local('GET', `/records?zone_name=${zone}&type=A`);
    expect(items).toHaveLength(1);
    expect(alice.complaints).toEqual([]);
  });

  it('is none where the address names no moment, which is said', async () => {
    const zone = 'typed.example';
    await madeThen(zone);
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    for (const at of ['garbage', '20', 'tag:before-move', '2026-13-01T00:00:00Z', '2026-11-2']) {
      await alice.open(`/zones/${zone}/records?at=${at}`);
      await page.getByText(`The address names no time: at=${at} is not like`).waitFor();
      await page.getByRole('row', { name: /www A/ }).waitFor();
    }
    await page.getByRole('link', { name: 'Without it' }).click();
    await expect.poll(() => page.getByText('names no time').count()).toBe(0);
    expect(page.url()).not.toContain('at=');
    await alice.open('/changes?since=garbage&until=20');
    await page.getByText('since=garbage').waitFor();
    await page.getByText('until=20').waitFor();
    await page.getByRole('heading', { name: /three\.typed\.example A/ }).waitFor();
    await alice.open('/zones/%zz');
    await page.getByText('%zz').first().waitFor();
  });

  it('leaves out what the caller may not know or do', async () => {
    const zone = 'hidden.example';
    const at = await madeThen(zone);
    const narrow = { zone_name: zone, actions: ['record:read'], record_types: 'A' };
    const grants = [narrow, { zone_name: zone, actions: ['zone:read'] }];
    const reader = await browser.person();
    await reader.logIn(await tokenOf(service, 'narrow', grants), `/zones/${zone}/records?at=${at}`);
    const { page } = reader;
    await page.getByText(/^You look at .*, serial 2 \((?!3 changes)/).waitFor();
    expect(await page.getByRole('button', { name: 'Restore this' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Back to now' }).click();
    await expect.poll(() => page.getByText('You look at').count()).toBe(0);
  });
});
