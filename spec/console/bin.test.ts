/** The bin of the console: deleted zones, now and at an earlier moment. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the bin of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  it('has at each moment what was in it then', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}.example`);
    for (const name of names) {
      await local('POST', '/zones', { name, ...soa });
      await local('DELETE', `/zones/${name}`);
    }
    const { items } = await local('GET', '/zones?deleted=true');
    const times = new Map<string, string>(
      items.map((zone: { name: string; deleted_at: string }) => [zone.name, zone.deleted_at]),
    );
    const alice = await browser.person();
    await alice.logIn(token, '/bin');
    const rows = alice.page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(names.length);
    expect(await alice.page.getByRole('button', { name: /^Restore/ }).count()).toBe(names.length);
    for (const at of [
      ...times.values(),
      new Date(Date.parse(times.get(names[0]!)!) - 1).toJSON(),
    ]) {
      await alice.open(`/bin?at=${at}`);
      await alice.page.getByText('those that were there then').waitFor();
      const then = names.filter((name) => Date.parse(times.get(name)!) <= Date.parse(at));
      await expect
        .poll(async () => (await rows.getByRole('rowheader').allTextContents()).toSorted())
        .toEqual(then.toSorted());
      expect(await alice.page.getByRole('button', { name: /^Restore/ }).count()).toBe(0);
      expect(await alice.page.getByRole('link', { name: /^Purge/ }).count()).toBe(0);
    }
    await alice.page.getByText('None.').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('says before a zone comes back what the parent needs, and which grants are lost', async () => {
    const [signed, plain] = ['was-signed.example', 'was-plain.example'];
    for (const name of [signed, plain]) await local('POST', '/zones', { name, ...soa });
    const parents = { parent_ns_addrs: ['127.0.0.1:1'] };
    const { keys } = await local('POST', `/zones/${signed}/dnssec`, parents);
    const here = { zone_name: signed, actions: ['record:read'] };
    for (const role of ['night', 'day']) await tokenOf(service, role, [here]);
    const creator = await tokenOf(service, 'creator', [{ actions: ['zone:create'] }]);
    for (const name of [signed, plain]) await local('DELETE', `/zones/${name}`);
    const says = async (by: string, name: string, ...texts: readonly string[]) => {
      const person = await browser.person();
      await person.logIn(by, '/bin');
      await person.page.getByRole('button', { name: `Restore ${name}` }).click();
      const dialog = person.page.getByRole('dialog', { name: `Restore zone ${name}` });
      for (const text of texts) await dialog.getByText(text).waitFor();
      expect(person.complaints).toEqual([]);
    };
    const key = `signed again with key ${keys[0].key_tag}: the parent needs the DS of that key.`;
    await says(token, signed, key, 'do not come back. Roles that had some: day, night. Give them');
    await says(creator, signed, key, 'Who has access:manage sees which roles had any.');
    await says(token, plain, 'the parent must have no DS for it.', 'No grant named only this zone');
    for (const name of [signed, plain]) await local('POST', `/zones/${name}/restore`);
  });

  it('gives a zone back while its parent says nothing', async () => {
    const name = 'unheard.example';
    const mute = createSocket('udp4');
    mute.bind(0, '127.0.0.1');
    await once(mute, 'listening');
    try {
      const server = `127.0.0.1:${mute.address().port}`;
      await local('POST', '/zones', { name, ...soa });
      await local('POST', `/zones/${name}/dnssec`, { parent_ns_addrs: [server] });
      await local('DELETE', `/zones/${name}`);
      const alice = await browser.person();
      const { page } = alice;
      const opened = async () => {
        await page.getByRole('button', { name: `Restore ${name}` }).click();
        return page.getByRole('dialog', { name: `Restore zone ${name}` });
      };
      await alice.logIn(token, '/bin');
      const dialog = await opened();
      await dialog.getByText(`still delegates it: ${server}`).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      // Nobody says anything until the zone is back.
      const isBack = Promise.withResolvers<void>();
      await page.route('**/delegation?*', async (route) => {
        await isBack.promise;
        // The page that asked has gone by then.
        await route.continue().catch(() => undefined);
      });
      await opened();
      // It need not be waited for.
      await dialog.getByText('Asking the parent…').waitFor();
      await dialog.getByRole('button', { name: 'Restore zone' }).click();
      await expect
        .poll(async () => (await local('GET', '/zones')).items)
        .toContainEqual(expect.objectContaining({ name }));
      isBack.resolve();
      expect(alice.complaints).toEqual([]);
    } finally {
      mute.close();
    }
  });

  it('opens a deleted zone as it was, by the tabs of a zone, and gives it back', async () => {
    const name = 'opened.example';
    await local('POST', '/zones', { name, ...soa });
    const www = { zone_name: name, name: 'www', type: 'A', ttl: 300 };
    const { record } = await local('POST', '/records', { ...www, value: '192.0.2.1' });
    await local('PUT', `/records/${record.id}`, { name: 'www', type: 'A', value: '192.0.2.2' });
    const many = Array.from({ length: 150 }, (_, index) => ({
      name: `n${String(index).padStart(3, '0')}`,
      type: 'A',
      ttl: 60,
      value: '192.0.2.9',
    }));
    await local('POST', '/records/bulk', { zone_name: name, records: many });
    await local('DELETE', `/zones/${name}`);
    // A new zone has the name by now: what it has is not looked at.
    await local('POST', '/zones', { name, ...soa });
    const alice = await browser.person();
    await alice.logIn(token, '/bin');
    const { page } = alice;
    const tab = (label: string) =>
      page.getByRole('navigation', { name: 'Zone' }).getByRole('link', { name: label }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText(/^Deleted .* at serial 4\./).waitFor();
    await page.getByRole('row', { name: /^n000 A 60 192\.0\.2\.9 .+/ }).waitFor();
    await page.getByRole('button', { name: 'More records' }).click();
    await page.getByRole('row', { name: /^www A 300 192\.0\.2\.2 / }).waitFor();
    expect(await page.getByRole('row').count()).toBe(154);

    await page.getByRole('link', { name: /^History of www A/ }).click();
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    const changed = page.getByRole('article', { name: 'www.opened.example A changed' });
    await changed.getByRole('link', { name: 'Compare with the end' }).click();
    await page
      .getByRole('row', { name: /www.* 192\.0\.2\.1/ })
      .first()
      .waitFor();
    await page.getByText(/^From .* to the end \(serial 4\): 150 added, 1 changed/).waitFor();
    expect(await page.getByLabel(/of which zone/).count()).toBe(0);

    await tab('Versions');
    const second = page.getByRole('row', { name: /^2 / });
    await second.getByRole('link', { name: 'View zone then' }).click();
    await page.getByRole('row', { name: /^www A 300 192\.0\.2\.1 / }).waitFor();
    await page.getByText(/^You look at /).waitFor();
    expect(await page.getByRole('button', { name: 'Restore…' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Back to now' }).click();

    await tab('Text');
    const text = page.getByRole('textbox', { name: `Zone file of ${name}` });
    await expect.poll(() => text.inputValue()).toMatch(/www\s.*192\.0\.2\.2/);
    expect(await text.isEditable()).toBe(false);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${name}.zone`);

    const labels = ['Records', 'Timeline', 'Versions', 'Compare', 'Text'];
    for (const label of [...labels, 'DNSSEC', 'Settings']) {
      await tab(label);
      await page.getByRole('region', { name: label }).waitFor();
      const writes = /^(New|Edit|Delete|Undo|Roll|Make A|Take|Purge|Import|Apply|Check)/;
      expect(await page.getByRole('button', { name: writes }).count()).toBe(0);
      expect(await page.getByRole('checkbox').count()).toBe(0);
    }

    await page.getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: `Restore zone ${name}` });
    await dialog.getByText('The name belongs to another zone now').waitFor();
    await dialog.getByLabel('Reason').fill('it was the wrong one');
    await dialog.getByRole('button', { name: 'Restore zone' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByText('Rename or delete the zone that has the name now.').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('it was the wrong one');
    await local('PUT', `/zones/${name}`, { name: 'other-opened.example' });
    await dialog.getByRole('button', { name: 'Restore zone' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^History of n000 A/ }).waitFor();
    expect(page.url()).toContain(`/zones/${name}/records`);
    await page.goBack();
    await page.getByText('It is not in the bin').waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
