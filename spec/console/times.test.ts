/** Times: how long ago at first, the time itself on demand; in UTC the fields for a time take UTC as well. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';

const zone = 'timely.example';

needsPeers('chromium')('times in the console', () => {
  let browser: ConsoleBrowser;
  let token: string;
  /** No minute goes by in a page that looks at what was made just now. */
  let madeAt: Date;
  beforeConsole(async (started) => {
    ({ browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(started.service, 'POST', '/zones', { name: zone, ...soa });
    madeAt = new Date();
  });

  it('are whole when they have the focus, and when they are pressed', async () => {
    const alice = await browser.person({ zoneId: 'Asia/Tokyo' });
    const { page } = alice;
    await page.clock.setFixedTime(madeAt);
    await alice.logIn(token, `/zones/${zone}/timeline`);
    const first = page.getByRole('article').first();
    const short = first.getByRole('button', { name: 'just now', exact: true });
    const whole = first.getByRole('button', { name: /^just now, .*20\d\d.*\d:\d\d:\d\d/ });
    await short.waitFor();
    expect(await whole.count()).toBe(0);
    await short.focus();
    await whole.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await short.waitFor();
    await short.click();
    await whole.waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('in a link are whole while the link has the focus', async () => {
    const alice = await browser.person({ zoneId: 'Asia/Tokyo' });
    await alice.page.clock.setFixedTime(madeAt);
    await alice.logIn(token, '/zones');
    const change = alice.page
      .getByRole('row', { name: zone })
      .getByRole('link', { name: /just now/ });
    await change.focus();
    await expect.poll(() => change.getAttribute('href')).toContain('timeline');
    await alice.page.getByRole('link', { name: /^just now, .*\d:\d\d:\d\d.* by / }).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('are taken by each field in the time zone that it names', async () => {
    const alice = await browser.person({ zoneId: 'Asia/Tokyo' });
    const { page } = alice;
    const instant = '2026-01-31T12:00:00.000Z';
    await alice.logIn(token, `/changes?since=${instant}`);
    const from = page.getByLabel('From', { exact: true });
    await expect.poll(() => from.inputValue()).toBe('2026-01-31T21:00');
    await page.getByRole('button', { name: 'Times: local' }).click();
    const [at, since, until] = ['Now, or at (UTC)', 'From (UTC)', 'Up to (UTC)'].map((label) =>
      page.getByLabel(label, { exact: true }),
    );
    await expect.poll(() => since!.inputValue()).toBe('2026-01-31T12:00');
    const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
    await until!.fill('2026-02-01T08:30:05');
    await expect.poll(() => parameter('until')).toBe('2026-02-01T08:30:05.000Z');
    await at!.fill('2026-02-01T06:00:00');
    await expect.poll(() => parameter('at')).toBe('2026-02-01T06:00:00.000Z');
    await page.getByText(/^You look at .*6:00:00.* UTC/).waitFor();
    await page.getByRole('button', { name: 'Times: UTC' }).click();
    const moment = page.getByLabel('At', { exact: true });
    await expect.poll(() => moment.inputValue()).toBe('2026-02-01T15:00');
    expect(alice.complaints).toEqual([]);
  });
});
