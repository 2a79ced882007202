/** The bin of the console: deleted zones, now and at an earlier moment. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
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
      expect(await alice.page.getByRole('button', { name: /^(Restore|Purge)/ }).count()).toBe(0);
    }
    await alice.page.getByText('None.').waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
