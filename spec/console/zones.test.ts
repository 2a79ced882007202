/** The list of zones: where each stands, asked for what is on the screen alone. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { soaAnswer } from '../support/soa-answer.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const zoneCount = 60;
const nameOf = (number: number) => `z${String(number).padStart(2, '0')}.example`;

needsPeers(
  'chromium',
  'knotd',
  'dig',
)('the list of zones of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let knot: RunningSecondary;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeAll(async () => {
    service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
    browser = await ConsoleBrowser.launch(service.apiPort);
    token = await tokenOf(service, 'alice');
    for (let number = 0; number < zoneCount; number++) {
      await local('POST', '/zones', { name: nameOf(number), ...soa });
    }
    await local('POST', `/zones/${nameOf(1)}/dnssec`, { parent_ns_addrs: ['127.0.0.1'] });
    knot = await startSecondary('knotd', nameOf(0), service.dnsPort);
    await local('POST', '/secondaries', { name: 'knot', address: `127.0.0.1:${knot.port}` });
    await knot.waitForSerial(1);
  });
  afterAll(async () => {
    await knot?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /**
   * Somebody at the list, and the paths that are asked of single zones. What is asked waits for `gate`, which is open
   * when left out.
   */
  async function atList({ as = token, path = '/zones', gate = Promise.resolve() } = {}) {
    const person = await browser.person();
    const asked: string[] = [];
    const ofRows = /\/zones\/[^/?]+\/(?:dnssec|status|versions)|\/records\?zone_name=/;
    await person.page.route(ofRows, async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      await gate;
      // What scrolled away is given up by then.
      await route.continue().catch(() => undefined);
    });
    await person.logIn(as, path);
    return { person, asked };
  }

  const rowOf = ({ page }: Person, number: number) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: nameOf(number) }) });

  const isActive = ({ page }: Person, number: number) =>
    expect
      .poll(() =>
        rowOf({ page } as Person, number)
          .locator('[aria-busy="true"]')
          .count(),
      )
      .toBe(0);

  /** Looks again until the row says this of its secondaries: one that is asked once may answer too late. */
  async function comesTo(person: Person, number: number, text: string): Promise<void> {
    let looks = 0;
    await expect
      .poll(async () => {
        if (looks++ > 0) await person.page.reload();
        await rowOf(person, number).waitFor();
        await isActive(person, number);
        return rowOf(person, number).textContent();
      })
      .toContain(text);
  }

  it('says how each is signed and who changed it when, a few questions at a time', async () => {
    const gate = Promise.withResolvers<void>();
    const { person, asked } = await atList({ gate: gate.promise });
    await expect.poll(() => asked.length).toBe(5);
    await expect.poll(() => rowOf(person, 5).getByText('…').count()).toBe(4);
    expect(asked.length).toBe(5);
    gate.resolve();
    await rowOf(person, 0).getByText('unsigned').waitFor();
    await rowOf(person, 1).getByText('signed', { exact: true }).waitFor();
    await rowOf(person, 0)
      .getByRole('link', { name: /by the command line/ })
      .waitFor();
    await isActive(person, 5);
    expect(asked.filter((path) => path.includes(nameOf(zoneCount - 1)))).toEqual([]);
    await rowOf(person, zoneCount - 1).scrollIntoViewIfNeeded();
    await rowOf(person, zoneCount - 1)
      .getByText('unsigned')
      .waitFor();
    await rowOf(person, 0).scrollIntoViewIfNeeded();
    await isActive(person, 0);
    // What is known is not asked again.
    expect(asked.filter((path) => path.endsWith(`${nameOf(0)}/dnssec`))).toHaveLength(1);
    expect(person.complaints).toEqual([]);
  });

  it('says what the secondaries serve', async () => {
    const { person } = await atList();
    await comesTo(person, 0, 'in sync: 1 secondary');
    await local('POST', '/secondaries', { name: 'gone', address: `127.0.0.1:${await freePort()}` });
    const { person: other } = await atList();
    await comesTo(other, 0, '1 in sync, 1 not known of 2');
    await rowOf(other, 0)
      .getByRole('link', { name: /in sync/ })
      .click();
    await other.page.getByRole('table', { name: `Secondaries of ${nameOf(0)}` }).waitFor();
    for (const name of ['knot', 'gone']) await local('DELETE', `/secondaries/${name}`);
    const none = await atList();
    await rowOf(none.person, 0).getByText('none', { exact: true }).waitFor();
  });

  it('says that it is not visible, and asks nothing, where the caller may not read it', async () => {
    const grants = [{ zone_name: nameOf(2), actions: ['record:read'], record_types: 'A' }];
    const { person, asked } = await atList({ as: await tokenOf(service, 'narrow', grants) });
    await expect.poll(() => rowOf(person, 2).getByText('not visible to you').count()).toBe(3);
    expect(asked.filter((path) => path !== '/records')).toEqual([]);
  });

  it('keeps to what was at an earlier moment', async () => {
    const at = new Date(Date.now()).toISOString();
    const { person, asked } = await atList({ path: `/zones?at=${at}` });
    await rowOf(person, 0)
      .getByRole('link', { name: /by the command line/ })
      .waitFor();
    expect(await person.page.getByRole('columnheader', { name: 'Secondaries' }).count()).toBe(0);
    expect(asked.filter((path) => !path.includes('/versions'))).toEqual([]);
  });

  it('has those alone that are asked for, in the order that is asked for', async () => {
    const { person } = await atList({ path: '/zones' });
    const { page } = person;
    const names = () => page.locator('tbody').getByRole('rowheader').allTextContents();
    const press = (name: string) => page.getByRole('link', { name, exact: true }).click();
    await press('Signed');
    await expect.poll(names).toEqual([nameOf(1)]);
    expect(
      await page.getByRole('link', { name: 'Signed', exact: true }).getAttribute('aria-current'),
    ).toBe('true');
    await press('Unsigned');
    await expect.poll(async () => (await names()).length).toBe(zoneCount - 1);
    await press('Unsigned');
    await local('PUT', `/zones/${nameOf(7)}`, { enabled: false });
    await press('Disabled');
    await expect.poll(names).toEqual([nameOf(7)]);
    await local('PUT', `/zones/${nameOf(7)}`, { enabled: true });
    await press('Disabled');
    await page.getByLabel('Sort by').selectOption('Changed last');
    await expect.poll(async () => (await names())[0]).toBe(nameOf(7));
    await press('Changed in 24 h');
    await expect.poll(async () => (await names()).length).toBe(zoneCount);
    await press('Changed in 24 h');
    await press('Lagging');
    await expect.poll(names).toEqual([]);
    await press('Lagging');
    await press('Rolling');
    await expect.poll(names).toEqual([]);
    await press('Rolling');
    await press('Signing trouble');
    await expect.poll(names).toEqual([]);
    await press('Signing trouble');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ description: 'by alice' });
    await fetch(`http://127.0.0.1:${service.apiPort}/zones/${nameOf(3)}`, {
      method: 'PUT',
      headers,
      body,
    });
    await page.getByLabel('Changed last by').fill('nobody');
    await expect.poll(names).toEqual([]);
    await page.getByLabel('Changed last by').fill('alice');
    await expect.poll(names).toEqual([nameOf(3)]);
    await page.getByLabel('Changed last by').fill('');
    await page.getByLabel('Sort by').selectOption('Made last');
    await expect.poll(async () => (await names())[0]).toBe(nameOf(zoneCount - 1));
    // The address has it: another tab has the same.
    const other = await person.otherTab(page.url().split('/console')[1]);
    const first = other.locator('tbody').getByRole('rowheader').first();
    await expect.poll(() => first.textContent()).toBe(nameOf(zoneCount - 1));
    expect(await other.getByLabel('Sort by').inputValue()).toBe('made');
    expect(person.complaints).toEqual([]);
  });

  it('has the columns that were chosen, and asks nothing for the others', async () => {
    const { person } = await atList();
    const { page } = person;
    const heads = () => page.getByRole('columnheader').allTextContents();
    const all = ['Name', 'Serial', 'Records', 'State', 'DNSSEC', 'Secondaries', 'Last change'];
    all.push('Description', 'Actions');
    await expect.poll(heads).toEqual(all);
    await page.getByText('Columns', { exact: true }).click();
    for (const label of ['Records', 'DNSSEC', 'Secondaries', 'Last change']) {
      await page.getByRole('checkbox', { name: label }).uncheck();
    }
    const kept = ['Name', 'Serial', 'State', 'Description', 'Actions'];
    expect(await heads()).toEqual(kept);
    const asked: string[] = [];
    const tab = await person.otherTab();
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await tab.reload();
    await tab.getByRole('rowheader', { name: nameOf(0) }).waitFor();
    expect(await tab.getByRole('columnheader').allTextContents()).toEqual(kept);
    expect(asked.filter((path) => path.startsWith('/zones/'))).toEqual([]);
    await tab.getByText('Columns', { exact: true }).click();
    await tab.getByRole('checkbox', { name: 'DNSSEC' }).check();
    await tab
      .getByRole('row', { name: nameOf(1) })
      .getByText('signed', { exact: true })
      .waitFor();
    expect(person.complaints).toEqual([]);
  });

  it('says what needs somebody, to who can do something about it', async () => {
    const { person } = await atList();
    const needs = ({ page }: Person) => page.getByRole('region', { name: 'Needs you' });
    expect(await needs(person).count()).toBe(0);
    const withTroubles = async (one: Person) => {
      await one.page.route(/\/health\/troubles$/, async (route) => {
        const response = await route.fetch();
        const { items } = await response.json();
        const expired = { text: '7 signatures expired.', what_to_do: 'Sign.', metric: 'expired' };
        return route.fulfill({ response, json: { items: [...items, expired] } });
      });
      await one.page.reload();
      await one.page.getByRole('rowheader', { name: nameOf(2) }).waitFor();
    };
    await withTroubles(person);
    await needs(person)
      .getByRole('link', { name: /^7 signatures expired/ })
      .click();
    await person.page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
    const grants = [{ zone_name: nameOf(2), actions: ['record:read'], record_types: 'A' }];
    const { person: reader } = await atList({ as: await tokenOf(service, 'reader', grants) });
    await withTroubles(reader);
    expect(await needs(reader).count()).toBe(0);
  });

  it('says in the head of each screen with how many zones a secondary is behind', async () => {
    const late = createSocket('udp4');
    late.on('message', (asked, { port, address }) => late.send(soaAnswer(asked, 1), port, address));
    late.bind(0, '127.0.0.1');
    await once(late, 'listening');
    const address = `127.0.0.1:${late.address().port}`;
    await local('POST', '/secondaries', { name: 'late', address });
    await local('PUT', `/zones/${nameOf(3)}`, { description: 'moved on' });
    // One that is asked once may answer too late.
    await expect
      .poll(async () => (await local('GET', `/zones/${nameOf(3)}/status`)).secondaries)
      .toContainEqual(expect.objectContaining({ address, status: 'lagging' }));
    const { person } = await atList({ path: '/changes' });
    await person.page.getByRole('link', { name: /^\d+ zones? lagging$/ }).click();
    const names = () => person.page.locator('tbody').getByRole('rowheader').allTextContents();
    await expect.poll(names).toContain(nameOf(3));
    expect((await names()).length).toBeLessThan(zoneCount);
    // Health names it too, though it is not among those that are looked at one by one.
    await person.open('/health');
    const wrong = person.page.getByRole('list', { name: 'What is wrong with zones' });
    await wrong.getByText(`${nameOf(3)}: A secondary was behind when it was last asked.`).waitFor();
    await person.page
      .getByRole('link', { name: '0 zones with trouble in their signing' })
      .waitFor();
    await person.page.getByRole('link', { name: /^\d+ zones? behind on a secondary$/ }).click();
    await expect.poll(names).toContain(nameOf(3));
    const grants = [{ zone_name: nameOf(3), actions: ['zone:read'] }];
    const { person: reader } = await atList({ as: await tokenOf(service, 'one-zone', grants) });
    await rowOf(reader, 3).waitFor();
    expect(await reader.page.getByRole('link', { name: /lagging/i }).count()).toBe(0);
    await local('DELETE', '/secondaries/late');
    late.close();
  });
});
