/** Keys of the console that step in time, mark and compare: each does what it says, none while somebody types. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'keyed.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('keys of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const times: string[] = [];
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    await local('POST', '/zones', { name: 'other.example', ...soa });
    await local('POST', '/zones', { name: zone, ...soa });
    for (const value of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const set = [{ name: 'www', type: 'A', ttl: 300, values: [value] }];
      await local('POST', '/changes', { zones: [{ name: zone, set }] });
      const { items } = await local('GET', `/zones/${zone}/versions?limit=1`);
      times.push(items[0].created_at);
    }
  });

  const isAt = async ({ page }: Person, time: string | null) => {
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(time);
  };
  const shows = (person: Person, value: string) =>
    person.page.getByRole('row', { name: new RegExp(`www A .*${RegExp.escape(value)}`) }).waitFor();
  const said = ({ page }: Person, text: string) => page.getByText(text, { exact: true }).waitFor();

  async function atZone(tab = 'records'): Promise<Person> {
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/${tab}`);
    await person.settled();
    return person;
  }

  it('step from change to change, and by days', async () => {
    const alice = await atZone();
    await shows(alice, '192.0.2.3');
    await alice.press('[');
    await isAt(alice, times[1]!);
    await shows(alice, '192.0.2.2');
    // Faster than the service answers.
    await alice.press('[ [');
    await alice.page.getByRole('row', { name: /www A/ }).waitFor({ state: 'detached' });
    await alice.press('[');
    await said(alice, 'There is no earlier change.');
    await alice.press('] ]');
    await isAt(alice, times[1]!);
    await alice.press('] ]');
    await isAt(alice, null);
    await shows(alice, '192.0.2.3');
    await alice.press(']');
    await said(alice, 'You look at now.');
    await alice.press('{');
    await expect.poll(() => new URL(alice.page.url()).searchParams.get('at')).not.toBeNull();
    const yesterday = Date.parse(new URL(alice.page.url()).searchParams.get('at')!);
    expect(Math.abs(Date.now() - 86_400_000 - yesterday)).toBeLessThan(600_000);
    await alice.press('{ }');
    await isAt(alice, new Date(yesterday).toISOString());
    await alice.press('}');
    await isAt(alice, null);
    // The moment is of the whole page: all changes are stepped through there.
    await alice.open('/changes');
    await alice.page.getByRole('article').first().waitFor();
    await alice.press('[');
    await alice.page.getByText(/^You look at /).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('mark two versions and compare them, of one zone or of two', async () => {
    const alice = await atZone('timeline');
    const { page } = alice;
    await page.getByRole('article').nth(2).waitFor();
    await alice.press('=');
    await said(alice, 'Mark A first: m a.');
    await alice.press('j j j m a');
    await said(alice, `A is ${zone} at serial 2.`);
    await alice.press('k m b');
    await said(alice, `B is ${zone} at serial 3. Press = to compare.`);
    await alice.press('=');
    await page.getByText(/^From serial 2 .* to serial 3 .*: 0 added, 1 changed/).waitFor();
    await alice.open('/zones/other.example/records');
    await page.getByRole('row', { name: /@ NS/ }).waitFor();
    await alice.press('m a');
    await said(alice, 'A is other.example at serial 1.');
    await page.getByRole('link', { name: 'Zones', exact: true }).click();
    await page.getByRole('link', { name: zone, exact: true }).click();
    await shows(alice, '192.0.2.3');
    await alice.press('=');
    await page.getByText(/of other\.example to now .*: 1 added/).waitFor();
    // With nothing marked, the moment and now.
    await alice.open(`/zones/${zone}/records?at=${times[0]}`);
    await shows(alice, '192.0.2.1');
    await alice.press('=');
    await page.getByRole('row', { name: /removed www.* 192\.0\.2\.1/ }).waitFor();
    await alice.open(`/zones/${zone}/timeline`);
    await page.getByRole('button', { name: 'Compare with…' }).nth(1).click();
    await page.getByRole('button', { name: 'Compare with A' }).first().click();
    await page.getByText(/^From serial 3 .* to serial 4/).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('hide who changed records, over a reload, and open what is new', async () => {
    const alice = await atZone();
    const { page } = alice;
    const blamed = page.getByRole('columnheader', { name: 'Last change' });
    await blamed.waitFor();
    await alice.press('b');
    await blamed.waitFor({ state: 'detached' });
    await page.reload();
    await shows(alice, '192.0.2.3');
    expect(await blamed.count()).toBe(0);
    await alice.press('b');
    await blamed.waitFor();
    await alice.press('n');
    await page.getByRole('dialog', { name: /^New record/ }).waitFor();
    expect(await page.getByRole('textbox', { name: /^Name/ }).inputValue()).toBe('');
    for (const path of ['/zones', '/secondaries']) {
      await alice.open(path);
      await page.getByRole('button', { name: /^New / }).waitFor();
      await alice.press('n');
      await page.getByRole('dialog').waitFor();
    }
    expect(alice.complaints).toEqual([]);
  });

  it('do nothing while somebody types, nor when they are switched off', async () => {
    const alice = await atZone();
    const { page } = alice;
    const field = page.getByLabel('Part of name or value');
    await field.focus();
    await page.keyboard.type('[]{}bmamb=n<>');
    expect(await field.inputValue()).toBe('[]{}bmamb=n<>');
    await isAt(alice, null);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await field.fill('');
    await alice.atRest();
    await shows(alice, '192.0.2.3');
    await field.blur();
    await alice.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    for (const key of ['[', ']', '{', '}', 'b', 'm a', 'm b', '=', 'n']) {
      await help.getByText(key, { exact: true }).waitFor();
    }
    await help.getByRole('checkbox', { name: 'Keys are on' }).uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await alice.press('[ { b m a = n');
    await isAt(alice, null);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Last change' }).count()).toBe(1);
    expect(page.url()).toContain('/records');
    expect(await page.getByText(/^A is /).count()).toBe(0);
  });
});
