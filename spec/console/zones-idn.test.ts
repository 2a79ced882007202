/** Internationalised names of zones in the console: as they are stored, and as people read them. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('internationalised names of zones', () => {
  const there = 'xn--bcher-kva.example';
  const read = 'bücher.example';
  /** It has U+202E, which turns the text behind it. */
  const hostile = 'xn--ab-g4t.example';
  const deleted = 'xn--mnchen-3ya.example';
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    for (const name of [there, hostile, deleted, 'ascii.example']) {
      await callLocally(service, 'POST', '/zones', { name, ...soa });
    }
    await callLocally(service, 'DELETE', `/zones/${deleted}`);
  });

  async function expectTame({ page, complaints }: Person): Promise<void> {
    expect(await page.locator('main').textContent()).not.toContain('\u202e');
    expect(complaints).toEqual([]);
  }

  it('stand in the list and in the head of a zone, beside the stored one', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, '/zones');
    await page.getByRole('rowheader', { name: `${there} ${read}`, exact: true }).waitFor();
    await page.getByRole('rowheader', { name: 'ascii.example', exact: true }).waitFor();
    await page
      .getByRole('rowheader', { name: `${hostile} a⟨U+202E⟩b.example`, exact: true })
      .waitFor();
    await expectTame(alice);
    await page.getByRole('link', { name: there, exact: true }).click();
    await page.getByRole('heading', { name: `${there} ${read}`, exact: true }).waitFor();
    await alice.open(`/zones/${hostile}/records`);
    await page.getByRole('heading', { name: /^xn--ab-g4t\.example .*⟨U\+202E⟩/ }).waitFor();
    await expectTame(alice);
  });

  it('stand in the bin, and in the head of what lies there', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, '/bin');
    await page
      .getByRole('rowheader', { name: `${deleted} münchen.example`, exact: true })
      .waitFor();
    await page.getByRole('link', { name: deleted, exact: true }).click();
    await page.getByRole('heading', { name: `${deleted} münchen.example`, exact: true }).waitFor();
    await expectTame(alice);
  });

  it('stand in what a search finds: zones and records', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const record = { name: 'xn--frber-gra', type: 'A', value: '192.0.2.1', zone_name: there };
    await callLocally(service, 'POST', '/records', record);
    const indexed = async () =>
      (await callLocally(service, 'GET', '/search?q=xn--frber')).records.length;
    await expect.poll(indexed).toBe(1);
    await alice.logIn(token, '/search?q=xn--');
    const zones = page.getByRole('region', { name: 'Zones' });
    await zones
      .getByRole('listitem')
      .filter({ hasText: `${there} ${read}` })
      .waitFor();
    await zones.getByText('⟨U+202E⟩').waitFor();
    await alice.open('/search?q=xn--frber');
    const records = page.getByRole('region', { name: 'Records', exact: true });
    await records.getByText('färber.bücher.example').waitFor();
    await expectTame(alice);
  });
});
