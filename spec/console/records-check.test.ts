/** The form of a record in the console, checked by the service while somebody types. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

needsPeers('chromium')('a record that is typed', () => {
  const zone = 'typed.example';
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    const records = [
      { name: 'alias', type: 'CNAME', value: 'www.example.net.' },
      { name: 'www', type: 'A', value: '192.0.2.1' },
    ];
    await callLocally(service, 'POST', `/zones/${zone}/records/bulk`, { records });
  });

  const box = ({ page }: Person, name: RegExp) => page.getByRole('textbox', { name });
  const said = ({ page }: Person, text: string) => page.getByRole('status').getByText(text);
  const goes = (locator: ReturnType<typeof said>) => locator.waitFor({ state: 'detached' });

  it('is refused beside the field that is wrong, and nothing is made', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    await page.getByRole('button', { name: 'New record' }).click();
    await box(alice, /^Value/).pressSequentially('192.0.2');
    const value = said(alice, 'A value is an IPv4 address');
    await value.waitFor();
    await expect.poll(() => box(alice, /^Value/).getAttribute('aria-invalid')).toBe('true');
    expect(await value.textContent()).not.toMatch(/^value/);
    await box(alice, /^Value/).pressSequentially('.7');
    await goes(value);
    await box(alice, /^Name/).fill('a..b');
    await said(alice, 'has an empty label').waitFor();
    await box(alice, /^Name/).fill('alias');
    await said(alice, 'a CNAME stands alone').waitFor();
    await box(alice, /^Name/).fill('');
    await goes(said(alice, 'a CNAME stands alone'));
    await box(alice, /^Type/).fill('MX');
    await box(alice, /^Value/).fill('10 mail.typed.example.');
    const warnings = page.getByRole('region', { name: 'Warnings' });
    await warnings.getByText('has no A or AAAA record in this zone').waitFor();
    await box(alice, /^Value/).fill('10 www.typed.example.');
    await warnings.waitFor({ state: 'detached' });
    const { pagination } = await callLocally(service, 'GET', `/records?zone_name=${zone}`);
    expect(pagination.total).toBe(3);
    expect(alice.complaints).toEqual([]);
  });

  it('is not asked about before anything is typed', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await alice.logIn(token, `/zones/${zone}/records`);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') asked.push(request.postData() ?? '');
    });
    await page.getByRole('button', { name: 'Edit www A' }).click();
    await box(alice, /^Name/).fill('web');
    await box(alice, /^Value/).fill('192.0.2.300');
    await said(alice, 'A value is an IPv4 address').waitFor();
    // The first answer is about all that was typed by then.
    expect(asked.every((body) => body.includes('web') && body.includes('"dry_run":true'))).toBe(
      true,
    );
    expect(alice.complaints).toEqual([]);
  });
});
