/**
 * Where a change is by now: nothing is called propagated before every secondary serves it, as they say
 * themselves, and a silent one is named.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Propagation } from '../../src/background/propagation.ts';
import { limits } from '../../src/base/limits.ts';
import { Problem } from '../../src/base/problem.ts';
import { canWait } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { run, serveApp } from '../support/command-line.ts';
import { routeOf } from '../support/documented.ts';
import { fakeServices } from '../support/fake-services.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';
import { isLong } from '../support/long.ts';
import { makeZone } from '../support/memory-zones.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.com';
const kinds = ['named', 'knotd', 'nsd'] as const;

/** That it serves a serial right now; the former process of nsd may answer until it has taken note of the change. */
async function expectServes(secondary: RunningSecondary, serial: number): Promise<void> {
  if (secondary.kind === 'nsd') await secondary.waitForSerial(serial);
  else expect([secondary.kind, secondary.serial()]).toEqual([secondary.kind, serial]);
}

needsPeers(...kinds, 'dig')('a zone with three secondaries', () => {
  let service: RunningService;
  let secondaries: readonly RunningSecondary[] = [];
  let made = 0;

  beforeAll(async () => {
    service = await startService();
    const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
    await service.must('POST', '/zones', { name: zone, ...soa });
    // A named that is refused at first asks again only after most of a minute.
    await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
    secondaries = await Promise.all(
      kinds.map((kind) => startSecondary(kind, zone, service.dnsPort)),
    );
    for (const { kind, port } of secondaries) {
      await service.must('POST', '/secondaries', { name: kind, address: `127.0.0.1:${port}` });
    }
    await service.must('DELETE', '/secondaries/early');
    for (const secondary of secondaries) await secondary.waitForSerial(1);
  });
  afterAll(async () => {
    for (const secondary of secondaries) await secondary[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** A new record, with a preference; what was answered, and what each secondary serves right then. */
  async function add(prefer: string) {
    const record = { zone_name: zone, name: `n${made++}`, type: 'A', value: '192.0.2.1', ttl: 300 };
    const response = await fetch(`http://127.0.0.1:${service.apiPort}/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer },
      body: JSON.stringify(record),
    });
    const { propagated } = (await response.json()) as { propagated?: boolean };
    return {
      status: response.status,
      applied: response.headers.get('preference-applied'),
      propagated,
    };
  }

  const ask = (query = '') => service.must('GET', `/zones/${zone}/propagation${query}`);
  const serialOf = async () => (await service.must('GET', `/zones/${zone}`)).zone.serial;

  it('is told to be everywhere only when it is', async () => {
    for (let count = 0; count < (isLong ? 100 : 4); count++) {
      const answer = await add('wait=120');
      expect(answer).toEqual({ status: 201, applied: 'wait=120', propagated: true });
      const serial = await serialOf();
      for (const secondary of secondaries) await expectServes(secondary, serial);
    }
    const { at, changed_at, safe_after, secondaries: found, ...rest } = await ask();
    expect(rest).toEqual({ zone_name: zone, serial: await serialOf(), reached: true });
    expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(changed_at));
    // A name that was not there is kept as missing for as long as the SOA says.
    expect(Date.parse(safe_after) - Date.parse(at)).toBe(3600 * 1000);
    for (const each of found) {
      expect(each).toMatchObject({ reached: true, how: 'transfer', error: null });
      expect(each.delay_ms).toBeGreaterThanOrEqual(0);
    }
    expect(await ask('?serial=1')).toMatchObject({ serial: 1, reached: true, safe_after: null });
    expect((await service.call('GET', `/zones/${zone}/propagation?serial=9999`)).status).toBe(404);
  });

  it('names the one that is silent, and hears when it comes back', async () => {
    const [silent, ...others] = secondaries.toReversed() as [
      RunningSecondary,
      ...RunningSecondary[],
    ];
    await silent.suspend();
    onTestFinished(() => silent.resume());
    expect(await add('wait=1')).toMatchObject({ status: 201, propagated: false });
    const meanwhile = await ask('?wait=1');
    expect(meanwhile).toMatchObject({ reached: false, at: null, safe_after: null });
    const states = meanwhile.secondaries.map((each: { name: string; reached: boolean }) => {
      return [each.name, each.reached];
    });
    expect(states).toContainEqual([silent.kind, false]);
    const waiting = ask('?wait=120');
    silent.resume();
    expect(await waiting).toMatchObject({ reached: true });
    const serial = await serialOf();
    for (const secondary of [silent, ...others]) await expectServes(secondary, serial);
  });

  it('is waited for by the command line', async () => {
    const cli = (...args: string[]) => run(args, { dataDir: service.dataDir });
    const created = ['record', 'create', zone, `n${made++}`, 'A', '192.0.2.1', '-o', 'table'];
    const done = await cli(...created, '--wait', '120');
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringContaining('every registered secondary serves it'),
    ]);
    const shown = await cli('zone', 'propagation', zone, '--wait', '120', '-o', 'table');
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('every secondary serves')]);
    const [silent] = secondaries;
    await silent!.suspend();
    onTestFinished(() => silent!.resume());
    const late = await cli('record', 'create', zone, `n${made++}`, 'A', '192.0.2.1', '--wait', '1');
    expect([late.code, late.err]).toEqual([9, expect.stringContaining('not every secondary')]);
    for (const [words, code] of [
      [['--wait', '1'], 9],
      [[], 0],
    ] as const) {
      const asked = await cli('zone', 'propagation', zone, ...words, '-o', 'table');
      expect([asked.code, asked.out]).toEqual([code, expect.stringContaining('is not everywhere')]);
    }
  });
});

describe('waits', () => {
  it('end when their client leaves, and one caller has half of their places at most', async () => {
    const secondary = { id: 1, name: 'ns2', address: 'ns2', enabled: true, createdAt: 0 };
    const lags = { address: 'ns2', status: 'lagging', visibleSerial: 1, error: null } as const;
    const propagation = new Propagation({
      secondaries: { enabled: () => [{ ...secondary, notifyKeyName: null }] },
      prober: { ask: async () => ({ ...lags, lastTransfer: null, addresses: [] }) },
      clock: () => 0,
    });
    const server = await serveApp({ ...fakeServices(), propagation }, 0);
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const record = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
    const headers = { 'content-type': 'application/json', prefer: 'wait=300' };
    const write = { method: 'POST', headers, body: JSON.stringify(record) };
    const ask = (isWrite: boolean, signal: AbortSignal | null = null) =>
      isWrite
        ? fetch(`${url}/records`, { ...write, signal })
        : fetch(`${url}/zones/${zone}/propagation?wait=300`, { signal });

    const leaving = new AbortController();
    const half = limits.propagationWaits / 2;
    const asked = Array.from({ length: half }, (_, at) => ask(at % 2 === 0, leaving.signal));
    const left = Promise.allSettled(asked);
    await expect.poll(() => propagation.waits).toBe(half);
    const answer = await ask(false);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { code: 'OVERLOADED', error: expect.stringContaining('of this caller') },
    ]);
    const written = await ask(true);
    expect([written.status, await written.json()]).toMatchObject([201, { propagated: null }]);
    const other = propagation.reach(makeZone(zone), 2, { withinMs: 0, owner: 'another' });
    expect(await other).toMatchObject([{ name: 'ns2', isReached: false }]);

    leaving.abort();
    await left;
    await expect.poll(() => propagation.waits).toBe(0);
  });
});

describe('Prefer: wait', () => {
  it.each([
    ['too many wait', new Problem('OVERLOADED', 'too many', 5), []],
    ['the wait failed', new Error('no bug'), ['http.failed']],
  ])('says so when it could not be followed because %s', async (_, error, events) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-waits-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const allReach = async () => {
      throw error;
    };
    const propagation = { reach: async () => [], allReach };
    const services = { ...fakeServices(), propagation };
    const logged = vi.spyOn(services.log, 'error');
    const server = await serveApp(services, join(dataDir, 'zonebook.sock'));
    onTestFinished(() => void server.close());
    const created = ['record', 'create', zone, 'www', 'A', '192.0.2.1', '-o', 'json'];
    const made = await run([...created, '--wait', '3'], { dataDir });
    expect(JSON.parse(made.out)).toMatchObject({ propagated: null });
    expect([made.code, made.err]).toEqual([9, expect.stringContaining('could not wait')]);
    expect(logged.mock.calls.map(([event]) => event)).toEqual(events);
  });

  it('is followed by every operation that says so, and by no other', async () => {
    const service = new InProcessService();
    onTestFinished(() => service.close());
    const answers: [string, unknown, string | null][] = [];
    const asked = new Set<string>();
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', prefer: 'wait=5' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await service.request(path, { method, headers, ...sent });
      const answer = await jsonOf(response);
      expect(response.status, `${path}: ${answer.error}`).toBeLessThan(300);
      answers.push([path, answer.propagated, response.headers.get('Preference-Applied')]);
      asked.add(routeOf(method, path)!.id);
      return answer;
    };
    const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
    const at = `/zones/${zone}`;
    await ask('POST', '/zones', { name: zone, ...soa });
    const www = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
    const { record } = await ask('POST', '/records', www);
    await ask('PUT', `/records/${record.id}`, { ttl: 60 });
    const { zone_name, ...other } = { ...www, name: 'a' };
    await ask('POST', '/records/bulk', { zone_name, records: [other] });
    await ask('POST', `${at}/records/bulk`, { records: [{ ...other, name: 'e' }] });
    await ask('POST', `${at}/import`, { content: 'b 60 IN A 192.0.2.1\n' });
    await ask('POST', `${at}/imports`, { content: 'f 60 IN A 192.0.2.1\n' });
    await ask('POST', `${at}/versions/2/rollback`);
    await ask('POST', `${at}/rollback`, { serial: 3 });
    await ask('POST', `${at}/tags`, { name: 'good' });
    await ask('DELETE', `${at}/tags/good`);
    await ask('POST', `${at}/desired?owner=shop`, { content: 'shop 60 IN A 192.0.2.1\n' });
    const set = [{ name: 'c', type: 'A', values: ['192.0.2.1'] }];
    await ask('POST', '/changes', { zones: [{ name: zone, set }] });
    const { items } = await service.call('GET', '/events?order=desc&limit=1');
    await ask('POST', `/events/${items[0].seq}/revert`);
    const external = { name: `ext.${zone}`, type: 'A', ttl: 60, values: ['192.0.2.1'] };
    await ask('POST', '/external-dns/changes', { creates: [external] });
    await ask('PUT', at, { description: 'x' });
    await ask('DELETE', `/records/${record.id}`);
    await ask('DELETE', `/records?zone_name=${zone}&name=ext&type=A`);
    const parents = { parent_ns_addrs: ['192.0.2.1'] };
    await ask('POST', `${at}/dnssec`, parents);
    await ask('PUT', `${at}/dnssec`, { parent_ns_addrs: ['192.0.2.2'] });
    await ask('POST', `${at}/dnssec/sign`);
    await ask('POST', `${at}/dnssec/rollover`);
    await ask('POST', `${at}/dnssec/rollover/abort`, { skip_ds_check: true });
    const unasked = { skip_ds_check: true, skip_holddown: true, skip_secondaries: true };
    await ask('POST', `${at}/dnssec/rollover`);
    await ask('POST', `${at}/dnssec/rollover/promote`, unasked);
    await ask('POST', `${at}/dnssec/withdraw`);
    await ask('DELETE', `${at}/dnssec/withdraw`);
    await ask('DELETE', `${at}/dnssec?skip_ds_check=true`);
    await ask('POST', `${at}/dnssec`, parents);
    await ask('POST', `${at}/dnssec/rollover`);
    await ask('POST', `${at}/dnssec/rollover/ds-seen`, unasked);
    await service.call('DELETE', at);
    await ask('POST', `${at}/restore`);
    await ask('POST', `${at}/notify`);
    await ask('POST', '/notify?bump_serial=true');
    await ask('POST', '/notify/zones', { zone_name: zone });
    expect(answers.filter(([, propagated]) => propagated !== true)).toEqual([]);
    expect(answers.filter(([, , applied]) => applied !== 'wait=5')).toEqual([]);
    // Nobody serves a zone that is gone, so there its answer has nothing to wait for.
    const known = routes.filter((route) => canWait(route) && route.id !== 'deleteZone');
    expect([...asked].toSorted()).toEqual(known.map(({ id }) => id).toSorted());
    answers.length = 0;
    await ask('POST', '/records', { ...www, name: 'd', dry_run: true });
    await ask('POST', '/roles', { name: 'reader' });
    await ask('GET', at);
    await ask('POST', `${at}/diff`, { content: '' });
    await ask('PUT', at, { enabled: false });
    await ask('DELETE', at);
    expect(answers.filter(([, propagated]) => propagated !== undefined)).toEqual([]);
    expect(answers.filter(([, , applied]) => applied !== null)).toEqual([]);
  });
});
