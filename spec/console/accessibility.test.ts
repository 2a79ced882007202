/** The console for who sees, points or reads in other ways: axe on every screen and dialog, and walks by keys alone. */
import AxeSource from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lintCodes } from '../../src/base/warning.ts';
import { changeMetrics, ConsoleBrowser, type Person } from '../support/browser.ts';
import { isLong, sampleOf } from '../support/long.ts';
import { momentBetween } from '../support/moments.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone_name = 'example.com';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

/** What axe finds, with targets of at least 24 pixels (WCAG 2.2 AA), which it does not look for by itself. */
async function faults({ page }: Person) {
  await page.evaluate(AxeSource.source);
  const found = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what axe puts there.
    const { axe } = globalThis as any;
    const { violations } = await axe.run({ rules: { 'target-size': { enabled: true } } });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
      id,
      nodes.map(({ html }) => html),
    ]);
  });
  return { url: page.url(), found };
}

/** What goes beyond the right edge, so that it would have to be scrolled to. */
const overflow = ({ page }: Person): Promise<number> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: { scrollingElement: { scrollWidth: number } };
      innerWidth: number;
    };
    return Math.max(0, document.scrollingElement.scrollWidth - innerWidth);
  });

/** The metrics as after a lint of all zones, some minutes from the start, that found mistakes of every kind. */
function withEveryFinding(metrics: string): string {
  const findings = lintCodes.map((code) => `zonebook_zone_lint_findings{kind="${code}"} 1234\n`);
  return metrics.replace(/^zonebook_zone_lint_findings.*\n/gm, '') + findings.join('');
}

