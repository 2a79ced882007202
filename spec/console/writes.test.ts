import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('writes from the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  /** A zone of its own, and somebody who looks at it. */
  async function at(zone: string, tab = 'records', as = token): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', '/records', {
      zone_name: zone,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    const person = await browser.person();
    await person.logIn(as, `/zones/${zone}/${tab}`);
    return person;
  }

  const lastEvent = async (zone: string) =>
    (await local('GET', `/events?zone=${zone}&limit=1`)).items[0];
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('textbox', { name: label }).fill(text);
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();

  it('are previewed with their warnings, made with a reason, and told', async () => {
    const alice = await at('made.example');
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'shop');
    await fill(alice, /^Type/, 'CNAME');
    await fill(alice, /^Value/, 'nowhere.made.example.');
    const { serial } = (await local('GET', '/zones/made.example')).zone;
    await press(alice, 'Preview');
    const { page } = alice;
    await page.getByRole('row', { name: /added shop\.made\.example\. CNAME/ }).waitFor();
    await page.getByText('does not exist in this zone').waitFor();
    expect((await local('GET', '/zones/made.example')).zone.serial).toBe(serial);
    await fill(alice, /^Reason/, 'für den neuen Laden');
    await fill(alice, /^Reference/, 'OPS-7');
    await press(alice, 'Create record');
    await page
      .getByRole('status')
      .getByText(`made.example has serial ${serial + 1}`)
      .waitFor();
    await page.getByRole('row', { name: /shop CNAME/ }).waitFor();
    expect(await lastEvent('made.example')).toMatchObject({
      actor: { kind: 'token', name: 'alice' },
      reason: 'für den neuen Laden',
      reference: 'OPS-7',
      source: 'api',
    });
    await press(alice, 'Edit www A');
    await fill(alice, /^Value/, '192.0.2.9');
    await press(alice, 'Preview');
    await page.getByRole('row', { name: /removed www.*192\.0\.2\.1/ }).waitFor();
    await press(alice, 'Change record');
    await page.getByRole('row', { name: /www A .*192\.0\.2\.9/ }).waitFor();
    await press(alice, 'Delete shop CNAME');
    await press(alice, 'Delete record');
    await page.getByRole('row', { name: /shop CNAME/ }).waitFor({ state: 'detached' });
    expect(alice.complaints).toEqual([]);
  });

  it('are refused in words, with nothing lost of what was typed', async () => {
    const alice = await at('refused.example');
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'bad');
    await fill(alice, /^Value/, 'no address');
    await press(alice, 'Preview');
    await alice.page
      .getByRole('alert')
      .getByText(/address/)
      .waitFor();
    const preview = alice.page.getByRole('dialog', { name: 'Create bad A in refused.example' });
    expect(await preview.getByRole('button', { name: 'Create record' }).count()).toBe(0);
    await preview.getByRole('button', { name: 'Cancel' }).click();
    const form = alice.page.getByRole('dialog', { name: 'New record in refused.example' });
    expect(await form.getByRole('textbox', { name: /^Value/ }).inputValue()).toBe('no address');
  });

  it('are previewed again when somebody else was faster', async () => {
    const alice = await at('raced.example');
    await press(alice, 'Delete www A');
    await alice.page.getByRole('button', { name: 'Delete record' }).waitFor();
    const more = { zone_name: 'raced.example', name: 'mail', type: 'A', value: '192.0.2.25' };
    await local('POST', '/records', more);
    await press(alice, 'Delete record');
    await alice.page.getByText('The zone has changed since').waitFor();
    expect((await lastEvent('raced.example')).summary ?? {}).not.toMatchObject({ removed: 1 });
    await press(alice, 'Delete record');
    await alice.page.getByRole('row', { name: /www A/ }).waitFor({ state: 'detached' });
    await alice.page.getByRole('row', { name: /mail A/ }).waitFor();
  });

  it('roll a zone back to one of its changes', async () => {
    const alice = await at('rolled.example');
    for (const name of ['one', 'two']) {
      await local('POST', '/records', {
        zone_name: 'rolled.example',
        name,
        type: 'A',
        value: '192.0.2.7',
      });
    }
    await alice.open('/zones/rolled.example/timeline');
    const { page } = alice;
    const made = page.getByRole('article').filter({ hasText: 'www.rolled.example A added' });
    await made.getByRole('button', { name: 'Roll back to here' }).click();
    await press(alice, 'Roll back');
    await page.getByRole('heading', { name: 'Rolled back' }).waitFor();
    const { items } = await local('GET', '/records?zone_name=rolled.example&type=A');
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['www.rolled.example.']);
  });

  it('make a zone, and bring a deleted one back', async () => {
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    await press(alice, 'New zone');
    await fill(alice, /^Name/, 'new.example');
    await fill(alice, /^Primary/, 'ns1.new.example');
    await fill(alice, /^Mailbox/, 'hostmaster@new.example');
    await press(alice, 'Preview');
    await press(alice, 'Create zone');
    await page.getByRole('heading', { name: 'new.example', exact: true }).waitFor();
    await local('DELETE', '/zones/new.example');
    await alice.open('/bin');
    await press(alice, 'Restore new.example');
    await press(alice, 'Restore zone');
    await page.getByRole('row', { name: /@ NS/ }).waitFor();
  });

  it('are not there at an earlier moment, nor without the right', async () => {
    const alice = await at('past.example');
    const { page } = alice;
    await page.getByRole('button', { name: 'Edit www A' }).waitFor();
    const main = page.getByRole('main');
    const writes = main.getByRole('button', { name: /^(New|Edit|Delete|Roll back|Restore)/ });
    for (const path of ['', '/zones/past.example/timeline', '/bin']) {
      await alice.open(`${path}?at=${new Date(Date.now()).toISOString()}`);
      await alice.settled();
      await page.getByText('Nothing can be changed there').waitFor();
      expect({ path, count: await writes.count() }).toEqual({ path, count: 0 });
    }
    const grants = [{ zone_name: 'past.example', actions: ['zone:read', 'record:read'] }];
    const reader = await browser.person();
    await reader.logIn(await tokenOf(service, 'reader', grants), '/zones/past.example');
    await reader.page.getByRole('row', { name: /www A/ }).waitFor();
    const rows = reader.page.getByRole('button', { name: /^(Edit|Delete)/ });
    expect(await rows.count()).toBe(0);
  });
});
