/** The health of the service in the console: what is wrong and what to do, in a browser and with real secondaries. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeMetrics, ConsoleBrowser, type Person, pressUntil } from '../support/browser.ts';
import { run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'followed.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers(
  'chromium',
  'knotd',
  'dig',
)('the health screen of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let knot: RunningSecondary;
  let gonePort: number;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    const { serial } = (await local('GET', `/zones/${zone}`)).zone;
    knot = await startSecondary('knotd', zone, service.dnsPort);
    gonePort = await freePort();
    await local('POST', '/secondaries', { name: 'knot', address: `127.0.0.1:${knot.port}` });
    await local('POST', '/secondaries', { name: 'gone', address: `127.0.0.1:${gonePort}` });
    await knot.waitForSerial(serial);
  });
  afterAll(async () => {
    await knot?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Somebody at the screen of a service of their own, which needs no token. */
  async function atOwn(
    env: Record<string, string>,
    look: (person: Person, own: RunningService) => Promise<void>,
  ): Promise<void> {
    await using own = await startService(env);
    const other = await ConsoleBrowser.launch(own.apiPort);
    try {
      const person = await other.person();
      await person.open('/health');
      await person.page.getByText('The service is healthy.').waitFor();
      await look(person, own);
      expect(person.complaints).toEqual([]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  }

  it('tells of a new service that nothing is wrong, with its figures', async () => {
    await atOwn({ ZONEBOOK_DNS_ZONE_HISTORY_RETENTION_DAYS: '400' }, async ({ page }, own) => {
      await page.getByText('The service knows of nothing that is wrong with it.').waitFor();
      await page.getByText('Nothing is wrong with these.').waitFor();
      const metrics = await (await fetch(`http://127.0.0.1:${own.apiPort}/metrics`)).text();
      const version = /version="([^"]+)"/.exec(metrics)![1]!;
      const textOf = (name: string) => page.getByRole('region', { name }).textContent();
      await expect.poll(() => textOf('Service')).toContain(`Version${version}`);
      await expect.poll(() => textOf('Storage')).toMatch(/Database\d.* [KM]iB.*Free\d.* [GT]iB/);
      await expect
        .poll(() => textOf('History'))
        .toMatch(/Versions are kept400 days.*Old signatures are kept30 days/);
      expect(await page.getByRole('region', { name: 'Webhooks' }).count()).toBe(0);
    });
  });

  it('tells how many events came in a day, and up to which the chain was verified', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const verifiedAt = new Date();
    await page.clock.setFixedTime(verifiedAt);
    const seconds = verifiedAt.getTime() / 1000;
    await changeMetrics(alice, (metrics) =>
      metrics
        .replace(/^(zonebook_database_verify_timestamp_seconds) .*$/m, `$1 ${seconds}`)
        .replace(/^(zonebook_database_verify_events) .*$/m, '$1 81204'),
    );
    await alice.logIn(token, '/health');
    const textOf = (name: string) => page.getByRole('region', { name }).textContent();
    await expect.poll(() => textOf('Storage')).toContain('Verifiedup to event 81,204, just now');
    const [{ seq }] = (await local('GET', '/events?limit=1')).items;
    await expect.poll(() => textOf('History')).toContain(`Events in the last 24 h${seq}`);
    const bob = await browser.person();
    const grant = { zone_name: zone, actions: ['zone:read'] };
    await bob.logIn(await tokenOf(service, 'of-one-zone', [grant]), '/health');
    await bob.page.getByText('The service is healthy.').waitFor();
    expect(await bob.page.getByText('Events in the last 24 h').count()).toBe(0);
    expect(await bob.page.getByRole('link', { name: /behind on|trouble in/ }).count()).toBe(0);
    expect([...alice.complaints, ...bob.complaints]).toEqual([]);
  });

  it('tells how old the last backup is, and how many events came since', async () => {
    await atOwn({}, async ({ page }, own) => {
      const textOf = (name: string) => page.getByRole('region', { name }).textContent();
      await expect.poll(() => textOf('Storage')).toContain('Last backupnone is known');
      const { code } = await run(['backup', join(own.dataDir, 'copy.db')], {
        dataDir: own.dataDir,
      });
      await page.clock.setFixedTime(new Date());
      expect(code).toBe(0);
      const { seq } = (await callLocally(own, 'GET', '/events?limit=1')).items[0];
      await callLocally(own, 'POST', '/zones', { name: 'later.example', ...soa });
      const last = (await callLocally(own, 'GET', '/events?limit=1')).items[0].seq;
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Look again' }).click();
          return textOf('Storage');
        })
        .toContain(`Last backupjust now, up to event ${seq} (${last - seq} event`);
    });
  });

  it('names what does not answer once, with what to do', async () => {
    const alice = await browser.person();
    await alice.logIn(token, '/health');
    const { page } = alice;
    const wrong = page.getByRole('list', { name: 'What is wrong with zones' });
    await wrong.getByText(/^gone does not answer/).waitFor();
    await expect.poll(() => wrong.textContent()).toContain(`dig @127.0.0.1:${gonePort} SOA `);
    expect(alice.complaints).toEqual([]);
  });

  it('says in the head of a zone whether it is signed and who has it, with the way there', async () => {
    const alice = await browser.person();
    const { page } = alice;
    // What the page was told: a secondary that is asked twice may answer once.
    const told = page.waitForResponse((answer) => answer.url().endsWith(`/zones/${zone}/status`));
    await alice.logIn(token, `/zones/${zone}/records`);
    const reach = page.getByRole('link', { name: /of 2 secondaries have it$/ });
    await reach.waitFor();
    const { secondaries } = await (await told).json();
    const having = secondaries.filter((each: { status: string }) => each.status === 'in_sync');
    expect(await reach.textContent()).toBe(`${having.length} of 2 secondaries have it`);
    await page.getByRole('link', { name: 'signed', exact: true }).click();
    await page.getByRole('region', { name: 'DNSSEC' }).waitFor();
    await reach.click();
    await page.getByRole('table', { name: `Secondaries of ${zone}` }).waitFor();
    await alice.open(`/zones/${zone}/records?at=${new Date().toISOString()}`);
    await page.getByText('State', { exact: true }).waitFor();
    expect(await reach.count()).toBe(0);

    const grant = { zone_name: zone, actions: ['record:read'] };
    const bob = await browser.person();
    await bob.logIn(await tokenOf(service, 'reader', [grant]), `/zones/${zone}/records`);
    await bob.page.getByText('State', { exact: true }).waitFor();
    expect(await bob.page.getByRole('link', { name: /signed|have it/ }).count()).toBe(0);
    expect([...alice.complaints, ...bob.complaints]).toEqual([]);
  });

  it('checks a secondary by keys alone, and says what it answers', async () => {
    const alice = await browser.person({ width: 390 });
    await alice.logIn(token, '/zones');
    const { page } = alice;
    await page.getByRole('link', { name: zone }).waitFor();
    await alice.press('g h');
    await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Secondaries and what they say' });
    const rowOf = (name: string) => table.getByRole('row', { name: new RegExp(`^${name}`) });
    const buttonOf = (name: string) => page.getByRole('button', { name: `Check ${name}` });
    const hasNoCatalog = rowOf('knot').getByText(/it has no catalog zone/);
    const check = async (name: string) => {
      await buttonOf(name).focus();
      await page.keyboard.press('Enter');
      await rowOf(name).getByRole('listitem').first().waitFor();
    };
    for (const name of ['knot', 'gone']) await check(name);
    // It has the zone, and no catalog of this service.
    await pressUntil(buttonOf('knot'), hasNoCatalog, () => check('knot'));
    await expect.poll(() => rowOf('knot').textContent()).toMatch(/Transferred 1 zone, 0 refused/);
    await expect.poll(() => rowOf('gone').getByRole('listitem').count()).toBeGreaterThan(1);
    await expect.poll(() => rowOf('gone').locator('.state.bad').count()).toBeGreaterThan(0);
    expect(alice.complaints).toEqual([]);
  });

  it('tells of webhooks whose receiver fails', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    await local('POST', '/webhooks', { name: 'chat', url });
    await local('POST', '/zones', { name: 'told.example', ...soa });
    await expect
      .poll(async () => (await local('GET', '/webhooks/chat')).webhook.failing_since)
      .not.toBeNull();
    const alice = await browser.person();
    await alice.logIn(token, '/health');
    const row = alice.page.getByRole('row', { name: /^chat failing/ });
    await expect.poll(() => row.textContent()).toMatch(/ago|now/);
  });

  it('has for who may read little what is open to everybody', async () => {
    const bob = await browser.person();
    await bob.logIn(await tokenOf(service, 'bob', []), '/health?at=2026-01-01T00:00:00Z');
    const { page } = bob;
    await page.getByText('This is how the service stands now, whatever the moment.').waitFor();
    await page.getByText('The service is healthy.').waitFor();
    await page.getByText('Looked at 0 zones of 0').waitFor();
    expect(await page.getByRole('button', { name: /^Check/ }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Webhooks' }).count()).toBe(0);
    expect(bob.complaints).toEqual([]);
  });

  it('says so when the service does not tell more', async () => {
    await atOwn({ ZONEBOOK_API_METRICS_ENABLED: 'false' }, async ({ page }) => {
      await page.getByText('The metrics are switched off').waitFor();
    });
  });
});
