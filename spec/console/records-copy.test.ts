/** A record of the console to take along: as a line of a zone file, by a press or by a key. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('a record as a line', () => {
  const zone = 'lines.example';
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(
    async (started) => {
      ({ service, browser, token } = started);
      const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
      await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
      const records = [
        { name: 'a', type: 'MX', value: 'mail.example.net.', priority: 5 },
        { name: 'b', type: 'TXT', value: ['one', 'zwölf "2"'], ttl: 60 },
      ];
      await callLocally(service, 'POST', `/zones/${zone}/records/bulk`, { records });
    },
    {},
    { needsClipboard: true },
  );

  const copied = ({ page }: Person) => page.evaluate('navigator.clipboard.readText()');
  const said = ({ page }: Person) => page.getByText(/^Copied: /);

  it('is copied by its button and by its key, as the zone file has it', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await alice.logIn(token, `/zones/${zone}/records`);
    await page.getByRole('button', { name: 'Copy a MX' }).click();
    await said(alice).waitFor();
    expect(await copied(alice)).toBe(`a.${zone}. 3600 IN MX 5 mail.example.net.`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Edit b TXT' }).focus();
    await page.keyboard.press('c');
    await said(alice).waitFor();
    const line = String(await copied(alice));
    expect(line).toBe(`b.${zone}. 60 IN TXT "one" "zw\\195\\182lf \\"2\\""`);
    const exported = await fetch(`http://127.0.0.1:${service.apiPort}/zones/${zone}/export`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await exported.text()).toContain(line.slice(line.indexOf('"')));
    expect(alice.complaints).toEqual([]);
  });

  it('says so when the browser refuses, and is there at an earlier moment', async () => {
    const { items } = await callLocally(service, 'GET', `/zones/${zone}/versions?limit=1`);
    const bob = await browser.person();
    await bob.page.context().grantPermissions([]);
    await bob.logIn(token, `/zones/${zone}/records?at=${encodeURIComponent(items[0].created_at)}`);
    await bob.page.getByRole('button', { name: 'Copy a MX' }).click();
    await bob.page
      .getByRole('status')
      .getByText(/^(Copied: |The browser does not let)/)
      .waitFor();
    expect(await bob.page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
  });
});
