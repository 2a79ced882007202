/** DNSSEC policies as a resource (interface 2.10 and 4.7). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone('one.example');
});
afterEach(async () => {
  // It is journalled: replay gives the same policies.
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const path = '/dnssec-policies';
const make = (body: object) => service.call('POST', path, body, 201, 'local');
const refused = (method: string, to: string, body: object | undefined, code: string, says = '') =>
  service.refused(method, to, body, code, says, 'local');

describe('the built-in policy', () => {
  it('is there when the service starts', async () => {
    const { dnssec_policy } = await service.call('GET', `${path}/default`, undefined, 200, 'local');
    expect(dnssec_policy).toEqual({
      id: 1,
      name: 'default',
      builtin: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      algorithm: 'ecdsap256sha256',
      denial: 'nsec3',
      split_keys: false,
      signature_validity_days: 14,
      signature_refresh_days: 5,
      zsk_lifetime_days: 0,
    });
  });

  it('is not made twice: starting again journals nothing', async () => {
    const before = service.events();
    const bySystem = { source: 'system', actor: null, requestId: null, dryRun: false } as const;
    await service.writer.submit({ kind: 'ensure-default-policy' }, bySystem);
    expect(service.events()).toBe(before);
  });

  it('can be edited but not deleted', async () => {
    const body = { signature_validity_days: 21, zsk_lifetime_days: null };
    const { dnssec_policy } = await service.call('PUT', `${path}/DEFAULT`, body, 200, 'local');
    expect(dnssec_policy).toMatchObject({ signature_validity_days: 21, zsk_lifetime_days: 0 });
    await refused('DELETE', `${path}/default`, undefined, 'INVALID_INPUT', 'built in');
  });
});

describe('policies', () => {
  it('are made, read, listed by name and deleted', async () => {
    const { dnssec_policy } = await make({
      name: ' Split.Ed_25519-a ',
      algorithm: 'ed25519',
      denial: 'nsec',
      split_keys: true,
      signature_validity_days: 10,
      signature_refresh_days: 3,
      zsk_lifetime_days: 90,
    });
    expect(dnssec_policy).toEqual({
      id: expect.any(Number),
      name: 'split.ed_25519-a',
      builtin: false,
      created_at: expect.any(String),
      algorithm: 'ed25519',
      denial: 'nsec',
      split_keys: true,
      signature_validity_days: 10,
      signature_refresh_days: 3,
      zsk_lifetime_days: 90,
    });
    const read = `${path}/split.ed_25519-a`;
    expect(await service.call('GET', read, undefined, 200, 'local')).toEqual({ dnssec_policy });
    await make({ name: 'another' });
    const list = await service.call('GET', path, undefined, 200, 'local');
    expect(list.items.map(({ name }: { name: string }) => name)).toEqual([
      'another',
      'default',
      'split.ed_25519-a',
    ]);
    expect(list.items[2]).toEqual(dnssec_policy);
    expect(list.pagination).toEqual({ limit: 50, offset: 0, total: 3 });
    const second = await service.call('GET', `${path}?limit=1&offset=2`, undefined, 200, 'local');
    expect(second).toEqual({
      items: [dnssec_policy],
      pagination: { limit: 1, offset: 2, total: 3 },
      next_cursor: null,
    });
    const gone = await service.call('DELETE', read, undefined, 200, 'local');
    expect(gone).toEqual({ message: "DNSSEC policy 'split.ed_25519-a' deleted" });
    await refused('GET', read, undefined, 'DNSSEC_POLICY_NOT_FOUND', "'split.ed_25519-a'");
    await refused('DELETE', read, undefined, 'DNSSEC_POLICY_NOT_FOUND');
    await refused('PUT', read, {}, 'DNSSEC_POLICY_NOT_FOUND');
  });

  it.each(['rsasha256', 'rsasha512', 'ecdsap384sha384', 'ed448'])('sign with %s', async (name) => {
    const { dnssec_policy } = await make({ name, algorithm: name });
    expect(dnssec_policy).toMatchObject({ algorithm: name, denial: 'nsec3', split_keys: false });
  });

  it('refuse days that do not fit, other algorithms, and a name twice', async () => {
    const bodies = [
      { algorithm: 'rsasha1' },
      { denial: 'nsec5' },
      { signature_validity_days: 24_856 },
      { signature_validity_days: 0 },
      { signature_refresh_days: 14 },
      { signature_refresh_days: -1 },
      { zsk_lifetime_days: 3651 },
      { zsk_lifetime_days: -1 },
    ];
    for (const body of bodies) {
      const [field] = Object.keys(body);
      await refused('POST', path, { name: 'bad', ...body }, 'INVALID_INPUT', field);
    }
    await refused('POST', path, { name: 'a b' }, 'INVALID_INPUT', 'name');
    await refused('POST', path, { name: 'Default' }, 'DNSSEC_POLICY_CONFLICT', "'default'");
    for (const body of [{}, { name: 'x', zsk_lifetime_days: '1' }, { name: 'x', builtin: true }]) {
      await refused('POST', path, body, 'INVALID_JSON_BODY');
    }
  });

  it('keep their algorithm, denial and layout: the refusal says so', async () => {
    await make({ name: 'fixed' });
    for (const body of [{ algorithm: 'ed25519' }, { denial: 'nsec' }, { split_keys: true }]) {
      await refused('PUT', `${path}/fixed`, body, 'INVALID_JSON_BODY', 'is fixed when a policy');
    }
  });

  it('change what is given, judged together with what stays, and nothing for nothing', async () => {
    await make({ name: 'days', signature_validity_days: 10 });
    const to = `${path}/days`;
    await refused('PUT', to, { signature_validity_days: 5 }, 'INVALID_INPUT', 'not below');
    const both = { signature_validity_days: 5, signature_refresh_days: 4 };
    const { dnssec_policy } = await service.call('PUT', to, both, 200, 'local');
    expect(dnssec_policy).toMatchObject(both);
    const before = service.events();
    expect(await service.call('PUT', to, {}, 200, 'local')).toEqual({ dnssec_policy });
    expect(await service.call('PUT', to, both, 200, 'local')).toEqual({ dnssec_policy });
    expect(service.events()).toBe(before);
  });
});

describe('who may', () => {
  it('read with dnssec:read in all zones, write with dnssec:manage in all zones', async () => {
    const reader = await service.tokenOf('reader', [{ actions: ['dnssec:read'] }]);
    const writer = await service.tokenOf('writer', [{ actions: ['dnssec:manage'] }]);
    const actions = ['dnssec:read', 'dnssec:manage'];
    const local = await service.tokenOf('one-zone', [{ actions, zone_name: 'one.example' }]);
    const to = `${path}/default`;
    await service.call('GET', to, undefined, 200, reader);
    await service.refused('PUT', to, {}, 'FORBIDDEN', 'dnssec:manage', reader);
    await service.refused('DELETE', to, undefined, 'FORBIDDEN', 'dnssec:manage', reader);
    await service.refused('POST', path, { name: 'x' }, 'FORBIDDEN', 'all zones', reader);
    await service.call('PUT', to, {}, 200, writer);
    await service.refused('GET', to, undefined, 'FORBIDDEN', 'dnssec:read', writer);
    await service.refused('GET', path, undefined, 'FORBIDDEN', 'dnssec:read', writer);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? {} : undefined;
      await service.refused(method, to, body, 'DNSSEC_POLICY_NOT_FOUND', '', local);
    }
    const { items, pagination } = await service.call('GET', path, undefined, 200, local);
    expect([items, pagination.total]).toEqual([[], 0]);
  });
});
