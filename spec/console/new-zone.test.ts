/** A new zone in the console: empty, from a zone file, or from another server, by one dialog. */
import { expect, it } from 'vitest';
import { nameToWire, parseAbsoluteName } from '../../src/dns/name.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { CannedPrimary } from '../support/canned-primary.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const wire = (name: string) => nameToWire(parseAbsoluteName(name));

/** The SOA and the NS of a zone, as a primary sends them. */
function apexOf(zone: string) {
  const numbers = Buffer.alloc(20);
  for (const [index, value] of [7, 3600, 600, 604_800, 300].entries()) {
    numbers.writeUInt32BE(value, 4 * index);
  }
  const [host, mailbox] = [wire('ns1.elsewhere.example.'), wire('dns.elsewhere.example.')];
  const soa = { type: rrtype.SOA, rdata: Buffer.concat([host, mailbox, numbers]) };
  return [soa, { type: rrtype.NS, rdata: host }].map((each) => ({ owner: zone, ttl: 60, ...each }));
}

needsPeers('chromium')('a new zone of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.used.example', rname: 'hostmaster@used.example' };
    await local('POST', '/zones', { name: 'used.example', ...soa });
  });

  async function atForm(as = token) {
    const person = await browser.person();
    await person.logIn(as);
    const { page } = person;
    await page.getByRole('button', { name: 'New zone' }).click();
    const form = page.getByRole('dialog', { name: 'New zone' });
    const next = (name: string) => page.getByRole('button', { name, exact: true }).click();
    return { person, page, form, next };
  }

  it('has the primary and the mailbox that were used last', async () => {
    const soa = { mname: 'ns7.last.example', rname: 'dns@last.example' };
    await local('POST', '/zones', { name: 'last.example', ...soa });
    const { person, page, form, next } = await atForm();
    const primary = form.getByLabel('Primary name server');
    await expect.poll(() => primary.inputValue()).toBe(soa.mname);
    expect(await form.getByLabel('Mailbox').inputValue()).toBe(soa.rname);
    await form.getByLabel(/^Name/).fill('next.example');
    await next('Preview');
    await next('Create zone');
    await page.getByRole('heading', { name: 'next.example', exact: true }).waitFor();
    expect((await local('GET', '/zones/next.example')).zone).toMatchObject(soa);
    expect(person.complaints).toEqual([]);
  });

  it('is made from a zone file, whose errors are mended where it stands', async () => {
    const { person, page, form, next } = await atForm();
    const soa = '@ 3600 IN SOA ns1.file.example. hostmaster.file.example. 7 3600 600 604800 300';
    const text = `${soa}\n@ IN NS ns1.example.net.\nwww 300 IN A 192.0.2.300\n`;
    const file = { name: 'file.example.zone', mimeType: 'text/plain', buffer: Buffer.from(text) };
    await form.getByLabel(/^From a zone file/).setInputFiles(file);
    await expect.poll(() => form.getByLabel(/^Name/).inputValue()).toBe('file.example');
    expect(await form.getByLabel('Primary name server').count()).toBe(0);
    await next('Preview');
    await form.getByRole('button', { name: /^line 3: / }).waitFor();
    await form.getByLabel('Text of the file').fill(text.replace('.300', '.30'));
    expect(await form.getByRole('button', { name: /^line 3: / }).count()).toBe(0);
    await next('Preview');
    await page.getByRole('row', { name: /added www.* 192\.0\.2\.30$/ }).waitFor();
    await next('Create zone');
    await page.getByRole('row', { name: / www A 300 192\.0\.2\.30 / }).waitFor();
    expect((await local('GET', '/zones/file.example')).zone.mname).toBe('ns1.file.example');
    expect(person.complaints).toEqual([]);
  });

  it('is transferred from another server, unless it is there already', async () => {
    await using primary = await CannedPrimary.start();
    for (const zone of ['moved.example', 'used.example']) primary.hold(zone, apexOf(`${zone}.`));
    const { person, page, form, next } = await atForm();
    await form.getByLabel(/^Name/).fill('used.example');
    await form.getByLabel(/^Or transfer it/).fill(primary.address);
    await next('Preview');
    const preview = page.getByRole('dialog', { name: /^Create zone used\.example from/ });
    await preview.getByText("zone 'used.example' is there already").waitFor();
    await preview.getByRole('button', { name: 'Cancel' }).click();
    await form.getByLabel(/^Name/).fill('moved.example');
    await next('Preview');
    await next('Create zone');
    await page.getByRole('row', { name: / @ NS 60 ns1\.elsewhere\.example\./ }).waitFor();
    expect(person.complaints).toEqual([]);
  });

  it('is offered empty alone to who may not create all records of it', async () => {
    const { form } = await atForm(await tokenOf(service, 'maker', [{ actions: ['zone:create'] }]));
    await form.getByLabel('Mailbox').waitFor();
    expect(await form.getByLabel(/zone file|transfer/).count()).toBe(0);
  });
});