needsPeers('chromium')('the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let asked: string;
  let made = 0;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  const add = async (name: string, type: string, value: string): Promise<number> =>
    (await local('POST', '/records', { zone_name, name, type, value })).record.id;
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    await local('POST', '/zones', { name: zone_name, ...soa });
    await local('POST', '/zones', { name: 'deleted.example', ...soa });
    await local('DELETE', '/zones/deleted.example');
    await local('POST', `/zones/${zone_name}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:1' });
    await tokenOf(service, 'updaters', [{ zone_name, actions: ['record:create'] }]);
    await local('POST', '/tsig-keys', { name: 'fixed.example', role_name: 'updaters' });
    const id = await add('www', 'A', '192.0.2.1');
    asked = await momentBetween();
    await local('PUT', `/records/${id}`, { name: 'www', type: 'A', value: '192.0.2.2' });
    await add('shop', 'CNAME', 'nowhere.example.com.');
    await add('long', 'TXT', 'x'.repeat(3000));
    await local('POST', `/zones/${zone_name}/tags`, { name: 'before-move', serial: 2 });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const views = [
    ['light', {}],
    ['dark and narrow', { dark: true, width: 320 }],
    ['dark', { dark: true }],
    ['narrow', { width: 320 }],
  ] as const;
  const [first, second] = views;
  // In an ordinary run the screens in one of the first two, and what opens over them in the other.
  const drawn = sampleOf(['screens', 'over them'], 1);
  for (const view of isLong ? views : [first, second]) {
    const [how, options] = view;
    const has = (what: string) => isLong || drawn.includes(what) === (view === first);
    const isSound = async (person: Person) => {
      expect(await faults(person)).toMatchObject({ found: [] });
      expect({ url: person.page.url(), overflow: await overflow(person) }).toMatchObject({
        overflow: 0,
      });
    };

    if (has('screens'))
      it(`has no fault that axe finds on any screen, ${how}`, async () => {
        const alice = await browser.person({ ...options, bypassCSP: true });
        await changeMetrics(alice, withEveryFinding);
        await alice.open();
        await alice.page.getByRole('dialog').waitFor();
        await isSound(alice);
        await alice.logIn(token);
        for (const path of [
          '/zones',
          '/changes',
          '/secondaries',
          '/access',
          '/access?action=record:create&who=token%3Dalice&zone=example.com',
          '/access?role=updaters',
          '/bin',
          '/bin/deleted.example/2/purge',
          '/health',
          '/search?q=www',
          '/search?q=long',
          `/zones/${zone_name}/dnssec`,
          `/zones/${zone_name}/secondaries`,
          `/zones/${zone_name}/settings`,
          `/zones/${zone_name}/settings?at=${asked}`,
          `/zones/${zone_name}/records`,
          `/zones/${zone_name}/text`,
          `/zones/${zone_name}/text?at=${asked}`,
          `/zones/${zone_name}/timeline`,
          `/zones/${zone_name}/compare?from=${asked}`,
          `/zones/${zone_name}/timeline?at=${asked}`,
        ]) {
          await alice.open(path);
          await alice.settled();
          await isSound(alice);
        }
      });

    if (has('over them'))
      it(`has no fault that axe finds in what opens over a screen, ${how}`, async () => {
        const alice = await browser.person({ ...options, bypassCSP: true });
        await alice.logIn(token, `/zones/${zone_name}/records`);
        const { page } = alice;
        const dialog = page.getByRole('dialog');
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
        await page.getByText(/may be wrong/).click();
        const history = page.getByRole('link', { name: 'History of www A' });
        await history.scrollIntoViewIfNeeded();
        // What has scrolled below the pointer would be explained too.
        await page.mouse.move(0, 0);
        await history.focus();
        await page.getByRole('tooltip').waitFor();
        await page.getByRole('checkbox', { name: /^Select www A/ }).check();
        await page.getByRole('button', { name: 'Delete selected' }).waitFor();
        // The bar of the selection covers no row in part there.
        await page.evaluate('scrollTo(0, 0)');
        await isSound(alice);
        await page.getByRole('checkbox', { name: /^Select www A/ }).uncheck();
        await press('New record');
        await isSound(alice);
        await page.getByRole('textbox', { name: /^Name/ }).fill(`new-${made++}`);
        await page.getByRole('textbox', { name: /^Value/ }).fill('192.0.2.9');
        await press('Preview');
        await page.getByRole('button', { name: 'Create record' }).waitFor();
        await page.getByText('Show as curl').click();
        await page.getByRole('button', { name: 'Copy the curl line' }).waitFor();
        await isSound(alice);
        await press('Create record');
        await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor();
        // Nothing is under the message then.
        await page.evaluate('scrollTo(0, document.scrollingElement.scrollHeight)');
        await isSound(alice);
        await press('New record');
        await page.getByRole('textbox', { name: /^Type/ }).fill('MX');
        await page.getByRole('textbox', { name: /^Priority/ }).fill('10');
        await page.getByRole('textbox', { name: /^Host/ }).fill('mail');
        await page.getByText('has no dot at its end').waitFor();
        await isSound(alice);
        await page.getByRole('textbox', { name: /^Type/ }).fill('A');
        await page.getByRole('textbox', { name: /^Name/ }).fill('collected');
        await page.getByRole('textbox', { name: /^Value/ }).fill('no address');
        await press('Put into the basket');
        await press('Preview 1 edit');
        await page.getByText('1 edit in the basket, not made yet; 1 refused').waitFor();
        await page.evaluate('scrollTo(0, document.scrollingElement.scrollHeight)');
        await isSound(alice);
        await press('Empty the basket');
        await page.getByRole('main').press('?');
        await dialog.waitFor();
        await isSound(alice);
        await press('Close');
        await alice.open(`/zones/${zone_name}/timeline?name=www`);
        await page.getByRole('button', { name: 'Undo this change' }).last().click();
        await page.getByRole('region', { name: 'Conflicts' }).waitFor();
        await isSound(alice);
        // A value is not squeezed into a column of letters.
        const value = dialog.locator('.diff td').last();
        expect((await value.boundingBox())!.width).toBeGreaterThan(120);
        await press('Cancel');
        await page.getByText('Activity as a table').click();
        await isSound(alice);
        await alice.open(`/zones/${zone_name}/text`);
        await page.getByRole('textbox', { name: /^Zone file/ }).fill('www IN A nothing\n');
        await press('Check');
        await page.getByRole('button', { name: /^line 1: / }).waitFor();
        await isSound(alice);
        await alice.open('/import');
        await page.getByLabel('Name of the zone').fill('import.example');
        await page.getByLabel('Text of the file').fill('www IN A nothing\n');
        await press('Check');
        await page.getByRole('button', { name: /^line 1: / }).waitFor();
        await isSound(alice);
        await alice.open('/secondaries');
        await press('New secondary');
        await dialog.waitFor();
        await isSound(alice);
        await alice.open('/access?role=updaters');
        await press('New grant');
        await dialog.waitFor();
        await isSound(alice);
        await alice.open('/access');
        await alice.settled();
        await press('Show key fixed.example');
        await dialog.getByRole('figure', { name: 'knot' }).waitFor();
        await isSound(alice);
        await press('Close');
        await press('New token');
        await dialog.getByRole('textbox', { name: /^Name/ }).fill(`token-${made++}`);
        await dialog.getByLabel('Role').selectOption('updaters');
        await press('Preview');
        await press('Create token');
        await page.getByRole('dialog', { name: /^The secret of token/ }).waitFor();
        await press('Close');
        await page.getByRole('button', { name: 'Leave without it' }).waitFor();
        await isSound(alice);
        await press('Leave without it');
        await alice.open(`/zones/${zone_name}/settings`);
        await press('Delete the zone…');
        await page.getByLabel(/to confirm$/).waitFor();
        await isSound(alice);
      });
  }

  const focused = ({ page }: Person) => page.locator(':focus');
  const isFocused = async (person: Person, name: string) => {
    await expect
      .poll(() =>
        person.page.getByRole('button', { name, exact: true }).and(focused(person)).count(),
      )
      .toBe(1);
  };

  it('makes a record by keys alone, and gives the focus back', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone_name}/records`);
    const { page } = alice;
    await page.getByRole('row', { name: /@ NS/ }).waitFor();
    const { keyboard } = page;
    await page.reload();
    await page.getByRole('row', { name: /@ NS/ }).waitFor();
    await keyboard.press('Tab');
    expect(await focused(alice).textContent()).toBe('To the content');
    await keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'New record' });
    for (let tabs = 0; tabs < 20 && (await button.and(focused(alice)).count()) === 0; tabs++) {
      await keyboard.press('Tab');
    }
    await keyboard.press('Enter');
    await keyboard.type('by-keys');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type('192.0.2.7');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create record' }).waitFor();
    // Escape leads back to the form, with what was typed.
    await keyboard.press('Escape');
    const form = page.getByRole('dialog', { name: /^New record/ });
    expect(await form.getByRole('textbox', { name: /^Value/ }).inputValue()).toBe('192.0.2.7');
    await keyboard.press('Escape');
    await isFocused(alice, 'New record');
    await keyboard.press('Enter');
    await keyboard.type('by-keys');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type('192.0.2.7');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create record' }).waitFor();
    await keyboard.press('Control+Enter');
    await page.getByRole('row', { name: /by-keys A/ }).waitFor();
    await isFocused(alice, 'New record');
    expect(alice.complaints).toEqual([]);
  });

  it('opens and closes a dialog before the next key is typed', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone_name}/records`);
    const { page } = alice;
    await page.getByRole('button', { name: 'New record' }).waitFor();
    // No task of the page, such as drawing it, is between an action and what it leads to.
    const opened = await page.evaluate(`(async () => {
      const dialogs = async () => {
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        return document.querySelectorAll('dialog:modal').length;
      };
      const button = (text) =>
        [...document.querySelectorAll('button')].findLast((each) => each.textContent === text);
      button('New record').click();
      const opened = [await dialogs()];
      document.querySelector('dialog [name=value]').value = '192.0.2.8';
      document.querySelector('dialog form').requestSubmit();
      opened.push(await dialogs());
      for (const name of ['Cancel', 'Cancel', 'New record']) {
        button(name).click();
        opened.push(await dialogs());
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [...opened, await dialogs()];
    })()`);
    expect(opened).toEqual([1, 2, 1, 0, 1, 1]);
  });

  it('says every change of a difference in words, and every time as a time', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone_name}/timeline?name=www`);
    const { page } = alice;
    await page.getByRole('article').first().waitFor();
    const rows = page.locator('.diff tbody tr');
    for (const row of await rows.all()) {
      expect(await row.textContent()).toMatch(/added|removed/);
    }
    const times = page.getByRole('article').locator('time');
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) {
      expect(Date.parse((await time.getAttribute('datetime'))!)).not.toBeNaN();
    }
    await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it('moves nothing for who asked for less motion', async () => {
    const alice = await browser.person({ looksAtWaits: true });
    await alice.page.emulateMedia({ reducedMotion: 'reduce' });
    await alice.page.route('**/zones?*', () => {});
    await alice.logIn(token, '/zones');
    const skeleton = alice.page.locator('.skeleton div').first();
    await skeleton.waitFor({ state: 'attached' });
    const name = await skeleton.evaluate((element) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle: (of: unknown) => { animationName: string };
      };
      return getComputedStyle(element).animationName;
    });
    expect(name).toBe('none');
  });
});
