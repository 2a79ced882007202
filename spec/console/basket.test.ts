/** Edits that are collected in the console, and made as one change. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the basket of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const records = [
    ['www', 'A', '192.0.2.1'],
    ['www', 'A', '192.0.2.2'],
    ['old', 'TXT', ['one', 'two "2"']],
    ['@', 'MX', 'mail.example.net.', 10],
  ] as const;

  async function at(zone_name: string, as = token): Promise<Person> {
    await local('POST', '/zones', { name: zone_name, ...soa });
    for (const [name, type, value, priority] of records) {
      await local('POST', '/records', { zone_name, name, type, value, priority, ttl: 300 });
    }
    const person = await browser.person();
    await person.logIn(as, `/zones/${zone_name}/records`);
    await person.page.getByRole('row', { name: /old TXT/ }).waitFor();
    return person;
  }

  const basketOf = ({ page }: Person) => page.getByRole('region', { name: 'Basket' });
  const press = ({ page }: Person, name: string | RegExp) =>
    page.getByRole('button', { name, exact: true }).first().click();
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('textbox', { name: label }).fill(text);
  const contents = async (zone: string) =>
    (await local('GET', `/records?zone_name=${zone}&limit=100`)).items
      .filter(({ type }: { type: string }) => type !== 'NS' && type !== 'SOA')
      .map(({ name, type, ttl, value, priority }: Record<string, string>) =>
        [name!.replace(`.${zone}.`, ''), type, ttl, priority ?? '', JSON.stringify(value)].join(
          ' ',
        ),
      )
      .sort();
  const serialOf = async (zone: string) => (await local('GET', `/zones/${zone}`)).zone.serial;

  /** Puts a change of www, a new record and two deletions into it. */
  async function collectFour(alice: Person): Promise<void> {
    const { page } = alice;
    await page
      .getByRole('row', { name: /www A .*192\.0\.2\.1/ })
      .getByText('Edit')
      .click();
    await fill(alice, /^Value/, '192.0.2.9');
    await press(alice, 'Put into the basket');
    await basketOf(alice).getByText('1 edit in the basket').waitFor();
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'shop');
    await fill(alice, /^Type/, 'CNAME');
    await fill(alice, /^Value/, 'nowhere.example.net.');
    await press(alice, 'Put into the basket');
    await basketOf(alice).getByText('2 edits in the basket').waitFor();
    // By the preview of one write, and of a selection.
    await press(alice, 'Delete @ MX');
    await page.getByRole('button', { name: 'Delete record' }).waitFor();
    await press(alice, 'Put into the basket');
    await basketOf(alice).getByText('3 edits in the basket').waitFor();
    await page.getByRole('checkbox', { name: /^Select old TXT/ }).check();
    await press(alice, 'Delete selected');
    await page.getByRole('button', { name: 'Delete 1 record' }).waitFor();
    await press(alice, 'Put into the basket');
    await basketOf(alice).getByText('4 edits in the basket').waitFor();
  }

  it('makes all edits as one change with one serial and a reason, which can be undone', async () => {
    const zone = 'made.example';
    const alice = await at(zone);
    const { page } = alice;
    const [before, serial] = [await contents(zone), await serialOf(zone)];
    await collectFour(alice);
    expect(await contents(zone)).toEqual(before);
    expect(await page.getByText('in the basket', { exact: true }).count()).toBe(3);
    await press(alice, 'Preview 4 edits');
    const dialog = page.getByRole('dialog', { name: `Make 4 edits of ${zone}` });
    for (const row of [
      /removed www.*192\.0\.2\.1$/,
      /added www.*192\.0\.2\.9$/,
      /added shop/,
      /removed made\.example\. MX/,
      /removed old/,
    ]) {
      await dialog.getByRole('row', { name: row }).waitFor();
    }
    expect(await serialOf(zone)).toBe(serial);
    await fill(alice, /^Reason/, 'the move');
    await press(alice, 'Make 4 edits');
    await page
      .getByRole('status')
      .getByText(`${zone} has serial ${serial + 1}`)
      .waitFor();
    await basketOf(alice).waitFor({ state: 'detached' });
    expect(await contents(zone)).toEqual([
      'shop CNAME 3600  "nowhere.example.net."',
      'www A 300  "192.0.2.2"',
      'www A 300  "192.0.2.9"',
    ]);
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ reason: 'the move', actor: { name: 'alice' } });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await press(alice, 'Undo it');
    await expect.poll(() => contents(zone)).toEqual(before);
    expect(await serialOf(zone)).toBe(serial + 2);
    expect(alice.complaints).toEqual([]);
  });

  it('stays as it was when it is refused, and says which edit is to blame', async () => {
    const zone = 'refused.example';
    const alice = await at(zone);
    const { page } = alice;
    const serial = await serialOf(zone);
    await collectFour(alice);
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'bad');
    await fill(alice, /^Value/, 'no address');
    await press(alice, 'Put into the basket');
    await press(alice, 'Preview 5 edits');
    const basket = basketOf(alice);
    await basket.getByText('5 edits in the basket, not made yet; 1 refused.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const blamed = basket.locator('li[aria-invalid="true"]');
    await blamed
      .getByText(/address/)
      .last()
      .waitFor();
    expect(await blamed.textContent()).toContain('bad');
    await expect.poll(() => blamed.evaluate((item) => item.matches(':focus'))).toBe(true);
    expect(await serialOf(zone)).toBe(serial);
    // It is mended by keys alone: out with it, and the rest is made.
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe(
      'Take out the edit of bad A',
    );
    await page.keyboard.press('Enter');
    await basket.getByText('4 edits in the basket, not made yet.').waitFor();
    await page.getByRole('button', { name: 'Preview 4 edits' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Make 4 edits' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => serialOf(zone)).toBe(serial + 1);
    expect(alice.complaints).toEqual([]);
  });

  it('is previewed again when the zone has changed since, and kept', async () => {
    const zone = 'stale.example';
    const alice = await at(zone);
    await collectFour(alice);
    await press(alice, 'Preview 4 edits');
    await alice.page.getByRole('button', { name: 'Make 4 edits' }).waitFor();
    await local('POST', '/records', { zone_name: zone, name: 'z', type: 'A', value: '192.0.2.7' });
    await press(alice, 'Make 4 edits');
    await alice.page.getByText('The zone has changed since').waitFor();
    await basketOf(alice).getByText('4 edits').first().waitFor();
    await press(alice, 'Make 4 edits');
    await expect.poll(async () => (await contents(zone)).length).toBe(4);
  });

  it('survives a reload, of which the browser asks, and goes with the login', async () => {
    const zone = 'kept.example';
    const alice = await at(zone);
    const { page } = alice;
    await page.reload();
    expect(alice.askedToStay).toBe(0);
    await page.getByRole('row', { name: /old TXT/ }).waitFor();
    await collectFour(alice);
    await page.reload();
    expect(alice.askedToStay).toBe(1);
    await basketOf(alice).getByText('4 edits in the basket').waitFor();
    // That of one zone is not that of another, nor at an earlier moment.
    await page.getByRole('link', { name: 'Timeline' }).click();
    await basketOf(alice).getByText('4 edits in the basket').waitFor();
    await page.getByRole('link', { name: 'Bin' }).click();
    await page.getByRole('heading', { name: 'Bin', exact: true }).waitFor();
    expect(await basketOf(alice).count()).toBe(0);
    await press(alice, 'Log out');
    await page.getByLabel('Token').waitFor();
    expect(await alice.stored()).not.toContain('192.0.2.9');
    const { askedToStay } = alice;
    await page.reload();
    expect(alice.askedToStay).toBe(askedToStay);
  });

  it('takes edits out and is emptied, with nothing written', async () => {
    const zone = 'emptied.example';
    const alice = await at(zone);
    const [before, serial] = [await contents(zone), await serialOf(zone)];
    await collectFour(alice);
    const basket = basketOf(alice);
    await basket.getByText('What is in it').click();
    await basket.getByRole('button', { name: 'Take out the edit of shop CNAME' }).click();
    await basket.getByText('3 edits in the basket').waitFor();
    await press(alice, 'Empty the basket');
    await basket.waitFor({ state: 'detached' });
    await alice.page.getByRole('button', { name: 'Delete @ MX' }).waitFor();
    expect([await contents(zone), await serialOf(zone)]).toEqual([before, serial]);
    expect(alice.complaints).toEqual([]);
  });
});
