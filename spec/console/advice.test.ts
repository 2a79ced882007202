/** What the console explains: why somebody may not, what looks wrong in a zone, what its guard holds back. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('advice in the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('textbox', { name: label }).fill(text);

  it('tells why a token may not do something, and what it lacks', async () => {
    await local('POST', '/zones', { name: 'asked.example', ...soa });
    const grant = { zone_name: 'asked.example', actions: ['record:read', 'record:create'] };
    const grants = [{ ...grant, record_name_pattern: '*.dyn', record_types: 'A' }];
    const updater = await tokenOf(service, 'updater', grants);
    const alice = await browser.person();
    await alice.logIn(token, '/access');
    const { page } = alice;
    await page.getByLabel('Who').selectOption('token updater');
    await page.getByLabel('Action').selectOption('record:create');
    await fill(alice, /^Zone/, 'asked.example');
    await fill(alice, /^Name/, 'www');
    await fill(alice, /^Type/, 'A');
    await press(alice, 'Explain');
    const said = page.getByRole('region', { name: 'Why not?' });
    await said.getByText(/^No: .*updater.*www\.asked\.example/).waitFor();
    await said.getByText(/would need: record:create in asked\.example, names www/).waitFor();
    await fill(alice, /^Name/, 'host.dyn');
    await press(alice, 'Explain');
    await said.getByText(/^Yes: /).waitFor();
    // The address has the question.
    const other = await alice.otherTab(page.url().split('/console')[1]);
    await other.getByText(/^Yes: /).waitFor();
    expect(await other.getByLabel('Who').inputValue()).toBe('token=updater');
    const bob = await browser.person();
    await bob.logIn(updater, '/access');
    await bob.page.getByLabel('Action').selectOption('zone:delete');
    await press(bob, 'Explain');
    await bob.page.getByText(/^No: /).waitFor();
    expect(await bob.page.getByLabel('Who').getByRole('option').count()).toBe(1);
    expect(alice.complaints).toEqual([]);
  });

  it('lists what looks wrong in a zone, each with the way to its records', async () => {
    await local('POST', '/zones', { name: 'wrong.example', ...soa });
    const add = (name: string, type: string, value: string, more: object = {}) =>
      local('POST', '/records', { zone_name: 'wrong.example', name, type, value, ...more });
    const alice = await browser.person({ looksAtWaits: true });
    await alice.logIn(token, '/zones/wrong.example/records');
    const { page } = alice;
    await page.getByRole('row', { name: /@ NS/ }).waitFor();
    await add('shop', 'CNAME', 'nowhere.wrong.example.');
    await add('@', 'MX', 'mail.wrong.example.', { priority: 10 });
    const { items } = await local('GET', '/zones/wrong.example/lint');
    const asked = Promise.withResolvers<void>();
    await page.route('**/lint?*', (route) => asked.promise.then(() => route.continue()));
    await page.reload();
    // What is found moves nothing that was there before.
    await page.getByRole('row', { name: /shop CNAME/ }).waitFor();
    const top = () => page.evaluate('document.querySelector("tbody").getBoundingClientRect().top');
    const before = await top();
    asked.resolve();
    await page.getByText(`${items.length} things may be wrong in this zone`).waitFor();
    expect(await top()).toBe(before);
    await page.getByText(`${items.length} things may be wrong in this zone`).click();
    for (const { message } of items) await page.getByText(message).first().waitFor();
    await page.getByRole('link', { name: 'shop.wrong.example. CNAME' }).click();
    await page.getByRole('row', { name: /shop CNAME/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'All records of the zone' }).click();
    await page.getByRole('row', { name: /@ MX/ }).waitFor();
  });

  it('holds back what the guard does, and lets exactly as many deletions through', async () => {
    const zone = 'guarded.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const records = Array.from({ length: 30 }, (_, index) => {
      return { name: `h${index}`, type: 'A', value: '192.0.2.1' };
    });
    await local('POST', `/zones/${zone}/records/bulk`, { records });
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/timeline`);
    const { page } = alice;
    await page.getByRole('button', { name: 'Undo this change' }).first().click();
    const preview = page.getByRole('dialog');
    const warnings = preview.getByRole('region', { name: 'Warnings' });
    await warnings.getByText('deletes 30 of 31 records').waitFor();
    await press(alice, 'Undo it');
    const guard = preview.getByRole('region', { name: 'Guard' });
    await guard.getByText('it deletes 30 of 31 records, more than 9').waitFor();
    await guard.getByText('h0.guarded.example. A').waitFor();
    expect((await local('GET', `/zones/${zone}`)).zone.serial).toBe(2);
    // Without the tick nothing is sent.
    await press(alice, 'Undo it');
    expect(await preview.isVisible()).toBe(true);
    await guard.getByRole('checkbox', { name: 'Let exactly 30 deletions through' }).check();
    await press(alice, 'Undo it');
    await page.getByText(`${zone} has serial 3`).waitFor();
    const { pagination } = await local('GET', `/records?zone_name=${zone}&limit=1`);
    expect(pagination.total).toBe(1);
  });

  it('says that a zone is locked, and offers no way through', async () => {
    const zone = 'locked.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const www = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
    await local('POST', '/records', www);
    const guard = { locked_until: '2999-01-01T00:00:00Z', lock_reason: 'the move' };
    await local('PUT', `/zones/${zone}`, { guard });
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/records`);
    await press(alice, 'Delete www A');
    await press(alice, 'Delete record');
    await alice.page.getByRole('alert').getByText('is locked until').waitFor();
    expect(await alice.page.getByRole('dialog').getByRole('checkbox').count()).toBe(0);
  });
});
