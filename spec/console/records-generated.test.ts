/** Generated DNSSEC records beside those of users in the console: on demand, and read only. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('generated records', () => {
  const zone = 'signed.example';
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', '/records', {
      zone_name: zone,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    await local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
  });

  it('are listed on demand, say what they are, and have no controls', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    const generated = page.getByRole('row', { name: /generated/ });
    const www = page.getByRole('row', { name: /^(Select )?www A/ });
    await www.waitFor();
    expect(await generated.count()).toBe(0);
    const box = page.getByRole('checkbox', { name: 'DNSSEC records' });
    await box.check();
    await generated.first().waitFor();
    expect(new URL(page.url()).searchParams.get('signed')).toBe('true');
    const { pagination } = await local('GET', `/records?zone_name=${zone}&signed=true`);
    const users = await local('GET', `/records?zone_name=${zone}`);
    expect(await generated.count()).toBe(pagination.total - users.pagination.total);
    expect(await generated.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0);
    expect(await generated.getByRole('checkbox').count()).toBe(0);
    await page
      .getByRole('searchbox', { name: 'Part of name or value' })
      .fill('type:RRSIG name:www');
    await expect.poll(() => generated.count()).toBe(1);
    // They have no values to look for.
    await page.getByRole('searchbox', { name: 'Part of name or value' }).fill('value:192.0.2.1');
    await www.waitFor();
    expect(await box.isDisabled()).toBe(true);
    expect(alice.complaints).toEqual([]);
  });

  it('are those of the moment of the page', async () => {
    const at = (await local('GET', `/zones/${zone}/versions?limit=1`)).items[0].created_at;
    await local('POST', '/records', {
      zone_name: zone,
      name: 'later',
      type: 'A',
      value: '192.0.2.2',
    });
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records?signed=true&at=${encodeURIComponent(at)}`);
    await page.getByRole('row', { name: /^www RRSIG .*generated/ }).waitFor();
    expect(await page.getByRole('row', { name: /^later/ }).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });
});
