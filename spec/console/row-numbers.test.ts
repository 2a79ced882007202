/** Tables that have a page of a longer list say how many rows that has, and which of them they present. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'numbered.example';
const count = 150;

needsPeers('chromium')('the rows of a page', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    const records = Array.from({ length: count - 1 }, (_, index) => ({
      name: `h${index}`,
      type: 'A',
      value: '192.0.2.1',
    }));
    await callLocally(service, 'POST', `/zones/${zone}/records/bulk`, { records });
  });

  const numbered = async ({ page }: Person) => {
    const table = page.getByRole('table');
    const numbers = await table
      .getByRole('row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-rowindex')));
    return [await table.getAttribute('aria-rowcount'), numbers[0], numbers[1], numbers.at(-1)];
  };

  it('have numbers in the whole list, and none where the page has all of it', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    await expect.poll(() => numbered(alice)).toEqual(['151', '1', '2', '101']);
    await page.getByRole('link', { name: 'Next' }).click();
    await expect.poll(() => numbered(alice)).toEqual(['151', '1', '102', '151']);
    await page.getByRole('searchbox', { name: 'Part of name or value' }).fill('name:h1');
    await expect.poll(() => numbered(alice)).toEqual([null, null, null, null]);
    expect(alice.complaints).toEqual([]);
  });
});
