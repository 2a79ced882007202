/** What the bin says of a deleted zone besides its records: how long it is kept, its signing, its settings. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const name = 'kept.example';

needsPeers('chromium')('a zone of the bin', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let tag: number;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(
    async (started) => {
      ({ service, browser, token } = started);
      await local('POST', '/zones', { name, ...soa, description: 'of the shop', refresh: 1234 });
      const parents = { parent_ns_addrs: ['127.0.0.1:1'] };
      [{ key_tag: tag }] = (await local('POST', `/zones/${name}/dnssec`, parents)).keys;
      await local('DELETE', `/zones/${name}`);
    },
    { ZONEBOOK_DNS_ZONE_HISTORY_RETENTION_DAYS: '30' },
  );

  it('says how many days are left until it is purged', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/bin');
    await alice.page.getByRole('cell', { name: / \(30 days\)$/ }).waitFor();
    await alice.page.getByRole('link', { name, exact: true }).click();
    await alice.page.getByText(/It is kept until .* \(30 days\)\./).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('has its signing and its settings as they were at the end, to read', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/bin');
    const { page } = alice;
    const tabs = page.getByRole('navigation', { name: 'Zone' });
    await page.getByRole('link', { name, exact: true }).click();
    await tabs.getByRole('link', { name: 'DNSSEC' }).click();
    const signing = page.getByRole('region', { name: 'DNSSEC' });
    await signing.getByText(`signed again with key ${tag}: the parent needs the DS`).waitFor();
    await signing.getByText('are told again once it is restored').waitFor();
    await signing.getByRole('button', { name: 'Ask the parent now' }).click();
    await signing.getByRole('status').getByText('No parent server could be asked').waitFor();
    await tabs.getByRole('link', { name: 'Settings' }).click();
    const settings = page.getByRole('region', { name: 'Settings', exact: true });
    for (const text of ['of the shop', '1234', soa.mname]) {
      await settings.getByText(text, { exact: true }).waitFor();
    }
    expect(await settings.getByRole('textbox').count()).toBe(0);
    const { items } = await local('GET', '/zones?deleted=true');
    await alice.open(`/bin/${name}/${items[0].id}/settings?at=${items[0].deleted_at}`);
    await settings.getByText('As it was at the end').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('has no signing for who may not read it', async () => {
    const creator = await browser.person();
    const secret = await tokenOf(service, 'creator', [{ actions: ['zone:create'] }]);
    await creator.logIn(secret, '/bin');
    await creator.page.getByRole('link', { name, exact: true }).click();
    const tabs = creator.page.getByRole('navigation', { name: 'Zone' }).getByRole('link');
    await expect.poll(() => tabs.allTextContents()).toEqual(['Timeline', 'Settings']);
  });
});
