/** The secondaries in the console: what is known of each, which zones they are behind with, and how to make one. */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'dns-packet';
import { afterAll, expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, pressUntil } from '../support/browser.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { removeFolder } from '../support/processes.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import type { RunningService } from '../support/service.ts';
import { soaAnswer } from '../support/soa-answer.ts';

const zone = 'followed.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers(
  'chromium',
  'knotd',
  'dig',
  'named-checkconf',
  'knotc',
  'nsd-checkconf',
)('the secondaries', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let knot: RunningSecondary;
  /** A secondary that serves the first serial of the zone for ever. */
  let old: Socket;
  let oldAddress: string;
  let goneAddress: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', '/roles', { name: 'transfers' });
    await local('POST', '/tsig-keys', { name: 'ns4-key', role_name: 'transfers' });
    knot = await startSecondary('knotd', zone, service.dnsPort);
    old = createSocket('udp4');
    old.on('message', (request, from) => {
      const asked = decode(request).questions?.[0]?.name;
      old.send(soaAnswer(request, asked === zone ? 1 : undefined), from.port, from.address);
    });
    old.bind(0, '127.0.0.2');
    await once(old, 'listening');
    oldAddress = `127.0.0.2:${old.address().port}`;
    goneAddress = `127.0.0.1:${await freePort()}`;
    await local('POST', '/secondaries', { name: 'knot', address: `127.0.0.1:${knot.port}` });
    await local('POST', '/secondaries', { name: 'old', address: oldAddress });
    const key = { notify_key_name: 'ns4-key' };
    await local('POST', '/secondaries', { name: 'gone', address: goneAddress, ...key });
    await knot.waitForSerial(1);
    await knot.waitForSerial(await add('first'));
    await local('GET', `/zones/${zone}/status`);
  });
  afterAll(async () => {
    knot?.resume();
    await knot?.[Symbol.asyncDispose]();
    old?.close();
  });

  /** Adds a record, and returns the serial that this made. */
  async function add(name: string): Promise<number> {
    await local('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.1' });
    return (await local('GET', `/zones/${zone}`)).zone.serial;
  }

  async function atList() {
    const alice = await browser.person();
    await alice.logIn(token, '/secondaries');
    const table = alice.page.getByRole('table', { name: 'Secondaries', exact: true });
    const rowOf = (name: string) => table.getByRole('row', { name: new RegExp(`^${name} `) });
    return { alice, page: alice.page, rowOf };
  }

  it('are listed with what they transferred, what they said, and how many zones are in sync', async () => {
    const serial = await add('listed');
    await knot.waitForSerial(serial);
    const { alice, rowOf } = await atList();
    const textOf = (name: string) => rowOf(name).textContent();
    await expect.poll(() => textOf('knot')).toMatch(/1 in sync/);
    const last = new RegExp(`IXFR of ${zone} serial ${serial}, [\\d.]+ B in \\d+ ms`);
    await expect.poll(() => textOf('knot')).toMatch(last);
    await expect.poll(() => textOf('knot')).toMatch(/taken, followed\.example/);
    await expect.poll(() => textOf('old')).toMatch(/0 in sync.*1 behind/);
    await expect.poll(() => textOf('gone')).toMatch(/does not answer since .*127\.0\.0\.1/);
    await expect.poll(() => textOf('gone')).toMatch(/NOTIFY signed with ns4-key/);
    expect(alice.complaints).toEqual([]);
  });

  it('say how far behind each was in the last 24 hours, in a line and in a table', async () => {
    const { alice, page, rowOf } = await atList();
    await rowOf('knot')
      .getByText(/^in sync for |^behind for up to /)
      .waitFor();
    await rowOf('gone')
      .getByText(/no answer for /)
      .waitFor();
    await rowOf('old')
      .getByText(/^behind for up to [\d ]+(ms|s|min).* at \d\d:\d\d/)
      .click();
    const table = page.getByRole('table', { name: 'Lag of old in the last 24 hours' });
    await table
      .getByRole('cell', { name: /^for up to/ })
      .first()
      .waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('are checked on their rows', async () => {
    const { alice, page, rowOf } = await atList();
    const check = page.getByRole('button', { name: 'Check knot now' });
    await pressUntil(check, rowOf('knot').getByText('it has no catalog zone'));
    await page.getByRole('button', { name: 'Check gone now' }).click();
    await rowOf('gone')
      .getByText(/NOTIFY to 127\.0\.0\.1:/)
      .waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('have a table of what they are behind with', async () => {
    const { page } = await atList();
    const table = page.getByRole('table', { name: 'Zones that secondaries are behind with' });
    await table.getByRole('columnheader', { name: 'old' }).waitFor();
    const row = table.getByRole('row', { name: new RegExp(`^${zone}`) });
    await row.getByText(/^at serial 1 since /).waitFor();
    expect(await table.getByRole('columnheader', { name: 'knot' }).count()).toBe(0);
    await row.getByRole('link', { name: zone }).click();
    await page.getByRole('table', { name: `Secondaries of ${zone}` }).waitFor();
  });

  it('tell of a zone when each had the latest serial, or why not, live', async () => {
    const before = await add('before');
    await knot.waitForSerial(before);
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/secondaries`);
    const { page } = alice;
    const table = page.getByRole('table', { name: `Secondaries of ${zone}` });
    const rowOf = (name: string) => table.getByRole('row', { name: new RegExp(`^${name} `) });
    await rowOf('knot')
      .getByText(/^\+[\d ]+(ms|s|min)/)
      .waitFor();
    await rowOf('old')
      .getByText(/^not yet: it serves 1, since /)
      .waitFor();
    await rowOf('gone')
      .getByText(/^not yet: 127\.0\.0\.1:.*, since /)
      .waitFor();
    await page.getByText(new RegExp(`Serial ${before} was made`)).waitFor();
    await knot.suspend();
    const serial = await add('after');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await table.getByRole('columnheader', { name: `Serial ${serial}` }).waitFor();
    await rowOf('knot')
      .getByText(/^not yet: /)
      .waitFor();
    knot.resume();
    await rowOf('knot')
      .getByText(/^\+[\d ]+(ms|s|min)/)
      .waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('get a configuration that their servers take, with address, port and key', async () => {
    const { alice, page } = await atList();
    await page.getByText('What the configuration of a secondary says').click();
    await page.getByLabel('Zone', { exact: true }).fill(zone);
    const linesOf = (server: string) =>
      page.getByRole('region', { name: server }).locator('pre').textContent();
    const at = `127.0.0.1@${service.dnsPort}`;
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-snippets-'));
    const file = join(folder, 'server.conf');
    const check = (text: string, program: string, ...options: string[]) => {
      writeFileSync(file, text);
      execFileSync(peer(program)!, [...options], { stdio: 'pipe' });
    };
    const secret = Buffer.alloc(32).toString('base64');
    const fields = (line: (name: string, value: string) => string) =>
      line('algorithm', 'hmac-sha256') + line('secret', secret);
    try {
      for (const isKeyed of [true, false]) {
        const select = page.getByRole('combobox', { name: /^Key/ });
        await select.selectOption(isKeyed ? 'ns4-key' : 'none');
        const nsd = `request-xfr: ${at} ${isKeyed ? 'ns4-key' : 'NOKEY'}`;
        await expect.poll(() => linesOf('NSD')).toContain(nsd);
        const bind = `key ns4-key { ${fields((name, value) => `${name} "${value}"; `)} };\n`;
        check(bind + (await linesOf('BIND')), 'named-checkconf', file);
        const yaml = fields((name, value) => `    ${name}: ${value}\n`);
        const knotKey = `key:\n  - id: ns4-key\n${yaml}`;
        check(knotKey + (await linesOf('Knot DNS')), 'knotc', '-c', file, 'conf-check');
        const nsdKey = `key:\n    name: ns4-key\n${yaml}`;
        check(nsdKey + (await linesOf('NSD')), 'nsd-checkconf', file);
        const keyLine = `pdnsutil activate-tsig-key ${zone} ns4-key secondary\n`;
        expect(await linesOf('PowerDNS')).toBe(
          `pdnsutil create-secondary-zone ${zone} 127.0.0.1:${service.dnsPort}\n${isKeyed ? keyLine : ''}`,
        );
      }
    } finally {
      removeFolder(folder);
    }
    for (const server of ['BIND', 'Knot DNS', 'NSD', 'PowerDNS']) {
      const copy = page.getByRole('button', { name: `Copy the lines for ${server}` });
      expect(await copy.count()).toBe(1);
    }
    expect(alice.complaints).toEqual([]);
  });

  it('are listed alone for who may not read all zones', async () => {
    const bob = await browser.person();
    await bob.logIn(
      await tokenOf(service, 'bob', [{ actions: ['secondary:read'] }]),
      '/secondaries',
    );
    await bob.page.getByRole('row', { name: /^knot / }).waitFor();
    await bob.page.getByText("action 'zone:read' is needed in all zones").waitFor();
    expect(await bob.page.getByRole('button', { name: /^Check/ }).count()).toBe(0);
    expect(bob.complaints).toEqual([]);
  });
});
