/** The settings of a zone in the console: each change is previewed, and errors stand by their field. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the settings of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  async function at(zone: string, as = token): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    const person = await browser.person();
    await person.logIn(as, `/zones/${zone}/settings`);
    return person;
  }

  const field = ({ page }: Person, name: string) =>
    page.getByRole('region', { name: 'Settings' }).getByLabel(name, { exact: true });
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const stored = async (zone: string) => (await local('GET', `/zones/${zone}`)).zone;

  it('are changed by a preview that says from what to what, and only those that differ', async () => {
    const zone = 'changed.example';
    const alice = await at(zone);
    const { page } = alice;
    const before = await stored(zone);
    await field(alice, 'Refresh').fill('7200');
    await field(alice, 'Mailbox').fill('dns@example.net');
    await field(alice, 'Description').fill('für alle');
    await field(alice, 'Served').uncheck();
    // Somebody else changes another field meanwhile: it stays.
    await local('PUT', `/zones/${zone}`, { retry: 99 });
    await press(alice, 'Preview');
    const table = page.getByRole('table', { name: 'Settings that change' });
    await table.getByRole('row', { name: `removed Refresh ${before.refresh}` }).waitFor();
    await table.getByRole('row', { name: 'added Refresh 7200' }).waitFor();
    await table.getByRole('row', { name: 'added Served no' }).waitFor();
    expect(await table.getByRole('row', { name: /^added/ }).count()).toBe(4);
    expect((await stored(zone)).refresh).toBe(before.refresh);
    await page.getByRole('textbox', { name: 'Reason' }).fill('a new plan');
    await press(alice, 'Change settings');
    await page
      .getByRole('status')
      .getByText(/has serial/)
      .waitFor();
    expect(await stored(zone)).toEqual({
      ...before,
      serial: expect.any(Number),
      retry: 99,
      refresh: 7200,
      rname: 'dns@example.net',
      description: 'für alle',
      enabled: false,
    });
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ reason: 'a new plan', actor: { name: 'alice' } });
    await expect.poll(() => field(alice, 'Retry').inputValue()).toBe('99');
    await press(alice, 'Preview');
    await page.getByText('Nothing differs from what is stored.').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('that are refused say why by their field, with nothing lost', async () => {
    const zone = 'refused.example';
    const alice = await at(zone);
    const { page } = alice;
    const wrong = [
      ['Primary name server', 'a b', /a blank or a control character/],
      ['Refresh', '0', /outside 1\.\./],
      ['Expire', 'soon', /./],
      ['Default TTL', '1', /outside 60\.\.604800/],
      ['Percent of the records that one change may delete', '101', /outside 0\.\.100/],
      ['RRsets that stay as they are', 'a..b', /empty label/],
      ['Locked until', 'tomorrow', /must be a time/],
    ] as const;
    for (const [label, text, message] of wrong) {
      await field(alice, label).fill(text);
      await press(alice, 'Preview');
      await expect.poll(() => field(alice, label).getAttribute('aria-invalid')).toBe('true');
      const said = await field(alice, label).getAttribute('aria-describedby');
      await expect
        .poll(() => page.locator(`[id="${said!.split(' ')[0]}"]`).textContent())
        .toMatch(message);
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await expect
        .poll(() => field(alice, label).evaluate((input) => input.matches(':focus')))
        .toBe(true);
      expect(await field(alice, label).inputValue()).toBe(text);
      await press(alice, 'As it is stored');
    }
    await field(alice, 'Refresh').fill('0');
    await field(alice, 'Retry').fill('0');
    await press(alice, 'Preview');
    await expect.poll(() => page.locator('[aria-invalid="true"]').count()).toBe(2);
    expect(alice.complaints).toEqual([]);
  });

  it('have the guard, which is set as a whole', async () => {
    const zone = 'guarded.example';
    const alice = await at(zone);
    const { page } = alice;
    await local('PUT', `/zones/${zone}`, { guard: { max_deletes: 5, protect: [{ name: 'www' }] } });
    await page.reload();
    await expect.poll(() => field(alice, 'RRsets that stay as they are').inputValue()).toBe('www');
    await field(alice, 'RRsets that stay as they are').fill('www, @/MX');
    await field(alice, 'Why it is locked').fill('');
    await press(alice, 'Preview');
    await page.getByRole('row', { name: 'added RRsets that stay as they are www, @/MX' }).waitFor();
    await press(alice, 'Change settings');
    await expect
      .poll(async () => (await stored(zone)).guard)
      .toEqual({
        max_deletes: 5,
        protect: [
          { name: 'www', type: null },
          { name: '@', type: 'MX' },
        ],
      });
  });

  it('are text for who may not change them, and at an earlier moment those of then', async () => {
    const zone = 'read.example';
    const alice = await at(zone);
    await local('PUT', `/zones/${zone}`, { description: 'then' });
    await alice.open(`/zones/${zone}/settings?at=${new Date(Date.now()).toISOString()}`);
    await alice.page.getByText('then', { exact: true }).waitFor();
    expect(await alice.page.getByRole('button', { name: 'Preview' }).count()).toBe(0);
    const grants = [{ zone_name: zone, actions: ['zone:read'] }];
    const reader = await browser.person();
    await reader.logIn(await tokenOf(service, 'reader', grants), `/zones/${zone}/settings`);
    await reader.page.getByText('hostmaster@example.com').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Preview' }).count()).toBe(0);
  });
});
