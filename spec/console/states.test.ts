/** What a screen shows while the service is away or slow: what was there stays, and nothing can be written. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'away.example';

needsPeers('chromium')('a service that is away, or slow', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    const record = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
    await callLocally(service, 'POST', '/records', record);
  });

  const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name });
  const bar = ({ page }: Person) => page.getByRole('alert').getByText(/^Not connected since/);

  /** Somebody tries to write, which is refused; then the service comes back by itself. */
  async function whileAway(
    person: Person,
    attempt: () => Promise<void>,
    look: () => Promise<void>,
  ) {
    const { page } = person;
    // What was never there has nothing to stay.
    await person.settled();
    await person.atRest();
    // What the page asks by itself waits: were it refused first, there would be nothing to attempt.
    const attempted = Promise.withResolvers<void>();
    await page.route('**', async (route) => {
      if (route.request().method() === 'GET') await attempted.promise;
      await route.continue();
    });
    await service.end();
    try {
      await attempt();
      attempted.resolve();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('the service does not answer').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await bar(person).waitFor();
      await look();
    } finally {
      await service.start();
    }
    await bar(person).waitFor({ state: 'detached' });
  }

  it('leaves the records on the page without their controls, and the basket as it was', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    await button(alice, 'New record').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('mail');
    await page.getByRole('textbox', { name: /^Value/ }).fill('192.0.2.2');
    await button(alice, 'Put into the basket').click();
    const remove = button(alice, 'Delete www A');
    const writes = button(alice, /^(New record|Edit|Delete)/);
    await whileAway(
      alice,
      () => remove.click(),
      async () => {
        await page.getByRole('row', { name: /www A .*192\.0\.2\.1/ }).waitFor();
        expect(await writes.count()).toBe(0);
        expect(await button(alice, 'Preview 1 edit').isDisabled()).toBe(true);
        await page.getByText('1 edit in the basket').waitFor();
      },
    );
    await remove.waitFor();
    await expect.poll(() => button(alice, 'Preview 1 edit').isEnabled()).toBe(true);
    expect(alice.complaints).toEqual([]);
  });

  it('keeps what was typed, and reads again what is shown', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/settings`);
    const description = page.getByLabel('Description');
    await description.fill('typed before');
    const preview = button(alice, 'Preview').first();
    await whileAway(
      alice,
      () => preview.click(),
      async () => {
        expect(await preview.isDisabled()).toBe(true);
        expect(await button(alice, 'Delete the zone').count()).toBe(0);
        await description.fill('typed meanwhile');
      },
    );
    await button(alice, 'Delete the zone').waitFor();
    expect(await description.inputValue()).toBe('typed meanwhile');
    expect(await preview.isEnabled()).toBe(true);
    expect(alice.complaints).toEqual([]);
  });

  it('shows a refusal above what was there, and asks again by itself on any screen', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, '/health');
    const figures = page.getByRole('region', { name: 'Storage' });
    await figures.waitFor();
    await service.end();
    await button(alice, 'Look again').click();
    const refusal = page.getByRole('main').getByRole('alert').getByText('does not answer').first();
    await refusal.waitFor();
    await bar(alice).waitFor();
    expect(await figures.isVisible()).toBe(true);
    // What was never there has nothing to stay.
    await page.getByRole('link', { name: 'Zones', exact: true }).click();
    await refusal.waitFor();
    await service.start();
    await page.getByRole('link', { name: zone }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  const screens: readonly (readonly [path: string, control: string | RegExp])[] = [
    ['/zones', 'New zone'],
    [`/zones/${zone}/timeline`, 'Undo this change'],
    ['/zones/signed.example/dnssec', 'Roll the CSK…'],
    ['/zones/unsigned.example/dnssec', 'Sign the zone'],
    ['/secondaries', 'New secondary'],
    ['/access', 'New token'],
    ['/access?role=changed', 'New grant'],
    ['/bin', 'Restore binned.example'],
    ['/health', 'Check ns2'],
  ];
  const writing =
    /^(New|Edit|Delete|Undo|Roll|Restore|Purge|Disable|Enable|Forget|Revoke|Change|Sign|Make|Check|Stop|End)\b/;

  it('has no control that writes on any screen, and gives each back', async () => {
    const local = (method: string, path: string, body?: object) =>
      callLocally(service, method, path, body);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    for (const name of ['signed.example', 'unsigned.example', 'binned.example']) {
      await local('POST', '/zones', { name, ...soa });
    }
    await local('POST', '/zones/signed.example/dnssec', { parent_ns_addrs: ['127.0.0.1'] });
    await local('DELETE', '/zones/binned.example');
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:1' });
    await local('POST', '/roles', { name: 'changed' });
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token);
    for (const [path, name] of screens) {
      await alice.open(path);
      const control = button(alice, name).first();
      await control.waitFor();
      await page.context().setOffline(true);
      // Any question tells that nobody is there.
      await page.keyboard.press('u');
      await bar(alice).waitFor();
      const drawn = page.getByRole('button', { name: writing, disabled: false });
      await expect.poll(() => drawn.allTextContents(), { message: path }).toEqual([]);
      await page.context().setOffline(false);
      await control.waitFor();
      expect(await bar(alice).count()).toBe(0);
    }
    expect(alice.complaints).toEqual([]);
  });

  it('says what it waits for after five seconds, and waits no longer when that is wanted', async () => {
    const alice = await browser.person({ looksAtWaits: true });
    const { page } = alice;
    // What is done after five seconds is done when the page calls `later()`.
    await page.addInitScript(`{
      const wait = window.setTimeout;
      const waiting = [];
      window.setTimeout = (run, ms, ...rest) => ms === 5000 ? waiting.push(run) : wait(run, ms, ...rest);
      window.later = () => { for (const run of waiting.splice(0)) run(); };
    }`);
    let isSlow = true;
    let ended = 0;
    page.on('requestfailed', (request) => {
      if (request.url().includes('/records')) ended++;
    });
    await page.route(/\/records\?/, (route) => (isSlow ? undefined : route.continue()));
    await alice.logIn(token, `/zones/${zone}/records`);
    await page.getByText('Loading', { exact: true }).waitFor();
    const slow = page.getByRole('status', { name: 'Slow answer' });
    expect(await slow.count()).toBe(0);
    const isSaid = async () => {
      await page.evaluate('later()');
      return slow.getByText('No answer to GET /records for more than 5 seconds.').count();
    };
    await expect.poll(isSaid).toBe(1);
    await button(alice, 'Cancel').click();
    await page.getByRole('alert').getByText('You waited no longer.').waitFor();
    await expect.poll(() => ended).toBe(1);
    expect(await slow.count()).toBe(0);
    isSlow = false;
    await button(alice, 'Try again').click();
    await page.getByRole('row', { name: /www A/ }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });
});
