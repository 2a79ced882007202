/** Several records at once: chosen by pointer and by keys, changed by one previewed change. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('several records in the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const records = [
    ['a', 'A', '192.0.2.1'],
    ['b', 'A', '192.0.2.1'],
    ['b', 'A', '192.0.2.2'],
    ['c', 'TXT', ['one', 'two "2"']],
    ['d', 'TXT', `it's "one"`],
    ['e', 'MX', 'mail.example.net.'],
  ] as const;

  async function at(zone_name: string): Promise<Person> {
    await local('POST', '/zones', { name: zone_name, ...soa });
    for (const [name, type, value] of records) {
      await local('POST', '/records', { zone_name, name, type, value, ttl: 300 });
    }
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone_name}/records`);
    await box(person, 'e MX').waitFor();
    return person;
  }

  const box = ({ page }: Person, what: string) =>
    page.getByRole('checkbox', { name: `Select ${what}` });
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const listed = async (zone: string) =>
    (await local('GET', `/records?zone_name=${zone}&limit=100`)).items.filter(
      ({ type }: { type: string }) => type !== 'NS' && type !== 'SOA',
    );

  it('are deleted in one change, whatever they hold', async () => {
    const zone = 'deleted.example';
    const alice = await at(zone);
    const { serial } = (await local('GET', `/zones/${zone}`)).zone;
    await box(alice, 'b A 192.0.2.2').click();
    await box(alice, 'e MX').click({ modifiers: ['Shift'] });
    await alice.page.getByText('4 records selected').waitFor();
    await press(alice, 'Delete selected');
    const removed = alice.page.getByRole('row', { name: /^removed/ });
    await expect.poll(() => removed.count()).toBe(4);
    expect((await listed(zone)).length).toBe(records.length);
    await press(alice, 'Delete 4 records');
    await box(alice, 'e MX').waitFor({ state: 'detached' });
    await alice.page.getByText(/records? selected/).waitFor({ state: 'detached' });
    const left = await listed(zone);
    expect(left.map(({ name, value }: { name: string; value: string }) => [name, value])).toEqual([
      [`a.${zone}.`, '192.0.2.1'],
      [`b.${zone}.`, '192.0.2.1'],
    ]);
    expect((await local('GET', `/zones/${zone}`)).zone.serial).toBe(serial + 1);
    expect(alice.complaints).toEqual([]);
  });

  it('get another TTL in one change, chosen by keys alone', async () => {
    const zone = 'slower.example';
    const alice = await at(zone);
    const { page } = alice;
    await box(alice, 'b A 192.0.2.1').focus();
    await page.keyboard.press('Space');
    await box(alice, 'e MX').focus();
    await page.keyboard.press('Shift+Space');
    await page.getByText('5 records selected').waitFor();
    await press(alice, 'Change TTL of selected');
    await page.getByRole('textbox', { name: /^TTL in seconds/ }).fill('7200');
    await press(alice, 'Preview');
    await press(alice, 'Change 4 RRsets');
    await expect
      .poll(async () => (await listed(zone)).map(({ ttl }: { ttl: number }) => ttl))
      .toEqual([300, 7200, 7200, 7200, 7200, 7200]);
    expect((await listed(zone)).length).toBe(records.length);
    expect(alice.complaints).toEqual([]);
  });

  it('are previewed again when the zone has changed since', async () => {
    const zone = 'stale.example';
    const alice = await at(zone);
    await box(alice, 'a A').click();
    await press(alice, 'Delete selected');
    await alice.page.getByRole('button', { name: 'Delete 1 record' }).waitFor();
    const more = { zone_name: zone, name: 'z', type: 'A', value: '192.0.2.9' };
    await local('POST', '/records', more);
    await press(alice, 'Delete 1 record');
    await alice.page.getByText('The zone has changed since').waitFor();
    expect((await listed(zone)).length).toBe(records.length + 1);
    await press(alice, 'Delete 1 record');
    await box(alice, 'a A').waitFor({ state: 'detached' });
  });

  it('are all within reach in a narrow window, with the bar of the selection above them', async () => {
    const zone = 'narrow.example';
    await local('POST', '/zones', { name: zone, ...soa });
    const many = Array.from({ length: 12 }, (_, index) => {
      return { name: `h${index}`, type: 'A', value: '192.0.2.1' };
    });
    await local('POST', `/zones/${zone}/records/bulk`, { records: many });
    const alice = await browser.person({ width: 320 });
    await alice.logIn(token, `/zones/${zone}/records`);
    await box(alice, 'h0 A').check();
    await alice.page.getByText('1 record selected').waitFor();
    for (const { name } of many) {
      const one = box(alice, `${name} A`);
      // As a reader has it who scrolled until the row is at the upper edge.
      const isOnTop = await one.evaluate((input) => {
        input.scrollIntoView({ block: 'start' });
        const { x, y, width, height } = input.getBoundingClientRect();
        return input.ownerDocument.elementFromPoint(x + width / 2, y + height / 2) === input;
      });
      expect({ name, isOnTop }).toEqual({ name, isOnTop: true });
    }
  });
});
