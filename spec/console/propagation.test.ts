/** After a write: which secondaries have it, until all do. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'followed.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers(
  'chromium',
  'knotd',
  'nsd',
  'dig',
)('a write that secondaries follow', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let secondaries: readonly RunningSecondary[] = [];
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    await local('POST', '/zones', { name: zone, ...soa });
    secondaries = await Promise.all(
      (['knotd', 'nsd'] as const).map((kind) => startSecondary(kind, zone, service.dnsPort)),
    );
    for (const { kind, port } of secondaries) {
      await local('POST', '/secondaries', { name: kind, address: `127.0.0.1:${port}` });
    }
    for (const secondary of secondaries) await secondary.waitForSerial(1);
  });
  afterAll(async () => {
    for (const secondary of secondaries) {
      secondary.resume();
      await secondary[Symbol.asyncDispose]();
    }
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Adds a record in the page. */
  async function add({ page }: Person, name: string): Promise<void> {
    await page.getByRole('button', { name: 'New record' }).click();
    await page.getByRole('textbox', { name: /^Name/ }).fill(name);
    await page.getByRole('textbox', { name: /^Value/ }).fill('192.0.2.1');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Create record' }).click();
  }

  it('is told of until all of them have it', async () => {
    const [knot, nsd] = secondaries as [RunningSecondary, RunningSecondary];
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/records`);
    const { page } = alice;
    const serial = (await local('GET', `/zones/${zone}`)).zone.serial + 1;
    await nsd.suspend();
    await add(alice, 'www');
    await knot.waitForSerial(serial);
    await page.getByText(/^1 of 2 secondaries have it… Missing: nsd/).waitFor();
    nsd.resume();
    await page.getByText(/^2 secondaries have it, after \d+ ms\. Caches have dropped/).waitFor();
    const { secondaries: told } = await local('GET', `/zones/${zone}/propagation?serial=${serial}`);
    expect(told).toMatchObject([
      { name: 'knotd', visible_serial: serial, reached: true },
      { name: 'nsd', visible_serial: serial, reached: true },
    ]);
    // Its former process may answer once more.
    await nsd.waitForSerial(serial);
    expect(alice.complaints).toEqual([]);
  });

  it('says nothing of them to who may not read the zone itself', async () => {
    const actions = ['record:read', 'record:create'];
    const writer = await browser.person();
    const secret = await tokenOf(service, 'writer', [{ zone_name: zone, actions }]);
    const asked: string[] = [];
    writer.page.on('request', (request) => asked.push(request.url()));
    await writer.logIn(secret, `/zones/${zone}/records`);
    await add(writer, 'other');
    await writer.page.getByText(`${zone} has serial`).waitFor();
    expect(asked.filter((url) => url.includes('/propagation'))).toEqual([]);
  });
});
