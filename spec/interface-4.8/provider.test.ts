import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
});
afterAll(() => service.close());

const needed = ['record:read', 'record:create', 'record:delete'];
const ask = (method: string, path: string, body?: unknown, as = 'local') =>
  service.call(method, `/external-dns/${path}`, body, 200, as);
const apply = (body: object, as = 'local') => ask('POST', 'changes', body, as);
const a = (name: string, ...values: string[]) => ({ name, type: 'A', values });
const serialOf = async (zone: string) =>
  (await service.call('GET', `/zones/${zone}`, undefined, 200, 'local')).zone.serial;

describe('the provider endpoints', () => {
  it('have no path unless they are switched on', async () => {
    const off = new InProcessService({ externalDnsEnabled: false });
    for (const [method, path] of [
      ['GET', 'domains'],
      ['GET', 'records'],
      ['POST', 'adjust'],
      ['POST', 'changes'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      await off.refused(method, `/external-dns/${path}`, body, 'ENDPOINT_NOT_FOUND');
    }
    await off.close();
  });

  it('refuse unknown fields wherever they stand', async () => {
    const record = { ...a('www.example.com', '192.0.2.1'), set_identifier: 'x' };
    for (const [path, body] of [
      ['adjust', { records: [record] }],
      ['changes', { creates: [record] }],
      ['changes', { updates: [{ old: record, new: record }] }],
      ['changes', { create: [] }],
    ] as const) {
      await service.refused(
        'POST',
        `/external-dns/${path}`,
        body,
        'INVALID_JSON_BODY',
        'unknown field',
        'local',
      );
    }
  });
});

describe('adjust', () => {
  it('spells records as they would be stored, in the order of the request', async () => {
    const records = [
      { name: 'WWW.Example.com', type: 'aaaa', values: ['2001:DB8:0::1', '::2', '2001:db8::1'] },
      { name: 'txt.example.com.', type: 'TXT', ttl: 60, values: ['a b', '"x=1,y=\\"2\\""'] },
      { name: 'c.example.com', type: 'Cname', ttl: null, values: ['Host.Example.NET'] },
    ];
    expect(await ask('POST', 'adjust', { records })).toEqual({
      records: [
        { name: 'www.example.com.', type: 'AAAA', ttl: null, values: ['2001:db8::1', '::2'] },
        { name: 'txt.example.com.', type: 'TXT', ttl: 60, values: ['"a b"', '"x=1,y=\\"2\\""'] },
        { name: 'c.example.com.', type: 'CNAME', ttl: null, values: ['host.example.net.'] },
      ],
    });
  });

  it('leaves what can not be read as it is', async () => {
    const records = [a('a..b', '192.0.2.1'), a('www.example.com', '192.0.2.300', '192.0.2.2')];
    expect((await ask('POST', 'adjust', { records })).records).toMatchObject([
      { name: 'a..b', values: ['192.0.2.1'] },
      { name: 'www.example.com.', values: ['192.0.2.2', '192.0.2.300'] },
    ]);
  });

  it('refuses other types', async () => {
    const records = [a('fine.example.com', '192.0.2.1'), { name: 'x', type: 'MX', values: ['m'] }];
    const path = '/external-dns/adjust';
    const says = 'records[1] (x MX): type: is not one of A, AAAA, CNAME, TXT';
    await service.refused('POST', path, { records }, 'INVALID_RECORD_VALUE', says, 'local');
  });
});

describe('changes', () => {
  it('are one transaction over all their zones, a step of the serial in each that differs', async () => {
    for (const zone of ['one.example', 'two.example', 'same.example']) {
      await service.createZone(zone);
    }
    await apply({ creates: [{ ...a('www.same.example', '192.0.2.1'), ttl: 60 }] });
    service.changes();
    const before = service.events();
    const body = {
      creates: [
        a('www.one.example', '192.0.2.1', '192.0.2.2'),
        a('www.two.example.', '192.0.2.3'),
        { ...a('www.same.example', '192.0.2.1'), ttl: 60 },
        { name: 'a-www.one.example', type: 'TXT', values: ['"heritage=external-dns"'] },
      ],
    };
    expect(await apply(body)).toEqual({
      added: 4,
      deleted: 0,
      changed_zones: ['one.example', 'two.example'],
      warnings: [],
    });
    expect(service.events()).toBe(before + 2);
    expect(service.changes().map(({ kind, zone }) => [kind, zone.name, zone.serial])).toEqual([
      ['changed', 'one.example', 2],
      ['changed', 'two.example', 2],
    ]);
    expect(service.lastEvent()).toMatchObject({ changeSource: 'external-dns', serial: 2 });
    expect(await serialOf('same.example')).toBe(2);
    expect(await apply(body)).toEqual({ added: 0, deleted: 0, changed_zones: [], warnings: [] });
    expect(service.events()).toBe(before + 2);
    expect(service.changes()).toEqual([]);
  });

  it('are shown as an IXFR step and in the history of each zone', async () => {
    const { items } = await service.call(
      'GET',
      '/zones/one.example/history',
      undefined,
      200,
      'local',
    );
    expect(items[0]).toMatchObject({
      serial: 2,
      kind: 'records.changed',
      change_source: 'external-dns',
      records_added: 3,
    });
  });

  it('are nothing at all when one of them is refused', async () => {
    await service.createZone('whole.example');
    const before = service.events();
    for (const [bad, code] of [
      [a('www.nowhere.example', '192.0.2.1'), 'ZONE_NOT_FOUND'],
      [{ name: 'www.two.example', type: 'CNAME', values: ['x.example'] }, 'RECORD_CONFLICT'],
      [a('bad.two.example', 'nonsense'), 'INVALID_RECORD_VALUE'],
      [{ name: 'mx.two.example', type: 'MX', values: ['mail'] }, 'INVALID_RECORD_VALUE'],
    ] as const) {
      const body = { creates: [a('www.whole.example', '192.0.2.1'), bad] };
      await service.refused('POST', '/external-dns/changes', body, code, '', 'local');
    }
    expect(service.events()).toBe(before);
    expect(await serialOf('whole.example')).toBe(1);
  });

  it('may be empty', async () => {
    expect(await apply({})).toEqual({ added: 0, deleted: 0, changed_zones: [], warnings: [] });
    const nulls = { creates: null, deletes: null, updates: null };
    expect(await apply(nulls)).toEqual({ added: 0, deleted: 0, changed_zones: [], warnings: [] });
  });

  it('judge rights by the most specific zone and tell what is missing', async () => {
    await service.createZone('deep.example');
    await service.createZone('hidden.deep.example');
    const token = await service.tokenOf('controller', [
      { actions: needed, zone_name: 'deep.example', record_types: 'A,TXT' },
    ]);
    const refuse = (record: object, code: string, says: string) =>
      service.refused('POST', '/external-dns/changes', { creates: [record] }, code, says, token);
    await refuse(a('www.hidden.deep.example', '192.0.2.1'), 'ZONE_NOT_FOUND', 'no zone for');
    await refuse(a('www.one.example', '192.0.2.1'), 'ZONE_NOT_FOUND', 'no zone for');
    const other = { name: 'www.deep.example', type: 'AAAA', values: ['::1'] };
    await refuse(other, 'FORBIDDEN', "'record:create' is needed on www.deep.example. AAAA");
    const done = await apply({ creates: [a('www.deep.example', '192.0.2.1')] }, token);
    expect(done.changed_zones).toEqual(['deep.example']);
    expect(service.lastEvent()).toMatchObject({ actorKind: 'token', actorName: 'controller' });
  });
});

describe('domains and records', () => {
  it('are of all zones for full rights, of the rest for what the role can manage', async () => {
    const fresh = new InProcessService({ authenticationRequired: true });
    const asking = (path: string, as: string) =>
      fresh.call('GET', `/external-dns/${path}`, undefined, 200, as);
    for (const zone of ['a.example', 'b.example', 'deeper.b.example', 'c.example']) {
      await fresh.createZone(zone);
    }
    const txt = '"heritage=external-dns,external-dns/owner=me"';
    await fresh.call(
      'POST',
      '/external-dns/changes',
      {
        creates: [
          { ...a('www.a.example', '192.0.2.2', '192.0.2.1'), ttl: 60 },
          { name: 'cname-www.b.example', type: 'TXT', values: [txt] },
          { name: 'www.b.example', type: 'CNAME', values: ['www.a.example'] },
          a('x.apps.c.example', '192.0.2.3'),
          a('apps.c.example', '192.0.2.4'),
          a('other.c.example', '192.0.2.5'),
          a('www.deeper.b.example', '192.0.2.6'),
        ],
      },
      200,
      'local',
    );
    await fresh.call(
      'POST',
      '/records',
      { zone_name: 'b.example', name: 'www.deeper', type: 'A', value: '192.0.2.66' },
      201,
      'local',
    );
    const all = ['a.example', 'b.example', 'deeper.b.example', 'c.example'];
    expect(await asking('domains', 'local')).toEqual({ domains: all });
    const { records } = await asking('records', 'local');
    expect(records).toEqual([
      { name: 'www.a.example.', type: 'A', ttl: 60, values: ['192.0.2.1', '192.0.2.2'] },
      { name: 'cname-www.b.example.', type: 'TXT', ttl: 3600, values: [txt] },
      { name: 'www.b.example.', type: 'CNAME', ttl: 3600, values: ['www.a.example.'] },
      // The deeper zone's own record, not the one that b.example has at its name.
      { name: 'www.deeper.b.example.', type: 'A', ttl: 3600, values: ['192.0.2.6'] },
      { name: 'apps.c.example.', type: 'A', ttl: 3600, values: ['192.0.2.4'] },
      { name: 'x.apps.c.example.', type: 'A', ttl: 3600, values: ['192.0.2.3'] },
      { name: 'other.c.example.', type: 'A', ttl: 3600, values: ['192.0.2.5'] },
    ]);
    const token = await fresh.tokenOf('limited', [
      { actions: needed, zone_name: 'b.example', record_types: 'TXT' },
      { actions: needed, zone_name: 'c.example', record_name_pattern: '*.apps' },
      { actions: ['record:read'], zone_name: 'a.example' },
    ]);
    expect(await asking('domains', token)).toEqual({ domains: ['b.example', 'apps.c.example'] });
    const names = (await asking('records', token)).records.map((one: { name: string }) => one.name);
    expect(names).toEqual(['cname-www.b.example.', 'apps.c.example.', 'x.apps.c.example.']);
    const nobody = await fresh.tokenOf('nobody', []);
    expect(await asking('domains', nobody)).toEqual({ domains: [] });
    expect(await asking('records', nobody)).toEqual({ records: [] });
    await fresh.close();
  });

  it('are read in a thread where there are many, with the same answer', async () => {
    const big = new InProcessService({ authenticationRequired: true });
    await big.createZone('big.example');
    const creates = Array.from({ length: 11_000 }, (_, index) =>
      a(`h${index}.big.example`, `10.0.${index >> 8}.${index & 255}`),
    );
    await big.call('POST', '/external-dns/changes', { creates }, 200, 'local');
    const token = await big.tokenOf('half', [{ actions: needed, record_types: 'A' }]);
    for (const as of ['local', token]) {
      const answer = await big.fetch('GET', '/external-dns/records', undefined, as);
      const { records } = await jsonOf(answer);
      expect(records).toHaveLength(11_000);
      expect(records[0]).toEqual({
        name: 'h0.big.example.',
        type: 'A',
        ttl: 3600,
        values: ['10.0.0.0'],
      });
      const { domains } = await jsonOf(
        await big.fetch('GET', '/external-dns/domains', undefined, as),
      );
      expect(domains).toEqual(['big.example']);
    }
    await big.close();
  });
});
