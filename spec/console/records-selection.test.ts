/** Several records at once: other values, another name, another zone, and what lies beyond the page. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('what can be done to selected records', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const few = [
    { name: 'a', type: 'A', value: '192.0.2.1', ttl: 300 },
    { name: 'b', type: 'MX', value: 'mail10.example.net.', priority: 10, ttl: 300 },
    { name: 'c', type: 'TXT', value: ['mail10 one', 'two "mail10"'], ttl: 300 },
  ];

  async function at(zone: string, records: readonly object[], query = ''): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', `/zones/${zone}/records/bulk`, { records });
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/records${query}`);
    return person;
  }

  const box = ({ page }: Person, what: string) =>
    page.getByRole('checkbox', { name: `Select ${what}` });
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = ({ page }: Person, name: RegExp, text: string) =>
    page.getByRole('dialog').getByRole('textbox', { name }).fill(text);
  const listed = async (zone: string) => {
    const { items } = await local('GET', `/records?zone_name=${zone}&limit=100`);
    return items
      .filter(({ type }: { type: string }) => type !== 'NS')
      .map(({ name, type, ttl, priority, value }: Record<string, unknown>) => {
        return [String(name).replace(`.${zone}.`, ''), type, ttl, priority, value];
      });
  };
  const selectFew = async (alice: Person) => {
    await box(alice, 'a A').check();
    await box(alice, 'c TXT').click({ modifiers: ['Shift'] });
    await alice.page.getByText('3 records selected').waitFor();
  };

  it('replaces a text in their values, not in priorities, and passes over those without it', async () => {
    const zone = 'replaced.example';
    const alice = await at(zone, few);
    await selectFew(alice);
    await press(alice, 'Replace in values');
    await fill(alice, /^Text to replace/, '10');
    await fill(alice, /^By/, '20');
    await press(alice, 'Preview');
    await press(alice, 'Change 2 records');
    await expect
      .poll(() => listed(zone))
      .toEqual([
        ['a', 'A', 300, null, '192.0.2.1'],
        ['b', 'MX', 300, 10, 'mail20.example.net.'],
        ['c', 'TXT', 300, null, ['mail20 one', 'two "mail20"']],
      ]);
    await alice.page.getByText(/records? selected/).waitFor({ state: 'detached' });
    expect(alice.complaints).toEqual([]);
  });

  it('moves them to another name, by the basket too', async () => {
    const zone = 'moved.example';
    const alice = await at(zone, few);
    await selectFew(alice);
    await press(alice, 'Move to another name');
    await fill(alice, /^Name/, 'new');
    await press(alice, 'Put into the basket');
    await alice.page.getByText('3 edits in the basket').waitFor();
    await alice.page.getByText(/records? selected/).waitFor({ state: 'detached' });
    await press(alice, 'Preview 3 edits');
    await press(alice, 'Make 3 edits');
    await expect
      .poll(async () => (await listed(zone)).map(([name, type]: string[]) => `${name} ${type}`))
      .toEqual(['new A', 'new MX', 'new TXT']);
    expect((await local('GET', `/zones/${zone}`)).zone.serial).toBe(3);
  });

  it('copies them to another zone, and says when there is none', async () => {
    const zone = 'copied.example';
    const alice = await at(zone, few);
    await local('POST', '/zones', { name: 'target.example', ...soa });
    await selectFew(alice);
    await press(alice, 'Copy to another zone');
    await fill(alice, /^Zone/, 'never.example');
    await press(alice, 'Preview');
    const preview = alice.page.getByRole('dialog', { name: /^Copy 3 records/ });
    await preview.getByRole('alert').waitFor();
    await preview.getByRole('button', { name: 'Cancel' }).click();
    await fill(alice, /^Zone/, 'Target.example.');
    await press(alice, 'Preview');
    await press(alice, 'Copy 3 records');
    await expect.poll(() => listed('target.example')).toEqual(await listed(zone));
    expect((await listed(zone)).length).toBe(3);
    expect(alice.complaints).toEqual([]);
  });

  it('reaches all that the filter finds, beyond the page', async () => {
    const zone = 'many.example';
    const many = (count: number, value: string) =>
      Array.from({ length: count }, (_, index) => {
        return { name: `${value.slice(-1)}-${index}`, type: 'A', value };
      });
    const records = [...many(130, '192.0.2.1'), ...many(900, '198.51.100.2')];
    const alice = await at(zone, records, '?search=type:A');
    const { page } = alice;
    await box(alice, '1-0 A').check();
    await press(alice, 'Select all that match');
    await page.getByText('1,030 records match. Select at most 1,000 at once').waitFor();
    await page.getByText('1 record selected').waitFor();
    const filter = page.getByRole('searchbox', { name: 'Part of name or value' });
    await filter.fill('value:192.0.2.0/24');
    await page.getByText('1 to 100 of 130 records').waitFor();
    await box(alice, '1-0 A').check();
    await press(alice, 'Select all that match');
    await page.getByText('130 records selected').waitFor();
    await box(alice, '1-1 A').uncheck();
    await press(alice, 'Delete selected');
    await press(alice, 'Delete 129 records');
    await page.getByText('1 to 1 of 1 records').waitFor();
    await page.getByText(/records? selected/).waitFor({ state: 'detached' });
    const left = await local('GET', `/records?zone_name=${zone}&type=A`);
    expect(left.pagination.total).toBe(901);
    expect(alice.complaints).toEqual([]);
  });

  it('is not offered to who may not do it', async () => {
    const zone = 'read.example';
    await at(zone, few);
    const grants = [{ zone_name: zone, actions: ['record:read', 'record:update'] }];
    const bob = await browser.person();
    await bob.logIn(await tokenOf(service, 'bob', grants), `/zones/${zone}/records`);
    await box(bob, 'a A').check();
    await bob.page.getByRole('button', { name: 'Change TTL of selected' }).waitFor();
    for (const name of ['Replace in values', 'Move to another name', 'Copy to another zone']) {
      expect(await bob.page.getByRole('button', { name }).count()).toBe(0);
    }
  });
});
