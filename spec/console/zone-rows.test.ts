/** A row of the list of zones: what its keys and controls do, and to whom they are there. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zone = 'rows.example';
const other = 'second.example';

needsPeers('chromium')('a row of the list of zones', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    for (const name of [zone, other]) await local('POST', '/zones', { name, ...soa });
  });

  const rowOf = ({ page }: Person, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

  /** Has the focus on the row of a zone. */
  async function atRow(as = token, query = ''): Promise<Person> {
    const person = await browser.person();
    await person.logIn(as, `/zones${query}`);
    await person.page.getByRole('link', { name: zone, exact: true }).focus();
    return person;
  }

  it('leads by keys to the history and the signing of its zone', async () => {
    const alice = await atRow();
    const { page } = alice;
    await page.keyboard.press('h');
    await page.getByRole('article', { name: 'Zone created' }).waitFor();
    expect(page.url()).toContain(`/zones/${zone}/timeline`);
    await page.goBack();
    await page.getByRole('link', { name: zone, exact: true }).focus();
    await page.keyboard.press('d');
    await page.getByRole('region', { name: 'DNSSEC' }).waitFor();
    expect(page.url()).toContain(`/zones/${zone}/dnssec`);
    expect(alice.complaints).toEqual([]);
  });

  it('deletes its zone once its name is typed, and stays at the list', async () => {
    const alice = await atRow();
    const { page } = alice;
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: `Delete zone ${zone}` });
    await dialog.getByText('It has 1 record and 1 version.').waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete zone' });
    await remove.click();
    expect((await local('GET', `/zones/${zone}`)).zone.name).toBe(zone);
    await dialog.getByLabel(`Type ${zone} to confirm`).fill(zone);
    await dialog.getByLabel('Reason').fill('not used');
    await remove.click();
    await dialog.waitFor({ state: 'detached' });
    await rowOf(alice, zone).waitFor({ state: 'detached' });
    await rowOf(alice, other).waitFor();
    const { items } = await local('GET', '/zones?deleted=true');
    expect(items[0]).toMatchObject({ name: zone, deleted_reason: 'not used' });
    await local('POST', `/zones/${zone}/restore`);
    expect(alice.complaints).toEqual([]);
  });

  it('has no control for what its caller may not do, nor for changes of the past', async () => {
    const grants = [{ zone_name: zone, actions: ['record:read'] }];
    const reader = await atRow(await tokenOf(service, 'reader', grants));
    const row = rowOf(reader, zone);
    await row.getByRole('link', { name: 'History' }).waitFor();
    for (const name of ['Delete', 'DNSSEC']) {
      expect(await row.getByRole(name === 'Delete' ? 'button' : 'link', { name }).count()).toBe(0);
    }
    await reader.page.keyboard.press('x');
    await reader.page.keyboard.press('d');
    expect(new URL(reader.page.url()).pathname).toBe('/console/zones');
    expect(await reader.page.getByRole('dialog').count()).toBe(0);
    const alice = await atRow(token, `?at=${new Date(Date.now()).toISOString()}`);
    await rowOf(alice, zone).getByRole('link', { name: 'History' }).waitFor();
    expect(await alice.page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  });
});
