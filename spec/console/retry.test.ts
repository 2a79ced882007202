/** Answers that ask to come again later: reads do so once by themselves, writes never. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'later.example';

needsPeers('chromium')('what the console does when it is asked to wait', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(
    async (started) => {
      ({ service, browser, token } = started);
      const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
      await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
      const record = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
      await callLocally(service, 'POST', '/records', record);
    },
    { ZONEBOOK_API_AUTH_FAILURES_PER_MINUTE: '2' },
  );

  /** A proxy before the service that refuses so many requests of a method, and what was asked of it. */
  async function refuseOf(
    { page }: Person,
    method: string,
    path: RegExp,
    count: number,
    wait = '600',
  ) {
    const asked: string[] = [];
    await page.route(path, async (route) => {
      if (route.request().method() !== method) return route.fallback();
      asked.push(route.request().url());
      if (asked.length > count) return route.continue();
      const headers = { 'retry-after': wait };
      return route.fulfill({ status: 429, headers, json: { error: 'too many', code: 'RATE' } });
    });
    return asked;
  }

  /** Not those that lag or whose signing needs somebody, which the head of the page asks for. */
  const listPath = /\/zones\?(?!lagging|signing)/;

  it('asks a read once more by itself when the time is over', async () => {
    const person = await browser.person();
    const asked = await refuseOf(person, 'GET', listPath, 1, '1');
    await person.logIn(token, '/zones');
    await person.page.getByRole('link', { name: zone }).waitFor();
    expect(asked).toHaveLength(2);
    expect(await person.page.getByRole('timer').count()).toBe(0);
    expect(person.complaints).toEqual([]);
  });

  it('counts down, and asks at once when somebody does not want to wait', async () => {
    const person = await browser.person({ looksAtWaits: true });
    const { page } = person;
    const asked = await refuseOf(person, 'GET', listPath, 2);
    await person.logIn(token, '/zones');
    const bar = page.getByRole('status', { name: 'Waiting' });
    await bar.getByText(/^The service asks to wait \d+ seconds\.$/).waitFor();
    const first = await bar.getByRole('timer').textContent();
    await expect.poll(() => bar.getByRole('timer').textContent()).not.toBe(first);
    expect(asked).toHaveLength(1);
    await bar.getByRole('button', { name: 'Try now' }).click();
    // It is refused again: from now on only somebody asks.
    await page.getByRole('alert').getByText('too many').waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('timer').waitFor();
    expect(asked).toHaveLength(2);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: zone }).waitFor();
    expect(asked).toHaveLength(3);
  });

  it('makes no write a second time by itself', async () => {
    const person = await browser.person();
    const { page } = person;
    await person.logIn(token, `/zones/${zone}/records`);
    await page.getByRole('button', { name: 'Delete www A' }).click();
    const remove = page.getByRole('button', { name: 'Delete record' });
    await remove.waitFor();
    const asked = await refuseOf(person, 'DELETE', /\/records\//, 1, '1');
    await remove.click();
    await page.getByRole('alert').getByText('too many').waitFor();
    await page.getByText('It can be tried again now.').waitFor();
    expect(asked).toHaveLength(1);
    await remove.click();
    await page.getByText(`Delete www A from ${zone}: done.`).waitFor();
    expect(asked).toHaveLength(2);
  });

  it('says at the login how long the service asks to wait', async () => {
    const person = await browser.person();
    const { page } = person;
    await person.open('/zones');
    const asksToWait = page
      .getByRole('dialog')
      .getByText(/^The service asks to wait \d+ seconds?\.$/);
    let tries = 0;
    const tryOnce = async () => {
      await page.getByLabel('Token').fill(`wrong-${tries++}`);
      const answered = page.waitForResponse(/\/session$/);
      await page.getByRole('button', { name: 'Log in' }).click();
      await answered;
    };
    // On a slow host the minute in which two are allowed may be over before the third.
    await expect
      .poll(async () => {
        if ((await asksToWait.count()) === 0) await tryOnce();
        return asksToWait.count();
      })
      .toBe(1);
    expect(tries).toBeGreaterThan(2);
  });
});
