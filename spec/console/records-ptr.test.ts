/** The PTR of an address in the console: offered where its zone is, and made with the address. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'forward.example';
const reverse4 = '2.0.192.in-addr.arpa';
const reverse6 = '8.b.d.0.1.0.0.2.ip6.arpa';

needsPeers('chromium')('the PTR of an address', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    for (const name of [zone, reverse4, reverse6, '192.in-addr.arpa']) {
      await local('POST', '/zones', {
        name,
        mname: 'ns1.example.com',
        rname: 'hostmaster@example.com',
      });
    }
  });

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = ({ page }: Person, name: RegExp, text: string) =>
    page.getByRole('dialog').first().getByRole('textbox', { name }).fill(text);
  const box = ({ page }: Person, name: string) =>
    page.getByRole('checkbox', { name: `also PTR in ${name}`, exact: true });
  const listed = async (name: string) => {
    const { items } = await local('GET', `/records?zone_name=${name}`);
    return items
      .filter(({ type }: { type: string }) => type !== 'NS')
      .map((record: Record<string, unknown>) => `${record.name} ${record.ttl} ${record.value}`);
  };

  it('is made, and changed, in one change with the address', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/records`);
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'www');
    await fill(alice, /^TTL/, '300');
    await fill(alice, /^Value/, '192.0.2.1');
    await box(alice, reverse4).check();
    expect(await alice.page.getByRole('button', { name: 'Put into the basket' }).count()).toBe(0);
    await press(alice, 'Preview');
    await alice.page.getByRole('row', { name: /^added www\.forward\.example\. A/ }).waitFor();
    await alice.page.getByRole('row', { name: `added 1.${reverse4}. PTR` }).waitFor();
    await press(alice, 'Create record');
    await expect.poll(() => listed(zone)).toEqual([`www.${zone}. 300 192.0.2.1`]);
    expect(await listed(reverse4)).toEqual([`1.${reverse4}. 300 www.${zone}.`]);
    await press(alice, 'Edit www A');
    await fill(alice, /^Name/, '@');
    await fill(alice, /^Value/, '192.0.2.7');
    await box(alice, reverse4).check();
    await press(alice, 'Preview');
    await press(alice, 'Change record');
    await expect.poll(() => listed(zone)).toEqual([`${zone}. 300 192.0.2.7`]);
    expect(await listed(reverse4)).toEqual([`7.${reverse4}. 300 ${zone}.`]);
    expect(await listed('192.in-addr.arpa')).toEqual([]);
    // An address elsewhere leaves the PTR behind, of this zone alone.
    await press(alice, 'Edit @ A');
    await fill(alice, /^Type/, 'AAAA');
    await fill(alice, /^Value/, '2001:db8::1');
    await box(alice, reverse6).waitFor();
    await fill(alice, /^Value/, '2001:db9::1');
    await box(alice, reverse6).waitFor({ state: 'detached' });
    expect(alice.complaints).toEqual([]);
  });

  it('is not offered to who may not write it', async () => {
    const grants = [{ zone_name: zone, actions: ['record:read', 'record:create'] }];
    const bob = await browser.person();
    await bob.logIn(await tokenOf(service, 'bob', grants), `/zones/${zone}/records`);
    const asked = bob.page.waitForResponse(/\/zones\?encloses=/);
    await press(bob, 'New record');
    await fill(bob, /^Value/, '192.0.2.9');
    expect((await (await asked).json()).items).toEqual([]);
    expect(await bob.page.getByRole('checkbox', { name: /PTR/ }).count()).toBe(0);
  });
});
