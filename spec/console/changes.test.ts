/** The changes of all zones and of administration: their kinds, and how far the chain of hashes was verified. */
import { expect, it } from 'vitest';
import { changeMetrics, beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('the changes of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  it('can be of one kind, of administration too', async () => {
    await callLocally(service, 'POST', '/roles', { name: 'readers' });
    const alice = await browser.person();
    await alice.logIn(token, '/changes');
    const { page } = alice;
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Role created');
    const { items } = await callLocally(service, 'GET', '/events?kind=role.created');
    await expect.poll(() => page.getByRole('article').count()).toBe(items.length);
    const headings = page.getByRole('heading', { name: 'Role created' });
    expect(await headings.count()).toBe(items.length);
    expect(alice.complaints).toEqual([]);
  });

  it('say how far the chain of hashes was verified, as the metrics have it', async () => {
    const alice = await browser.person();
    const { page } = alice;
    let verified = { timestamp_seconds: 0, events: 0, findings: 0 };
    // The first verification comes ten minutes after the start.
    await changeMetrics(alice, (metrics) =>
      Object.entries(verified).reduce(
        (text, [what, value]) =>
          text.replace(new RegExp(`^(zonebook_database_verify_${what}) .*$`, 'm'), `$1 ${value}`),
        metrics,
      ),
    );
    await alice.logIn(token, '/changes');
    await page.getByText('was not verified since the service started').waitFor();
    verified = { timestamp_seconds: 1_700_000_000, events: 81_204, findings: 0 };
    await page.reload();
    await page.getByText(/^The chain of hashes is verified until event 81,204, .*2023/).waitFor();
    verified = { ...verified, findings: 1 };
    await page.reload();
    await page.getByText(/^The verification of .* found 1 fault/).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
  });
});
