/** A zone as text: read, edited, checked line by line, compared and applied as one change. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('a zone as text', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const add = (zone_name: string, name: string, value: string) =>
    local('POST', '/records', { zone_name, name, type: 'A', value });
  const fileOf = ({ page }: Person) => page.getByRole('textbox', { name: /^Zone file of/ });
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const owners = async (zone: string) => {
    const { items } = await local('GET', `/records?zone_name=${zone}&type=A`);
    return items.map(({ name, value }: { name: string; value: string }) => `${name} ${value}`);
  };

  async function editing(zone: string, as = () => Promise.resolve(token)): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    // So that there is a moment between the two.
    await delay(5);
    await add(zone, 'www', '192.0.2.1');
    const person = await browser.person();
    await person.logIn(await as(), `/zones/${zone}/text`);
    await fileOf(person).waitFor();
    return person;
  }

  it('is checked, compared and applied as one change', async () => {
    const alice = await editing('edited.example');
    const { page } = alice;
    const text = await fileOf(alice).inputValue();
    expect(text).toMatch(/^www\s.*192\.0\.2\.1$/m);
    await fileOf(alice).fill(`${text.replace('192.0.2.1', '192.0.2')}mail 300 IN A 192.0.2.25\n`);
    await press(alice, 'Check');
    const wrong = text.split('\n').findIndex((line) => line.startsWith('www')) + 1;
    await page.getByRole('button', { name: new RegExp(`^line ${wrong}: .*address`) }).click();
    const selected = await fileOf(alice).evaluate((area) => {
      const { value, selectionStart, selectionEnd } = area as unknown as {
        value: string;
        selectionStart: number;
        selectionEnd: number;
      };
      return value.slice(selectionStart, selectionEnd);
    });
    expect(selected).toMatch(/^www\s.*192\.0\.2$/);
    await expect.poll(() => page.getByRole('button', { name: 'Apply…' }).count()).toBe(0);
    await fileOf(alice).fill(`${text.replace('192.0.2.1', '192.0.2.2')}mail 300 IN A 192.0.2.25\n`);
    await fileOf(alice).press('Control+Enter');
    const difference = page.getByRole('region', { name: 'Difference' });
    await difference.getByRole('row', { name: /removed www.*192\.0\.2\.1/ }).waitFor();
    await difference.getByRole('row', { name: /added mail.*192\.0\.2\.25/ }).waitFor();
    // It stands beside the text where there is room.
    await page.setViewportSize({ width: 1360, height: 900 });
    const [left, right] = [await fileOf(alice).boundingBox(), await difference.boundingBox()];
    expect(right!.x).toBeGreaterThanOrEqual(left!.x + left!.width);
    await press(alice, 'Apply…');
    await page.getByRole('textbox', { name: 'Reason' }).fill('the mail host');
    await press(alice, 'Apply the text');
    await page.getByText('edited.example has serial 3').waitFor();
    await expect.poll(() => fileOf(alice).inputValue()).toContain('192.0.2.25');
    expect(await owners('edited.example')).toEqual([
      'mail.edited.example. 192.0.2.25',
      'www.edited.example. 192.0.2.2',
    ]);
    const { items } = await local('GET', '/events?zone=edited.example&limit=1');
    expect(items[0]).toMatchObject({ kind: 'zone.imported', reason: 'the mail host' });
    expect(alice.complaints).toEqual([]);
  });

  it('does not take away what somebody else wrote meanwhile, unless that is seen', async () => {
    const alice = await editing('shared.example');
    const { page } = alice;
    const text = await fileOf(alice).inputValue();
    await add('shared.example', 'later', '192.0.2.9');
    await fileOf(alice).fill(`${text}mail IN A 192.0.2.25\n`);
    await press(alice, 'Check');
    await page.getByText('The zone has changed since this text was read').waitFor();
    const { complaints } = alice;
    const busy = { status: 500, json: { code: 'INTERNAL_ERROR', error: 'it can not be read' } };
    await page.route('**/zones/shared.example', (route) => route.fulfill(busy), { times: 1 });
    await press(alice, 'Compare it with the zone as it is now');
    await page.getByRole('alert').getByText('it can not be read').waitFor();
    expect(complaints).toEqual([]);
    await press(alice, 'Check');
    await press(alice, 'Compare it with the zone as it is now');
    await page.getByRole('row', { name: /removed later/ }).waitFor();
    expect(await owners('shared.example')).toHaveLength(2);
  });

  it('keeps a draft over a reload, until it is discarded or somebody logs out', async () => {
    const alice = await editing('draft.example');
    const { page } = alice;
    const text = await fileOf(alice).inputValue();
    await fileOf(alice).fill(`${text}; to be done\n`);
    await expect.poll(() => alice.stored()).toContain('to be done');
    await page.reload();
    await page.getByText('A draft, from serial 2').waitFor();
    expect(await fileOf(alice).inputValue()).toContain('to be done');
    await press(alice, 'Discard the draft');
    await expect.poll(() => fileOf(alice).inputValue()).toBe(text);
    await fileOf(alice).fill(`${text}; again\n`);
    await expect.poll(() => alice.stored()).toContain('again');
    await press(alice, 'Log out');
    await page.getByRole('dialog', { name: 'Log in to Zonebook' }).waitFor();
    expect(await alice.stored()).not.toContain('again');
  });

  it('is that of the moment of the page, which can be downloaded and not changed', async () => {
    const zone = 'earlier.example';
    const alice = await editing(zone);
    const { items } = await local('GET', `/events?zone=${zone}&limit=1`);
    const then = new Date(Date.parse(items[0].at) - 1).toISOString();
    await alice.open(`/zones/${zone}/text?at=${then}`);
    await fileOf(alice).waitFor();
    expect(await fileOf(alice).inputValue()).not.toContain('www');
    expect(await fileOf(alice).isEditable()).toBe(false);
    const [download] = await Promise.all([
      alice.page.waitForEvent('download'),
      alice.page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${zone}.zone`);
    expect(await alice.page.getByRole('button', { name: 'Check' }).count()).toBe(0);
  });

  it('can be read by who may not write, and is no tab for who may not read all', async () => {
    const zone_name = 'read.example';
    const actions = ['zone:read', 'record:read'];
    const reader = await editing(zone_name, () =>
      tokenOf(service, 'text-reader', [{ zone_name, actions }]),
    );
    expect(await fileOf(reader).isEditable()).toBe(false);
    expect(await reader.page.getByRole('button', { name: 'Check' }).count()).toBe(0);
    const narrow = await browser.person();
    const grants = [{ zone_name, actions, record_types: 'A' }];
    await narrow.logIn(await tokenOf(service, 'text-narrow', grants), `/zones/${zone_name}`);
    await narrow.page.getByRole('row', { name: /www A/ }).waitFor();
    expect(await narrow.page.getByRole('link', { name: 'Text' }).count()).toBe(0);
  });
});
