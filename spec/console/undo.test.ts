/** Undo of one change: from the timeline, from the toast after a write, and by keys. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('undo in the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const add = async (zone_name: string, name: string, value: string) =>
    (await local('POST', '/records', { zone_name, name, type: 'A', value })).record;
  const addresses = async (zone: string): Promise<string[]> => {
    const { items } = await local('GET', `/records?zone_name=${zone}&type=A`);
    return items.map(({ name, value }: { name: string; value: string }) => `${name} ${value}`);
  };
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();

  /** A zone where www was moved by one change, and mail came by a later one. */
  async function moved(zone: string, as = token): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    const { id } = await add(zone, 'www', '192.0.2.1');
    await local('PUT', `/records/${id}`, { name: 'www', type: 'A', value: '192.0.2.2' });
    await add(zone, 'mail', '192.0.2.25');
    const person = await browser.person();
    await person.logIn(as, `/zones/${zone}/timeline`);
    return person;
  }

  const changeOf = ({ page }: Person, title: string) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name: title }) });

  it('takes one change back, with later ones kept, and can itself be undone', async () => {
    const alice = await moved('one.example');
    const { page } = alice;
    const change = changeOf(alice, 'www.one.example A changed');
    await change.getByRole('button', { name: 'Undo this change' }).click();
    const preview = page.getByRole('dialog', { name: 'Undo: www.one.example A changed' });
    await preview.getByRole('row', { name: /removed www.*192\.0\.2\.2/ }).waitFor();
    await preview.getByRole('row', { name: /added www.*192\.0\.2\.1/ }).waitFor();
    expect(await addresses('one.example')).toContain('www.one.example. 192.0.2.2');
    await preview.getByRole('textbox', { name: 'Reason' }).fill('it was the wrong host');
    await press(alice, 'Undo it');
    const toast = page.getByRole('status').filter({ hasText: 'Undo: www.one.example A changed' });
    await toast.getByText('one.example has serial 5').waitFor();
    expect(await addresses('one.example')).toEqual([
      'mail.one.example. 192.0.2.25',
      'www.one.example. 192.0.2.1',
    ]);
    const { items } = await local('GET', '/events?zone=one.example&limit=1');
    expect(items[0]).toMatchObject({ kind: 'zone.reverted', reason: 'it was the wrong host' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await press(alice, 'Undo it');
    await page.getByText('one.example has serial 6').waitFor();
    expect(await addresses('one.example')).toContain('www.one.example. 192.0.2.2');
    expect(alice.complaints).toEqual([]);
  });

  it('shows what changed since, and takes it too when that is wanted', async () => {
    const alice = await moved('since.example');
    const first = changeOf(alice, 'www.since.example A added');
    await first.getByRole('button', { name: 'Undo this change' }).click();
    const conflicts = alice.page.getByRole('region', { name: 'Conflicts' });
    await conflicts.getByRole('row', { name: /removed www.*192\.0\.2\.2/ }).waitFor();
    expect(await alice.page.getByRole('button', { name: 'Undo it', exact: true }).count()).toBe(0);
    await press(alice, 'Undo it all the same');
    await alice.page
      .getByRole('dialog')
      .getByRole('row', { name: /removed www/ })
      .waitFor();
    await press(alice, 'Undo it');
    await alice.page.getByText('since.example has serial 5').waitFor();
    expect(await addresses('since.example')).toEqual(['mail.since.example. 192.0.2.25']);
  });

  it('brings a deleted zone back, and takes a new one away', async () => {
    await local('POST', '/zones', { name: 'whole.example', ...soa });
    const alice = await browser.person();
    await alice.logIn(token, '/changes?zone=whole.example');
    const undo = alice.page.getByRole('button', { name: 'Undo this change' });
    await undo.click();
    await press(alice, 'Undo it');
    await alice.page.getByRole('heading', { name: 'Bin', exact: true }).waitFor();
    await alice.page.getByRole('row', { name: /whole\.example/ }).waitFor();
    await alice.open('/changes');
    await changeOf(alice, 'Zone deleted').getByRole('button', { name: 'Undo this change' }).click();
    await press(alice, 'Undo it');
    await alice.page.getByRole('heading', { name: 'Zone restored' }).first().waitFor();
    expect((await local('GET', '/zones/whole.example')).zone.name).toBe('whole.example');
  });

  it('takes a change of two zones back in both also where one has another name by now', async () => {
    const zones = ['first.example', 'second.example'];
    for (const name of zones) await local('POST', '/zones', { name, ...soa });
    const set = [{ name: 'www', type: 'A', ttl: 300, values: ['192.0.2.1'] }];
    const made = await fetch(`http://127.0.0.1:${service.apiPort}/changes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ zones: zones.map((name) => ({ name, set })) }),
    });
    expect(made.status).toBe(200);
    await local('PUT', '/zones/second.example', { name: 'renamed.example' });
    const alice = await browser.person();
    await alice.logIn(token, '/zones');
    await alice.settled();
    await alice.page.keyboard.press('u');
    await press(alice, 'Undo it');
    const both = async () => [
      ...(await addresses('first.example')),
      ...(await addresses('renamed.example')),
    ];
    await expect.poll(both).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });

  it('takes a change of two zones back in both, as one change', async () => {
    const [forward, reverse] = ['pair.example', '100.51.198.in-addr.arpa'];
    for (const name of [forward, reverse]) await local('POST', '/zones', { name, ...soa });
    const has = async (zone: string, type: string) => {
      const { items } = await local('GET', `/records?zone_name=${zone}&type=${type}`);
      return items.map(({ value }: { value: string }) => value);
    };
    const both = async () => [...(await has(forward, 'A')), ...(await has(reverse, 'PTR'))];
    const made = ['198.51.100.1', `www.${forward}.`];
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${forward}/records`);
    const { page } = alice;
    await press(alice, 'New record');
    await page.getByRole('textbox', { name: /^Name/ }).fill('www');
    await page.getByRole('textbox', { name: /^Value/ }).fill('198.51.100.1');
    await page.getByRole('checkbox', { name: `also PTR in ${reverse}` }).check();
    await press(alice, 'Preview');
    await press(alice, 'Create record');
    const toast = page.getByRole('status').filter({ hasText: `has serial 2` });
    await toast.getByText(`${forward} has serial 2. ${reverse} has serial 2.`).waitFor();
    await toast.getByRole('link', { name: `See ${reverse}` }).waitFor();
    expect(await both()).toEqual(made);

    await toast.getByRole('button', { name: 'Undo' }).click();
    const preview = page.getByRole('dialog', { name: `Undo the change of ` });
    await preview.getByRole('row', { name: /^removed www\.pair\.example\. A/ }).waitFor();
    await preview.getByRole('row', { name: `removed 1.${reverse}. PTR` }).waitFor();
    await press(alice, 'Undo it');
    await expect.poll(both).toEqual([]);
    const { items } = await local('GET', '/events?limit=2');
    expect(items[0].request_id).toBe(items[1].request_id);
    expect(items.map(({ zone }: { zone: { name: string } }) => zone.name).toSorted()).toEqual(
      [forward, reverse].toSorted(),
    );

    // By the key, what was undone comes back: in both again.
    await preview.waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await preview.getByRole('row', { name: `added 1.${reverse}. PTR` }).waitFor();
    await press(alice, 'Undo it');
    await expect.poll(both).toEqual(made);

    const { items: pointers } = await local('GET', `/records?zone_name=${reverse}&type=PTR`);
    const { id, name, type } = pointers[0];
    await local('PUT', `/records/${id}`, { name, type, value: 'other.example.' });
    const last = page.getByRole('status').filter({ hasText: `${reverse} has serial 4` });
    await last.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText(/This can not be undone as one change: .*on its timeline/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  it('says that there is nothing to undo for who has done nothing', async () => {
    const idler = await browser.person();
    await idler.logIn(await tokenOf(service, 'idler'));
    await idler.settled();
    await idler.page.keyboard.press('u');
    await idler.page.getByRole('status').getByText('Nothing that you did lately').waitFor();
    expect(await idler.page.getByRole('dialog').count()).toBe(0);
  });

  it('is offered for what has an inverse, to who has the right, and for now alone', async () => {
    await local('POST', '/zones', { name: 'offered.example', ...soa });
    await add('offered.example', 'www', '192.0.2.1');
    await local('PUT', '/zones/offered.example', { guard: { max_deletes: 100 } });
    await local('PUT', '/zones/offered.example', { refresh: 1234 });
    await local('POST', '/zones/offered.example/notify?bump_serial=true');
    await local('POST', '/zones/offered.example/tags', { name: 'before-move' });
    await local('POST', '/zones/offered.example/dnssec', { parent_ns_addrs: ['127.0.0.1'] });
    const alice = await browser.person();
    await alice.logIn(token, '/zones/offered.example/timeline');
    const { items } = await local('GET', '/events?zone=offered.example');
    await alice.page
      .getByRole('article')
      .nth(items.length - 1)
      .waitFor();
    for (const { seq, kind } of items) {
      const asked = { dry_run: true };
      const isRefused = await local('POST', `/events/${seq}/revert`, asked).then(
        () => false,
        (error: Error) => error.message.includes('EVENT_NOT_REVERTIBLE'),
      );
      const undo = alice.page
        .getByRole('navigation', { name: `Change ${seq}`, exact: true })
        .getByRole('button', { name: 'Undo this change' });
      expect({ kind, offered: await undo.count() }).toEqual({ kind, offered: isRefused ? 0 : 1 });
    }
    const undoes = alice.page.getByRole('button', { name: 'Undo this change' });
    await alice.open(`/zones/offered.example/timeline?at=${new Date(Date.now()).toISOString()}`);
    await alice.page.getByRole('article').first().waitFor();
    expect(await undoes.count()).toBe(0);
    const grants = [{ zone_name: 'offered.example', actions: ['zone:read', 'record:read'] }];
    const reader = await browser.person();
    const secret = await tokenOf(service, 'undo-reader', grants);
    await reader.logIn(secret, '/zones/offered.example/timeline');
    await reader.page.getByRole('article').first().waitFor();
    expect(await reader.page.getByRole('button', { name: /Undo|Roll back/ }).count()).toBe(0);
  });

  it('is offered for what a message says, though an earlier one was dismissed', async () => {
    const zone = 'dismissed.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    const isLetGo = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname === '/events' && url.searchParams.has('mine'),
      async (route) => {
        await isLetGo.promise;
        await route.continue();
      },
      { times: 1 },
    );
    const create = async (name: string) => {
      await press(alice, 'New record');
      const form = page.getByRole('dialog').first();
      await form.getByRole('textbox', { name: /^Name/ }).fill(name);
      await form.getByRole('textbox', { name: /^Value/ }).fill('192.0.2.1');
      await press(alice, 'Preview');
      await press(alice, 'Create record');
      await page.getByText(`Create ${name} A in ${zone}: done.`).waitFor();
    };
    await create('first');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await create('second');
    const toast = page.locator('.toast');
    await toast.getByText(`${zone} has serial 3.`).waitFor();
    isLetGo.resolve();
    await alice.atRest();
    expect(await toast.getByText(`${zone} has serial 3.`).count()).toBe(1);
    await press(alice, 'Undo');
    await page.getByRole('dialog', { name: `Undo: second.${zone} A added` }).waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
