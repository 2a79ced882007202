/** What is explained is what happens: drawn grants, and each real request beside the explanation of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actions } from '../../src/base/action.ts';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';
import { Random } from '../visibility/random.ts';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));
const zones = ['one.example', 'two.example', 'deep.two.example'];
const records = [
  ['@', 'TXT', 'words'],
  ['www', 'A', '192.0.2.1'],
  ['www', 'TXT', 'words'],
  ['a.sub', 'A', '192.0.2.2'],
  ['sub', 'TXT', 'words'],
] as const;
let service: InProcessService;
const ids = new Map<string, number>();

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  for (const zone_name of zones) {
    await service.createZone(zone_name);
    for (const [name, type, value] of records) {
      const body = { zone_name, name, type, value };
      const { record } = await service.call('POST', '/records', body, 201, 'local');
      ids.set(`${zone_name} ${name} ${type}`, record.id);
    }
  }
  await service.call('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' }, 201, 'local');
});
afterAll(() => service.close());

interface Trial {
  /** The query of the question. */
  readonly asks: Readonly<Record<string, string>>;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Requests, each of which is decided by one action alone. Nothing is changed. */
function* trials(): Generator<Trial> {
  const dry = 'dry_run=true';
  for (const zone of zones) {
    const path = `/zones/${zone}`;
    yield { asks: { action: 'zone:read', zone }, method: 'GET', path: `${path}/versions` };
    const body = { description: 'other', dry_run: true };
    yield { asks: { action: 'zone:update', zone }, method: 'PUT', path, body };
    yield { asks: { action: 'zone:delete', zone }, method: 'DELETE', path: `${path}?${dry}` };
    yield { asks: { action: 'dnssec:read', zone }, method: 'GET', path: `${path}/dnssec` };
    yield { asks: { action: 'record:read', zone }, method: 'GET', path: `${path}/export` };
    for (const [name, type, value] of records) {
      const one = `/records/${ids.get(`${zone} ${name} ${type}`)}`;
      const about = { zone, name, type };
      const created = { zone_name: zone, name, type, value: `${value}${type === 'A' ? '0' : ''}` };
      yield { asks: { action: 'record:read', ...about }, method: 'GET', path: one };
      yield {
        asks: { action: 'record:create', ...about },
        method: 'POST',
        path: '/records',
        body: { ...created, dry_run: true },
      };
      const path = `${one}?${dry}`;
      yield { asks: { action: 'record:delete', ...about }, method: 'DELETE', path };
      const all = { action: 'record:delete', zone, name };
      const filter = `/records?zone_name=${zone}&name=${name}&${dry}`;
      yield { asks: all, method: 'DELETE', path: filter };
    }
  }
  const zone = { name: 'new.test', mname: 'ns1.new.test', rname: 'h@new.test', dry_run: true };
  yield { asks: { action: 'zone:create' }, method: 'POST', path: '/zones', body: zone };
  yield { asks: { action: 'secondary:manage' }, method: 'PUT', path: '/secondaries/ns2', body: {} };
  yield { asks: { action: 'access:manage' }, method: 'GET', path: '/roles/admin' };
}

function drawGrants(random: Random): object[] {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const zone_name = random.next() < 0.6 ? random.one(zones) : undefined;
    const most = actions.filter(
      (action) => zone_name === undefined || !/zone:create|secondary:|access:/.test(action),
    );
    const chosen = random.some(most, 0.25);
    if (chosen.length === 0) chosen.push('record:read');
    const narrows = chosen.some((action) => action.startsWith('record:'));
    return {
      actions: chosen,
      ...(zone_name === undefined ? {} : { zone_name }),
      ...(narrows
        ? {
            record_name_pattern: random.one(['*', '*', '@', 'www', '*.sub', 'a.sub', 'a.**']),
            record_types: random.one(['*', '*', 'A', 'TXT', 'A,AAAA']),
          }
        : {}),
    };
  });
}

