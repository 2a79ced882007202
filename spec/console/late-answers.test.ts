/** What comes late in the console: an answer to an earlier check of a text, and the text of a file that was chosen. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'late.example';
const soa = '@ 3600 IN SOA ns1.example.com. hostmaster.example.com. 7 3600 600 604800 300';

const fileOf = (...owners: readonly string[]) =>
  [soa, '@ 3600 IN NS ns1.example.com.', ...owners.map((name) => `${name} 300 IN A 192.0.2.1`)]
    .map((line) => `${line}\n`)
    .join('');

needsPeers('chromium')('what comes late', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const names = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...names });
  });

  /** Where texts are checked, the field with the text, and the button that does. */
  const places = [
    [`/zones/${zone}/text`, /^Zone file of/, 'Check'],
    [`/zones/${zone}/compare`, 'Text of the file', 'Compare with the file'],
    ['/import', 'Text of the file', 'Check'],
  ] as const;

  it.each(places)('hides no answer to the latest check: %s', async (path, label, button) => {
    const alice = await browser.person();
    const { page } = alice;
    const isLetGo = Promise.withResolvers<void>();
    let checks = 0;
    await page.route(/\/(import|diff)(\?|$)/, async (route) => {
      if (route.request().method() === 'POST' && checks++ === 0) await isLetGo.promise;
      await route.continue();
    });
    await alice.logIn(token, path);
    const field = page.getByRole('textbox', { name: label });
    const check = async (owner: string) => {
      await field.fill(fileOf(owner));
      await page.getByRole('button', { name: button, exact: true }).click();
    };
    await field.waitFor();
    if (path === '/import') await page.getByLabel('Name of the zone').fill('later.example');
    await check('earlier');
    await expect.poll(() => checks).toBe(1);
    await check('latest');
    const found = page.getByRole('row', { name: /added latest/ });
    await found.waitFor();
    isLetGo.resolve();
    await alice.atRest();
    expect(await found.count()).toBe(1);
    expect(alice.complaints).toEqual([]);
  });

  it('keeps the answer to a comparison with a zone that the page was reading anew', async () => {
    const name = 'read-late.example';
    const names = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name, ...names });
    const alice = await browser.person({ looksAtWaits: true });
    const { page } = alice;
    await alice.logIn(token, `/zones/${name}/compare`);
    const field = page.getByRole('textbox', { name: 'Text of the file' });
    const press = (button: string) =>
      page.getByRole('button', { name: button, exact: true }).click();
    await field.waitFor();
    await alice.atRest();
    await field.fill(fileOf('www'));
    await press('Compare with the file');
    await page.getByRole('row', { name: /added www/ }).waitFor();
    await press('Import…');
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /added www/ })
      .waitFor();
    const isLetGo = Promise.withResolvers<void>();
    await page.route(`**/zones/${name}`, async (route) => {
      await isLetGo.promise;
      await route.continue();
    });
    const isReadAnew = page.waitForRequest(`**/zones/${name}`);
    await press('Import');
    await isReadAnew;
    await expect.poll(() => field.inputValue()).toBe('');
    await field.fill(fileOf('www'));
    await press('Compare with the file');
    const found = page.getByText('No records differ.');
    await found.waitFor();
    isLetGo.resolve();
    await alice.atRest();
    expect(await found.count()).toBe(1);
    expect(alice.complaints).toEqual([]);
  });

  /** A text that is chosen is read when the page calls `readOn()`. */
  async function holdTexts({ page }: Person): Promise<void> {
    await page.addInitScript(`{
      const read = Blob.prototype.text;
      const held = new Promise((go) => { window.readOn = go; });
      Blob.prototype.text = async function () {
        if (!this.name.startsWith('fast')) await held;
        return read.call(this);
      };
    }`);
  }

  const chosen = {
    name: 'of-the-file.example.zone',
    mimeType: 'text/plain',
    buffer: Buffer.from(fileOf('www')),
  };

  it.each([
    ['/import', /^Choose a zone file/],
    [`/zones/${zone}/compare`, /^Choose a file/],
  ])('takes the file that was chosen last, whichever is read first: %s', async (path, label) => {
    const alice = await browser.person();
    const { page } = alice;
    await holdTexts(alice);
    await alice.logIn(token, path);
    const buffer = Buffer.from(fileOf('fast'));
    await page.getByLabel(label).setInputFiles(chosen);
    await page.getByLabel(label).setInputFiles({ ...chosen, name: 'fast.zone', buffer });
    const text = page.getByRole('textbox', { name: 'Text of the file' });
    await expect.poll(() => text.inputValue()).toBe(fileOf('fast'));
    await page.evaluate('readOn()');
    await alice.atRest();
    expect(await text.inputValue()).toBe(fileOf('fast'));
    expect(alice.complaints).toEqual([]);
  });

  it('keeps what was typed while a file was read', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await holdTexts(alice);
    await alice.logIn(token, '/import');
    await page.getByLabel(/^Choose a zone file/).setInputFiles(chosen);
    const name = page.getByLabel('Name of the zone');
    await name.fill('typed.example');
    await page.evaluate('readOn()');
    const text = page.getByRole('textbox', { name: 'Text of the file' });
    await expect.poll(() => text.inputValue()).toBe(fileOf('www'));
    expect(await name.inputValue()).toBe('typed.example');
    expect(alice.complaints).toEqual([]);
  });

  it('keeps what was typed while a file was read, in the dialog of a new zone', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await holdTexts(alice);
    await alice.logIn(token);
    await page.getByRole('button', { name: 'New zone' }).click();
    const form = page.getByRole('dialog', { name: 'New zone' });
    await form.getByLabel(/^From a zone file/).setInputFiles(chosen);
    const name = form.getByLabel(/^Name/);
    await name.fill('typed.example');
    await page.evaluate('readOn()');
    const text = form.getByLabel('Text of the file');
    await expect.poll(() => text.inputValue()).toBe(fileOf('www'));
    expect(await name.inputValue()).toBe('typed.example');
    expect(alice.complaints).toEqual([]);
  });
});
