/** Screens that come in a file of their own: when one is opened, or before, when the browser has nothing else to do. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';

const file = /\/console\/more-\w+\.js$/;

needsPeers('chromium')('screens in a file of their own', () => {
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole((started) => {
    ({ browser, token } = started);
  });

  it('are fetched once the first one is there', async () => {
    const alice = await browser.person();
    const fetched = alice.page.waitForResponse(file);
    await alice.logIn(token, '/zones');
    expect((await fetched).status()).toBe(200);
    await alice.page.route(file, (route) => route.abort());
    await alice.page.getByRole('link', { name: 'Access' }).click();
    await alice.page.getByRole('heading', { name: 'Tokens' }).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  /** The screen of tokens could not be loaded, and could by now; the browser is idle when the page calls `idle()`. */
  async function afterFailure() {
    const alice = await browser.person();
    const { page } = alice;
    await page.addInitScript('window.requestIdleCallback = (ask) => { window.idle = ask; }');
    await page.route(file, (route) => route.abort());
    await alice.logIn(token, '/access');
    await page.getByRole('alert').getByText('This screen could not be loaded.').waitFor();
    await page.unroute(file);
    return page;
  }

  it('say so when they can not be loaded, and come with the page', async () => {
    const page = await afterFailure();
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
  });

  it('come by themselves when the browser is idle, where they could not be loaded before', async () => {
    const page = await afterFailure();
    await page.evaluate('idle()');
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