describe('interface 4.12', () => {
  it(`says allowed exactly of what is let through (seed ${seed})`, async () => {
    const random = new Random(seed);
    const seen = { allowed: 0, refused: 0 };
    for (let round = 0; round < (isLong ? 100 : 18); round++) {
      const grants = drawGrants(random);
      const name = `t${round}`;
      const secret = await service.tokenOf(name, grants);
      for (const { asks, method, path, body } of trials()) {
        const response = await service.fetch(method, path, body, secret);
        const isLetThrough = response.status !== 403 && response.status !== 404;
        const query = new URLSearchParams({ ...asks, token: name });
        const url = `/access/explain?${query}`;
        const { explanation } = await service.call('GET', url, undefined, 200, 'local');
        const what = `${method} ${path} ${url} ${JSON.stringify(grants)} ${JSON.stringify(explanation)}`;
        expect(explanation.allowed, what).toBe(isLetThrough);
        expect(explanation.grant !== null, what).toBe(isLetThrough);
        if (asks.zone !== undefined && !isLetThrough && path.startsWith('/zones')) {
          expect(explanation.sees_zone, what).toBe(response.status === 403);
        }
        seen[isLetThrough ? 'allowed' : 'refused']++;
      }
    }
    expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(50);
  });

  it('names a grant that allows what was refused', async () => {
    const name = 'learner';
    await service.tokenOf(name, [{ actions: ['zone:transfer'], zone_name: zones[0]! }]);
    for (const { asks } of trials()) {
      const url = `/access/explain?${new URLSearchParams({ ...asks, token: name })}`;
      const { explanation } = await service.call('GET', url, undefined, 200, 'local');
      if (explanation.allowed) continue;
      const { zone_name, ...grant } = explanation.needed_grant;
      const body = zone_name === null ? grant : { ...grant, zone_name };
      const path = `/roles/${name}/grants`;
      const { role_grant } = await service.call('POST', path, body, 201, 'local');
      const after = await service.call('GET', url, undefined, 200, 'local');
      expect(after.explanation).toMatchObject({ allowed: true, grant: { id: role_grant.id } });
      await service.call('DELETE', `${path}/${role_grant.id}`, undefined, 200, 'local');
    }
  });

  it('knows full access, TSIG keys, reasons and what has expired', async () => {
    const ask = async (query: string, as = 'local') =>
      (await service.call('GET', `/access/explain?${query}`, undefined, 200, as)).explanation;
    const boss = await service.tokenOf('boss', 'admin');
    expect(await ask('action=zone:create', boss)).toMatchObject({
      allowed: true,
      message: "allowed: role 'admin' has full access",
      subject: { kind: 'token', name: 'boss' },
      grant: null,
    });
    expect(await ask('action=zone:create')).toMatchObject({ allowed: true, subject: null });
    await service.call('POST', '/roles', { name: 'strict', reason_required: true }, 201, 'local');
    const key = { name: 'k.example', role_name: 'strict' };
    await service.call('POST', '/tsig-keys', key, 201, 'local');
    expect(
      await ask('action=record:create&tsig_key=k.example&name=www.one.example&type=A'),
    ).toMatchObject({
      allowed: false,
      message: "refused: role 'strict' has no grant of record:create on www.one.example. A",
      sees_zone: false,
      reason_required: true,
      needed_grant: { zone_name: 'one.example', record_name_pattern: 'www', record_types: 'A' },
    });
    await service.tokenOf('brief', 'admin', { expires_in_days: 1 });
    service.pass(2 * 86_400_000);
    const expired = await ask('action=zone:create&token=brief');
    expect(expired).toMatchObject({ allowed: false, needed_grant: null });
    expect(expired.message).toMatch(/^refused: token 'brief' expired at /);
  });

  it.each([
    ['action=zone:read&name=www.one.example', "'name' goes with actions on records only"],
    ['action=record:read&type=A&zone=one.example', "'type' goes with 'name' only"],
  ])('refuses %s', async (query, error) => {
    const answer = await service.call('GET', `/access/explain?${query}`, undefined, 400, 'local');
    expect(answer).toEqual({ error, code: 'INVALID_INPUT' });
  });
});
