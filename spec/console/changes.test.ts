/** The changes of all zones and of administration: their kinds, and how far the chain of hashes was verified. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
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
    await alice.logIn(token, '/changes');
    const { page } = alice;
    await page.getByText('was not verified since the service started').waitFor();
    let findings = 0;
    // The first verification comes ten minutes after the start.
    await page.route('**/metrics', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text())
        .replace(/^(zonebook_database_verify_timestamp_seconds) 0$/m, '$1 1700000000')
        .replace(/^(zonebook_database_verify_events) 0$/m, '$1 81204')
        .replace(/^(zonebook_database_verify_findings) 0$/m, `$1 ${findings}`);
      await route.fulfill({ response: answer, body });
    });
    await page.reload();
    await page.getByText(/^The chain of hashes is verified until event 81,204, .*2023/).waitFor();
    findings = 1;
    await page.reload();
    await page.getByText(/^The verification of .* found 1 fault/).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
  });
});
