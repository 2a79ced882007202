/** What a role may do, as a table; and what is known of the last use of a token. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zone = 'table.example';

needsPeers('chromium')('what a role may do', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let limited: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    limited = await tokenOf(service, 'limited', [
      { actions: ['zone:read', 'record:read'] },
      { zone_name: zone, actions: ['dnssec:read'] },
      {
        zone_name: zone,
        actions: ['record:create', 'zone:update'],
        record_name_pattern: '*.dyn',
        record_types: 'A,AAAA',
      },
    ]);
  });

  /** Each row as its cells. */
  async function allowed({ page }: Person) {
    const table = page.getByRole('table', { name: 'What is allowed where' });
    await table.waitFor();
    const rows = await table.locator('tbody').getByRole('row').all();
    return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
  }

  const held = [
    ['all zones', 'read', 'read', 'nothing', 'nothing', 'nothing'],
    [zone, 'read, update', 'read', 'read', 'nothing', 'nothing'],
    [`A, AAAA of *.dyn in ${zone}`, '', 'read, create', '', '', ''],
  ];

  it('is a table by zones, names and actions, for who manages access', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/access?role=limited');
    expect(await allowed(alice)).toEqual(held);
    expect(alice.complaints).toEqual([]);
  });

  it('is the same table for a caller of the role', async () => {
    const bob = await browser.person();
    await bob.logIn(limited, '/access');
    expect(await allowed(bob)).toEqual(held);
    expect(bob.complaints).toEqual([]);
  });

  it('says what is kept of the use of a token, and leads to its changes', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/access');
    await alice.page.getByRole('row', { name: /^alice .* from 127\.0\.0\.1 / }).waitFor();
    await alice.page.getByRole('link', { name: 'alice' }).first().click();
    await expect.poll(() => new URL(alice.page.url()).search).toBe('?actor=alice');
    await alice.page.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
  });
});
