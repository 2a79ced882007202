/** Presses of the mouse in the console, where the page moves below the pointer before the button is let go. */
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'pressed.example';

needsPeers('chromium')('presses', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const names = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...names });
  });

  async function atRecords(): Promise<Person> {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/records`);
    await alice.atRest();
    return alice;
  }

  async function holdDown({ page }: Person, on: Locator): Promise<{ x: number; y: number }> {
    const { x, y, width, height } = (await on.boundingBox())!;
    const middle = { x: x + width / 2, y: y + height / 2 };
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    return middle;
  }

  /** What comes late does this. */
  async function moveDown({ page }: Person, what: Locator): Promise<void> {
    const before = (await what.boundingBox())!;
    await page.evaluate(`{
      const late = document.createElement('div');
      late.style.height = '150px';
      (document.querySelector('dialog') ?? document.querySelector('main')).prepend(late);
    }`);
    expect((await what.boundingBox())!.y).toBeGreaterThan(before.y + before.height);
  }

  const newRecord = ({ page }: Person) => page.getByRole('button', { name: 'New record' });
  const form = ({ page }: Person) => page.getByRole('dialog', { name: `New record in ${zone}` });

  it('takes one for the button on which it began', async () => {
    const alice = await atRecords();
    await holdDown(alice, newRecord(alice));
    await moveDown(alice, newRecord(alice));
    await alice.page.mouse.up();
    await form(alice).waitFor();
    const cancel = form(alice).getByRole('button', { name: 'Cancel' });
    await holdDown(alice, cancel);
    await moveDown(alice, cancel);
    await alice.page.mouse.up();
    await form(alice).waitFor({ state: 'detached' });
    expect(alice.complaints).toEqual([]);
  });

  it('takes one for the link and for the tick on which it began', async () => {
    const alice = await atRecords();
    const tick = alice.page.getByRole('checkbox').first();
    expect(await tick.isChecked()).toBe(false);
    await holdDown(alice, tick);
    await moveDown(alice, tick);
    await alice.page.mouse.up();
    await expect.poll(() => tick.isChecked()).toBe(true);
    const link = alice.page.getByRole('link', { name: 'Timeline' });
    await holdDown(alice, link);
    await moveDown(alice, link);
    await alice.page.mouse.up();
    await alice.page.waitForURL(`**/zones/${zone}/timeline`);
    expect(alice.complaints).toEqual([]);
  });

  it('counts one that nothing moved once', async () => {
    const alice = await atRecords();
    const tick = alice.page.getByRole('checkbox').first();
    await holdDown(alice, tick);
    await alice.page.mouse.up();
    await alice.atRest();
    expect(await tick.isChecked()).toBe(true);
  });

  it('counts one on a tick once, that is let go on the words of the tick', async () => {
    const alice = await atRecords();
    const { page } = alice;
    await alice.press('?');
    const tick = page.getByRole('checkbox', { name: 'Keys are on' });
    expect(await tick.isChecked()).toBe(true);
    const { x, y, width, height } = (await tick.boundingBox())!;
    await page.mouse.move(x + width - 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width + 5, y + height / 2);
    await page.mouse.up();
    await alice.atRest();
    expect(await tick.isChecked()).toBe(false);
  });

  it('knows the keys that are held', async () => {
    for (const name of ['one', 'two', 'three']) {
      const record = { zone_name: zone, name, type: 'A', value: '192.0.2.1' };
      await callLocally(service, 'POST', '/records', record);
    }
    const alice = await atRecords();
    const { page } = alice;
    const tickOf = (name: string) => page.getByRole('checkbox', { name });
    await tickOf('Select one A').check();
    await page.keyboard.down('Shift');
    await holdDown(alice, tickOf('Select two A'));
    await moveDown(alice, tickOf('Select two A'));
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByText('3 records selected').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('gives one up that is drawn away, also where the page moves', async () => {
    const alice = await atRecords();
    const { page } = alice;
    const { x, y } = await holdDown(alice, newRecord(alice));
    await page.mouse.move(x - 200, y);
    await page.mouse.up();
    await holdDown(alice, newRecord(alice));
    await moveDown(alice, newRecord(alice));
    await page.mouse.move(x, y - 20);
    await page.mouse.up();
    await alice.atRest();
    expect(await form(alice).count()).toBe(0);
    // What was given up stays so: the next press is the first that counts.
    await newRecord(alice).click();
    await form(alice).waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
