import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

needsPeers('chromium')('the login of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  it('refuses a wrong token, takes the right one, and keeps it nowhere', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.open();
    await page.getByLabel('Token').fill('zb_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('unknown or has expired').waitFor();
    await alice.logInByForm(token);
    await page.getByText('alice').waitFor();
    expect(await alice.stored()).not.toContain(token);
    expect(page.url()).not.toContain(token);
    const [cookie, ...others] = await alice.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      name: '__Host-zonebook',
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    });
    expect(alice.complaints).toEqual([]);
  });

  it('holds when the refusal of what was asked before comes after it', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const isLetGo = Promise.withResolvers<void>();
    const isRefused = Promise.withResolvers<void>();
    await page.route(
      '**/permissions',
      async (route) => {
        await isLetGo.promise;
        await route.fulfill({ status: 401, json: { code: 'UNAUTHENTICATED', error: 'no token' } });
        isRefused.resolve();
      },
      { times: 1 },
    );
    await alice.logInByForm(token);
    isLetGo.resolve();
    await isRefused.promise;
    await alice.atRest();
    expect(await page.getByLabel('Token').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(1);
    expect(alice.complaints).toEqual([]);
  });

  it('stands in the journal when it was refused, without the token', async () => {
    const stranger = await browser.person();
    await stranger.open();
    await stranger.page.getByLabel('Token').fill('zb_not-for-you');
    await stranger.page.getByRole('button', { name: 'Log in' }).click();
    await stranger.page.getByRole('alert').getByText('unknown or has expired').waitFor();
    const alice = await browser.person();
    await alice.logInByForm(token, '/changes?kind=session.refused');
    const { page } = alice;
    const name = /^Login refused.* from 127\.0\.0\.1: unknown token$/;
    const refused = page.getByRole('article', { name }).first();
    await refused.getByText('the service').waitFor();
    await refused.getByText(/^Event \d+$/).click();
    await refused.getByText('"login"').waitFor();
    expect(await page.content()).not.toContain('not-for-you');
    expect(await alice.stored()).not.toContain('not-for-you');
  });

  it('holds for every tab, and ends for every tab', async () => {
    const alice = await browser.person();
    await alice.logInByForm(token);
    const other = await alice.otherTab('/changes');
    await other.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
    await alice.page.getByRole('button', { name: 'Log out' }).click();
    await alice.page.getByRole('dialog', { name: 'Log in to Zonebook' }).waitFor();
    await other.reload();
    await other.getByRole('dialog', { name: 'Log in to Zonebook' }).waitFor();
    expect(await alice.cookies()).toEqual([]);
  });

  it('is asked for again over the page when the token is deleted', async () => {
    const short = await tokenOf(service, 'leaver');
    const leaver = await browser.person();
    await leaver.logInByForm(short, '/changes');
    const { page } = leaver;
    await page.getByRole('article').first().waitFor();
    await callLocally(service, 'DELETE', '/tokens/leaver');
    const dialog = page.getByRole('dialog', { name: 'Log in to Zonebook' });
    // The page may learn of it by itself, when its stream of events ends: then nothing below can be clicked.
    await expect
      .poll(async () => {
        for (const name of ['Secondaries', 'Changes']) {
          if ((await dialog.count()) > 0) return true;
          await page
            .getByRole('link', { name, exact: true })
            .click({ timeout: 2000 })
            .catch(() => {});
        }
        return (await dialog.count()) > 0;
      })
      .toBe(true);
    const asked = page.url();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await leaver.settled();
    expect(page.url()).toBe(asked);
  });

  it('is spared by a code of the host, once, which leaves the address', async () => {
    const { code } = await callLocally(service, 'POST', '/session/codes', {});
    const operator = await browser.person();
    await operator.open(`/#login=${code}`);
    await operator.page.getByText('full rights').waitFor();
    expect(operator.page.url()).not.toContain(code);
    const late = await browser.person();
    await late.open(`/#login=${code}`);
    await late.page.getByRole('dialog', { name: 'Log in to Zonebook' }).waitFor();
  });

  it('can not be used by a page of another origin', async () => {
    const alice = await browser.person();
    await alice.logInByForm(token);
    // Another port of this host is the same site and another origin.
    await using elsewhere = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    const page = await alice.otherTab();
    await page.goto(`http://127.0.0.1:${elsewhere.apiPort}/health`);
    const target = `http://127.0.0.1:${service.apiPort}/zones`;
    const status = await page
      .evaluate(async (url) => {
        const init = { method: 'POST', body: '{}', credentials: 'include' } as const;
        return (await fetch(url, { ...init, mode: 'no-cors' })).type;
      }, target)
      .catch(() => 'blocked');
    expect(['opaque', 'blocked']).toContain(status);
    const events = await callLocally(service, 'GET', '/events?kind=zone.created');
    expect(events.items).toEqual([]);
  });
});
