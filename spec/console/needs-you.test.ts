/** What needs somebody, above the list of zones: each names what, and leads to where it is mended. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';
import { soaAnswer } from '../support/soa-answer.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const names = Array.from({ length: 7 }, (_, index) => `n${index}.example`);

needsPeers('chromium')('what needs somebody', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    for (const name of names) await local('POST', '/zones', { name, ...soa });
  });

  const needs = ({ page }: Person) =>
    page.getByRole('region', { name: 'Needs you' }).getByRole('link');

  /** Somebody to whom all zones have trouble, one of them because a step waits; counts what is asked. */
  async function withTroubles(as: string) {
    const person = await browser.person();
    const asked: string[] = [];
    person.page.on('request', (request) => asked.push(request.url()));
    const instead = { troubled: '', waiting: 'search=n1.' };
    for (const [state, filter] of Object.entries(instead)) {
      await person.page.route(new RegExp(`signing=${state}&limit`), (route) =>
        route.continue({ url: route.request().url().replace(`signing=${state}`, filter) }),
      );
    }
    await person.logIn(as);
    await person.page.getByRole('rowheader', { name: names[0]! }).waitFor();
    return { person, asked };
  }

  it('names a few zones whose signing waits or has trouble, and how many more', async () => {
    const { person, asked } = await withTroubles(token);
    await expect
      .poll(() => needs(person).allTextContents())
      .toEqual([
        'n0.example: its signing has trouble.',
        'n1.example: a step of its keys waits, such as for its DS.',
        ...['n2', 'n3', 'n4'].map((name) => `${name}.example: its signing has trouble.`),
        '2 more zones like these.',
      ]);
    expect(asked.filter((url) => url.includes('signing='))).toHaveLength(2);
    await needs(person).last().click();
    await expect.poll(() => new URL(person.page.url()).search).toBe('?signing=troubled');
    await person.page.goBack();
    await needs(person).nth(1).click();
    await person.page.getByRole('region', { name: 'DNSSEC' }).waitFor();
    expect(person.page.url()).toContain('/zones/n1.example/dnssec');
    expect(person.complaints).toEqual([]);
  });

  it('is not asked for by who may not read the signing of all zones', async () => {
    const grants = [{ zone_name: names[0], actions: ['dnssec:read', 'zone:read'] }];
    const { person, asked } = await withTroubles(await tokenOf(service, 'one-zone', grants));
    expect(asked.filter((url) => /signing=|lagging=|troubles/.test(url))).toEqual([]);
    expect(await needs(person).count()).toBe(0);
  });

  it('says with which zones secondaries are behind, and leads to them', async () => {
    const late = createSocket('udp4');
    late.on('message', (asked, { port, address }) => late.send(soaAnswer(asked, 1), port, address));
    late.bind(0, '127.0.0.1');
    await once(late, 'listening');
    const address = `127.0.0.1:${late.address().port}`;
    await local('POST', '/secondaries', { name: 'late', address });
    await local('PUT', `/zones/${names[3]}`, { description: 'moved on' });
    // One that is asked once may answer too late.
    await expect
      .poll(async () => (await local('GET', `/zones/${names[3]}/status`)).secondaries)
      .toContainEqual(expect.objectContaining({ address, status: 'lagging' }));
    const alice = await browser.person();
    await alice.logIn(token);
    await needs(alice)
      .getByText(/^Secondaries are behind with n3\.example(?: and \d other zones?)?\.$/)
      .click();
    await alice.page.getByRole('heading', { name: 'Secondaries', exact: true }).waitFor();
    await alice.page.getByRole('row', { name: /^late / }).waitFor();
    await local('DELETE', '/secondaries/late');
    late.close();
    expect(alice.complaints).toEqual([]);
  });
});
