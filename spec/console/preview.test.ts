/** What the preview of a write says besides its difference, and what becomes of it when somebody else is faster. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the preview of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const addHost = (zone_name: string, name: string) =>
    local('POST', '/records', { zone_name, name, type: 'A', value: '192.0.2.1' });

  /** The preview of a rollback to the first change of a zone with another one since. */
  async function rollingBack(zone: string, as = token) {
    await local('POST', '/zones', { name: zone, ...soa });
    await addHost(zone, 'www');
    await addHost(zone, 'one');
    const { page, complaints } = await browser.person().then(async (person) => {
      await person.logIn(as, `/zones/${zone}/timeline`);
      return person;
    });
    const made = page.getByRole('article').filter({ hasText: `www.${zone} A added` });
    await made.getByRole('button', { name: 'Roll back to here' }).click();
    return { page, complaints, dialog: page.getByRole('dialog') };
  }

  it('previews again after another change, and marks the lines that are new', async () => {
    const zone = 'raced.example';
    const { page, complaints, dialog } = await rollingBack(zone);
    await page.getByRole('dialog', { name: `Roll ${zone} back to serial 2 as serial 4` }).waitFor();
    await dialog.getByText(`It becomes serial 4 of ${zone}.`).waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('too early');
    await addHost(zone, 'late');
    const press = () => dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await press();
    await dialog.getByRole('alert').getByText('The zone has changed since').waitFor();
    await page.getByRole('dialog', { name: `back to serial 2 as serial 5` }).waitFor();
    await dialog.getByRole('row', { name: /removed late.*new$/ }).waitFor();
    await dialog.getByRole('row', { name: /removed one.*192\.0\.2\.1$/ }).waitFor();
    expect((await local('GET', `/zones/${zone}`)).zone.serial).toBe(4);
    await press();
    await page.getByText(`${zone} has serial 5`).waitFor();
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ kind: 'zone.rolled-back', reason: 'too early' });
    expect(complaints).toEqual([]);
  });

  it('comes whole: nothing that is said later moves what is to be pressed', async () => {
    const zone = 'whole.example';
    await local('POST', '/zones', { name: zone, ...soa });
    await addHost(zone, 'www');
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/records`);
    const { page } = person;
    const isLetGo = Promise.withResolvers<void>();
    await page.route(/\/secondaries\?/, async (route) => {
      await isLetGo.promise;
      await route.continue();
    });
    const isDry = page.waitForResponse(/\/records\/\d+\?.*dry_run=true/);
    const isAsked = page.waitForRequest(/\/secondaries\?/);
    await page.getByRole('button', { name: 'Delete www A' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete www A' });
    await Promise.all([isDry, isAsked, dialog.waitFor()]);
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
    const button = dialog.getByRole('button', { name: 'Delete record' });
    expect(await button.count()).toBe(0);
    isLetGo.resolve();
    await button.waitFor();
    expect(await dialog.getByText(/ secondar(y|ies) will be told\./).count()).toBe(1);
    await button.click();
    await page.getByText('done.').waitFor();
    expect(person.complaints).toEqual([]);
  });

  it('asks for the reason that a role demands, before it is sent', async () => {
    const zone = 'careful.example';
    await local('POST', '/zones', { name: zone, ...soa });
    await addHost(zone, 'www');
    const actions = ['zone:read', 'record:read', 'record:create', 'record:delete'];
    const careful = await tokenOf(service, 'careful', [{ zone_name: zone, actions }]);
    await local('PUT', '/roles/careful', { reason_required: true });
    const person = await browser.person();
    await person.logIn(careful, `/zones/${zone}/records`);
    const { page } = person;
    await page.getByRole('button', { name: 'Delete www A' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /removed www/ }).waitFor();
    const reason = dialog.getByRole('textbox', { name: 'Reason (required)' });
    const apply = dialog.getByRole('button', {
      name: 'Delete record',
      description: /Your role gives a reason/,
    });
    await apply.click();
    await reason.fill('  ');
    await page.keyboard.press('Control+Enter');
    expect((await local('GET', `/records?zone_name=${zone}&type=A`)).items).toHaveLength(1);
    await reason.fill('it moved');
    await expect.poll(() => dialog.getByText('Your role gives a reason').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await page.getByText(`${zone} has serial 3`).waitFor();
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ reason: 'it moved', actor: { name: 'careful' } });
    expect(person.complaints).toEqual([]);
  });

  it('says what is signed again and who is told, to who may know it', async () => {
    const zone = 'signed.example';
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:9' });
    await local('POST', '/secondaries', { name: 'ns3', address: '127.0.0.1:19' });
    await local('PUT', '/secondaries/ns3', { enabled: false });
    await local('POST', '/zones', { name: zone, ...soa });
    const { record } = await addHost(zone, 'www');
    await local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    await local('PUT', `/records/${record.id}`, { name: 'www', type: 'A', value: '192.0.2.2' });
    const [{ seq }] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    const actions = ['zone:read', 'record:read', 'record:create', 'record:update', 'record:delete'];
    const lesser = await tokenOf(service, 'lesser', [{ zone_name: zone, actions }]);
    for (const [as, isTold] of [
      [token, true],
      [lesser, false],
    ] as const) {
      const person = await browser.person();
      const { page } = person;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await person.logIn(as, `/zones/${zone}/timeline`);
      if (isTold) await page.getByRole('link', { name: 'signed', exact: true }).waitFor();
      const change = page.getByRole('navigation', { name: `Change ${seq}`, exact: true });
      await change.getByRole('button', { name: 'Undo this change' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^It becomes serial \d+ of signed\.example\./).waitFor();
      const known = dialog.getByText('1 RRset and the SOA are signed again. 1 secondary will be');
      if (isTold) await known.waitFor();
      else expect(await dialog.getByText(/signed again|will be told/).count()).toBe(0);
      // What the zone says of itself is enough.
      expect(asked.filter((url) => /\/dnssec$|[?&]signed=/.test(url))).toEqual([]);
    }
  });
});
