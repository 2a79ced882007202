/** Changes that come while somebody looks at a timeline: counted, kept back until asked for, never lost. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('a timeline that is followed', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const add = (zone_name: string, name: string) =>
    local('POST', '/records', { zone_name, name, type: 'A', value: '192.0.2.1' });
  const titles = ({ page }: Person) =>
    page.getByRole('article').getByRole('heading').allTextContents();
  const news = ({ page }: Person, text: string | RegExp) =>
    page.getByRole('button', { name: text });

  async function following(zone: string, path = `/zones/${zone}/timeline`, as = token) {
    await local('POST', '/zones', { name: zone, ...soa });
    const person = await browser.person();
    await person.logIn(as, path);
    await person.page.getByRole('article').first().waitFor();
    return person;
  }

  it('says how many have come, and shows them when it is asked to', async () => {
    const alice = await following('followed.example');
    const { page } = alice;
    const before = await titles(alice);
    await add('followed.example', 'one');
    await news(alice, '1 new change').waitFor();
    for (const name of ['two', 'three']) await add('followed.example', name);
    await news(alice, '3 new changes').waitFor();
    expect(await titles(alice)).toEqual(before);
    await news(alice, '3 new changes').click();
    const added = ['three', 'two', 'one'].map((name) => `${name}.followed.example A added`);
    await expect.poll(() => titles(alice)).toEqual([...added, ...before]);
    await expect
      .poll(() => page.locator(':focus').getByRole('heading').textContent())
      .toBe(added[0]);
    expect(await news(alice, /new change/).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  it('shows what is written in the page at once', async () => {
    const alice = await following('own.example');
    const before = await titles(alice);
    await add('own.example', 'one');
    await news(alice, '1 new change').click();
    await alice.page.getByRole('button', { name: 'Undo this change' }).first().click();
    await alice.page.getByRole('button', { name: 'Undo it', exact: true }).click();
    await alice.page.getByRole('heading', { name: 'Change undone' }).waitFor();
    await expect
      .poll(() => titles(alice))
      .toEqual(['Change undone', 'one.own.example A added', ...before]);
  });

  it('counts what the filter lets in, and the caller may read', async () => {
    const grants = [{ zone_name: 'narrow.example', actions: ['zone:read', 'record:read'] }];
    await local('POST', '/zones', { name: 'narrow.example', ...soa });
    const reader = await tokenOf(service, 'live-reader', grants);
    const path = '/zones/narrow.example/timeline?name=www';
    const alice = await browser.person();
    await alice.logIn(token, path);
    const bob = await browser.person();
    await bob.logIn(reader, '/changes');
    for (const { page } of [alice, bob]) await page.getByText('Live', { exact: true }).waitFor();
    await local('POST', '/zones', { name: 'hidden.example', ...soa });
    await add('narrow.example', 'other');
    await add('narrow.example', 'www');
    await news(alice, '1 new change').click();
    await news(bob, '2 new changes').click();
    await expect.poll(() => titles(alice)).toEqual(['www.narrow.example A added']);
    await expect
      .poll(async () => (await titles(bob)).slice(0, 2))
      .toEqual(['www.narrow.example A added', 'other.narrow.example A added']);
    expect(await bob.page.getByText('hidden.example').count()).toBe(0);
  });

  it('does not follow where the page looks at an earlier moment', async () => {
    const at = new Date(Date.now()).toISOString();
    const streams: string[] = [];
    const alice = await browser.person();
    alice.page.on('request', (request) => {
      if (request.url().includes('/stream')) streams.push(request.url());
    });
    await alice.logIn(token, `/changes?at=${at}`);
    await alice.page.getByRole('article').first().waitFor();
    expect(await alice.page.getByText('Live', { exact: true }).count()).toBe(0);
    expect(streams).toEqual([]);
  });

  it('goes on where it was after the service has been away', async () => {
    const alice = await following('away.example');
    const before = await titles(alice);
    await add('away.example', 'one');
    await news(alice, '1 new change').waitFor();
    await service.end('SIGKILL');
    await alice.page.getByText(/^Not live since/).waitFor();
    await service.start();
    await add('away.example', 'two');
    await news(alice, '2 new changes').click();
    const added = ['two', 'one'].map((name) => `${name}.away.example A added`);
    await expect.poll(() => titles(alice)).toEqual([...added, ...before]);
    await alice.page.getByText('Live', { exact: true }).waitFor();
  });
});
