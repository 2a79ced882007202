/** Who made each record what it is: beside each row of records, and on to the changes of its RRset. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser } from '../support/browser.ts';
import { momentBetween } from '../support/moments.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zone_name = 'blamed.example';
const owners = 300;

needsPeers('chromium')('blame in the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let between: string;
  const as = async (secret: string, reason: string, method: string, path: string, body: object) => {
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'zonebook-reason': reason,
    };
    const url = `http://127.0.0.1:${service.apiPort}${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { record: { id: number } };
  };
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    const deployer = await tokenOf(service, 'deployer');
    await callLocally(service, 'POST', '/zones', { name: zone_name, ...soa });
    const www = { name: 'www', type: 'A', value: '192.0.2.1' };
    const made = await as(token, 'first host', 'POST', '/records', { zone_name, ...www });
    const records = Array.from({ length: owners }, (_, index) => {
      return { name: `zz${index}`, type: 'A', value: '192.0.2.7' };
    });
    await as(token, 'many', 'POST', `/zones/${zone_name}/records/bulk`, { records });
    between = await momentBetween();
    const change = { ...www, value: '192.0.2.2' };
    await as(deployer, 'moves to the new rack', 'PUT', `/records/${made.record.id}`, change);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  it('stands beside each record, says why on focus, and leads to the changes', async () => {
    const alice = await browser.person();
    const { page } = alice;
    // No minute goes by in the page, so that the change was just now.
    await page.clock.setFixedTime(between);
    await alice.logIn(token, `/zones/${zone_name}/records?search=www`);
    const link = page.getByRole('link', { name: 'History of www A: deployer, just now' });
    await link.focus();
    const why = page.getByRole('tooltip').getByText('moves to the new rack');
    await why.waitFor();
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    await link.hover();
    await why.waitFor();
    await link.click();
    await page.getByRole('article').nth(1).waitFor();
    await page.getByText('first host').waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    expect(alice.complaints).toEqual([]);
  });

  it('is that of the moment of the page', async () => {
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone_name}/records?search=www&at=${between}`);
    const link = alice.page.getByRole('link', { name: 'History of www A: alice' });
    await link.focus();
    await alice.page.getByRole('tooltip').getByText('first host').waitFor();
  });

  it('is asked for what is on the screen, each owner once', async () => {
    const alice = await browser.person();
    const asked: string[] = [];
    alice.page.on('request', (request) => {
      if (request.url().includes('/blame')) asked.push(request.url());
    });
    await alice.logIn(token, `/zones/${zone_name}/records`);
    const { page } = alice;
    await page.getByRole('link', { name: 'History of www A: deployer' }).waitFor();
    await page.getByRole('link', { name: 'History of @ NS: ' }).waitFor();
    expect(asked.length).toBeLessThan(70);
    await page.getByRole('row').last().scrollIntoViewIfNeeded();
    await page.getByRole('row').last().getByRole('link', { name: ': alice' }).waitFor();
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('is left out of rows whose changes are not visible', async () => {
    const grants = [{ zone_name, actions: ['record:read'], record_name_pattern: 'www' }];
    const reader = await browser.person();
    const secret = await tokenOf(service, 'narrow-reader', grants);
    await reader.logIn(secret, `/zones/${zone_name}/records`);
    await reader.page.getByRole('link', { name: 'History of www A: deployer' }).waitFor();
    expect(await reader.page.getByRole('row').count()).toBe(2);
    expect(reader.complaints).toEqual([]);
  });
});
