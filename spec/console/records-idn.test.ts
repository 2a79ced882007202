/** Internationalised names among the records of the console: as they are stored, and as people read them. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('internationalised names', () => {
  const zone = 'idn.example';
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    const records = [
      { name: 'xn--bcher-kva', type: 'CNAME', value: 'xn--mnchen-3ya.example.net.' },
      // It has U+202E, which turns the text behind it.
      { name: 'xn--ab-g4t', type: 'A', value: '192.0.2.1' },
    ];
    await callLocally(service, 'POST', `/zones/${zone}/records/bulk`, { records });
  });

  it('have both forms, and nothing in them turns the page', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    const row = page.getByRole('row', { name: /CNAME/ });
    await row.getByRole('rowheader', { name: 'xn--bcher-kva bücher' }).waitFor();
    await row.getByText('xn--mnchen-3ya.example.net.').waitFor();
    await row.getByText('münchen.example.net.').waitFor();
    const hostile = page.getByRole('rowheader', { name: /^xn--ab-g4t/ });
    await hostile.getByText('⟨U+202E⟩').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('\u202e');
    expect(alice.complaints).toEqual([]);
  });
});
