/**
 * Many changes by several people, and one of them a mistake: it is found and taken back alone, and all that came after
 * it stays. And the records of a zone at any of its moments are those of the zone file of then.
 */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { isLong, seedVariable } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';
import { diceOf } from '../support/zone-changes.ts';
import { sortedRecords, transferOf } from '../support/zone-servers.ts';

const zone = 'busy.example';
const soa = { mname: 'ns1.busy.example', rname: 'hostmaster@busy.example' };
const people = ['ann', 'ben', 'cid', 'dee'] as const;
const changes = 200;
const moments = isLong ? 20 : 6;
const names = ['www', 'api', 'mail', 'shop', 'db', 'cache', 'git', 'wiki', 'ns1'];

needsPeers('chromium', 'dig')('two hundred changes by four people', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const tokens = new Map<string, string>();
  const dice = diceOf(Number(process.env[seedVariable]));
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);

  /** Sets an address, as one of them does it. */
  async function set(who: string, name: string, address: string, reason: string): Promise<void> {
    const rrset = { name, type: 'A', ttl: 300, values: [address] };
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}/changes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.get(who)}`,
        'content-type': 'application/json',
        'zonebook-reason': reason,
      },
      body: JSON.stringify({ zones: [{ name: zone, set: [rrset] }] }),
    });
    expect(answer.status).toBe(200);
  }

  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    for (const who of people) tokens.set(who, await tokenOf(service, who));
    await local('POST', '/zones', { name: zone, ...soa });
    // What asks from there may transfer.
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:9' });
    await set('ann', 'www', '192.0.2.80', 'the shop opens');
    const mistake = 120 + dice(60);
    for (let at = 1; at < changes; at++) {
      const who = people[dice(people.length)]!;
      if (at === mistake) await set('dee', 'www', '192.0.2.66', 'a typo of a Friday');
      else await set(who, names[1 + dice(names.length - 1)]!, `198.51.100.${at}`, `ticket ${at}`);
    }
  });

  const served = async () => sortedRecords(await transferOf(service.dnsPort, zone));
  const withoutSoa = (records: readonly string[]) => records.filter((line) => !/ SOA /.test(line));

  it('lead to the one that broke www in five clicks, and it is undone alone', async () => {
    const before = withoutSoa(await served());
    const alice = await browser.person();
    await alice.logIn(token);
    const { page } = alice;
    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string | RegExp) => {
      await page.getByRole(role, { name }).first().click();
      clicks++;
    };
    await page.getByRole('table').waitFor();
    await click('link', zone);
    await click('link', /^History of www A: dee/);
    const change = page.getByRole('article').first();
    await change.getByText('a typo of a Friday').waitFor();
    await change.getByText('dee').first().waitFor();
    await click('button', 'Undo this change');
    await click('button', 'Undo it');
    expect(clicks).toBeLessThanOrEqual(5);
    const mended = before.map((line) => line.replace('192.0.2.66', '192.0.2.80')).sort();
    expect(mended).not.toEqual(before);
    await expect.poll(async () => withoutSoa(await served())).toEqual(mended);
    expect(alice.complaints).toEqual([]);
  });

  async function exported(at: string): Promise<string> {
    const path = `/zones/${zone}/export?at=${encodeURIComponent(at)}`;
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${service.apiPort}${path}`, { headers })).text();
  }

  /** The records that the page lists, as lines of a zone file. */
  async function listed({ page }: Person): Promise<string[]> {
    const rows: string[][] = await page.evaluate(`[...document.querySelector('table').rows].map(
      (row) => [...row.cells].map((cell) => cell.textContent))`);
    const [head = [], ...body] = rows;
    const columns = ['Name', 'TTL', 'Type', 'Value'].map((name) => head.indexOf(name));
    return body.map((cells) => columns.map((at) => cells[at]).join(' ')).sort();
  }

  it(`show at ${moments} moments what the zone file of then has, and nothing that writes`, async () => {
    const { items } = await local('GET', `/zones/${zone}/versions?limit=1000`);
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/timeline`);
    const { page } = alice;
    await page.getByRole('slider', { name: 'Moment' }).waitFor();
    for (let count = 0; count < moments; count++) {
      const { created_at: at } = items[dice(items.length)]!;
      await alice.open(`/zones/${zone}/records?at=${at}`);
      const file = await exported(at);
      const records = file
        .split('\n')
        .map((line) => line.replace(/\s+/g, ' '))
        .filter((line) => / IN (A|NS) /.test(line))
        .map((line) => line.replace(' IN ', ' '));
      await page.getByRole('link', { name: 'Back to now' }).first().waitFor();
      await expect.poll(() => listed(alice)).toEqual(records.sort());
      for (const name of ['New record', /^Edit/, /^Delete/, 'Apply']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
    }
    await page.getByRole('link', { name: 'Back to now' }).first().click();
    await page.getByRole('button', { name: 'New record' }).waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
