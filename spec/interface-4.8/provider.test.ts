import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

  it('tells on request what could never be stored, zone and apex included', async () => {
    await service.createZone('checked.example');
    await service.createZone('unseen.checked.example');
    const grant = { actions: needed, zone_name: 'checked.example', record_types: 'A' };
    const token = await service.tokenOf('checker', [grant]);
    const records = [
      a('www.checked.example', '192.0.2.1'),
      a('www.checked.example', '192.0.2.300'),
      a('a..b', '192.0.2.1'),
      a('www.unseen.checked.example', '192.0.2.1'),
      { name: 'checked.example', type: 'CNAME', values: ['x.example'] },
      { name: 'c.checked.example', type: 'CNAME', values: ['x.example', 'y.example'] },
      a('none.checked.example'),
      // Rights may change; what is stored meanwhile must not be taken for unwanted.
      { name: 'www.checked.example', type: 'AAAA', values: ['2001:db8::1'] },
    ];
    const answer = await ask('POST', 'adjust', { records, check: true }, token);
    expect(answer.records).toHaveLength(records.length);
    expect(
      answer.errors.map((one: { index: number; code: string }) => [one.index, one.code]),
    ).toEqual([
      [1, 'INVALID_RECORD_VALUE'],
      [2, 'INVALID_RECORD_NAME'],
      [3, 'ZONE_NOT_FOUND'],
      [4, 'INVALID_RECORD_VALUE'],
      [5, 'RECORD_CONFLICT'],
      [6, 'INVALID_RECORD_VALUE'],
    ]);
    expect(await ask('POST', 'adjust', { records: [], check: true })).toEqual({
      records: [],
      errors: [],
    });
  });

  it('refuses other types', async () => {
    const records = [a('fine.example.com', '192.0.2.1'), { name: 'x', type: 'MX', values: ['m'] }];
    const path = '/external-dns/adjust';
    const says = 'records[1] (x MX): type: is not one of A, AAAA, CNAME, TXT';
    await service.refused('POST', path, { records }, 'INVALID_RECORD_VALUE', says, 'local');
    const twice = { records: [...records, records[1]] };
    const { errors } = await jsonOf(await service.fetch('POST', path, twice, 'local'));
    const message = 'type: is not one of A, AAAA, CNAME, TXT';
    const error = { list: 'records', code: 'INVALID_RECORD_VALUE', message };
    expect(errors).toEqual([
      { ...error, index: 1, pointer: '/records/1' },
      { ...error, index: 2, pointer: '/records/2' },
    ]);
  });
});

describe('changes', () => {
  it('are one transaction over all their zones, a step of the serial and the history in each that differs', async () => {
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

  it('are answered as made, also where the token goes when they are', async () => {
    await service.call(
      'POST',
      '/zones',
      { name: 'gone.example', mname: 'ns1.example.net', rname: 'h@example.net' },
      201,
      'local',
    );
    const token = await service.tokenOf('leaving', 'admin');
    const submit = service.writer.submit.bind(service.writer);
    const made = vi.spyOn(service.writer, 'submit').mockImplementationOnce(async (...asked) => {
      const outcome = await submit(...asked);
      await service.call('DELETE', '/tokens/leaving', undefined, 200, 'local');
      return outcome;
    });
    const answer = await apply({ creates: [a('www.gone.example', '192.0.2.1')] }, token);
    expect(answer).toMatchObject({ added: 1, changed_zones: ['gone.example'] });
    made.mockRestore();
  });

  it('are nothing at all when one of them is refused', async () => {
    await service.createZone('whole.example');
    await service.createZone('kept.example');
    await apply({ creates: [a('www.kept.example', '192.0.2.1')] });
    const before = service.events();
    for (const [bad, code] of [
      [a('www.nowhere.example', '192.0.2.1'), 'ZONE_NOT_FOUND'],
      [{ name: 'www.kept.example', type: 'CNAME', values: ['x.example'] }, 'RECORD_CONFLICT'],
      [a('bad.kept.example', 'nonsense'), 'INVALID_RECORD_VALUE'],
      [{ name: 'mx.kept.example', type: 'MX', values: ['mail'] }, 'INVALID_RECORD_VALUE'],
    ] as const) {
      const body = { creates: [a('www.whole.example', '192.0.2.1'), bad] };
      await service.refused('POST', '/external-dns/changes', body, code, '', 'local');
    }
    expect(service.events()).toBe(before);
    expect(await serialOf('whole.example')).toBe(1);
  });

  it('are refused with every item that can not be, by list and index', async () => {
    for (const zone of ['listed.example', 'full.example']) await service.createZone(zone);
    const taken = { zone_name: 'listed.example', name: 'taken', type: 'A', value: '192.0.2.1' };
    await service.call('POST', '/records', taken, 201, 'local');
    const cname = (name: string) => ({ name, type: 'CNAME', values: ['x.example'] });
    const body = {
      creates: [
        a('fine.listed.example', '192.0.2.1'),
        a('www.nowhere.example', '192.0.2.1'),
        cname('listed.example'),
        cname('taken.listed.example'),
        a('both.listed.example', '192.0.2.1'),
        cname('both.listed.example'),
        { ...a('ttl.full.example', '192.0.2.1'), ttl: 60 },
        { ...a('ttl.full.example', '192.0.2.2'), ttl: 61 },
      ],
      deletes: [a('fine.full.example', '192.0.2.1'), a('a..example', '192.0.2.1')],
      updates: [
        { old: a('u.full.example', '192.0.2.1'), new: a('u.full.example', '192.0.2.2') },
        { old: a('v.full.example', 'bad'), new: a('v.full.example', '192.0.2.2') },
        { old: a('w.full.example', '192.0.2.1'), new: { ...a('w.full.example'), type: 'MX' } },
      ],
    };
    const before = service.events();
    const answer = await service.fetch('POST', '/external-dns/changes', body, 'local');
    const { error, code, errors } = await jsonOf(answer);
    expect([answer.status, code]).toEqual([400, 'INVALID_RECORD_NAME']);
    expect(error).toMatch(/^deletes\[1\] \(a\.\.example A\): name: /);
    type Listed = { list: string; index: number; code: string; message: string };
    expect(errors.map((one: Listed) => `${one.list}[${one.index}] ${one.code}`).sort()).toEqual([
      'creates[1] ZONE_NOT_FOUND',
      'creates[2] INVALID_RECORD_VALUE',
      'creates[3] RECORD_CONFLICT',
      'creates[5] RECORD_CONFLICT',
      'creates[7] RECORD_CONFLICT',
      'deletes[1] INVALID_RECORD_NAME',
      'updates[1] INVALID_RECORD_VALUE',
      'updates[2] INVALID_RECORD_VALUE',
    ]);
    for (const one of errors as Listed[]) {
      expect(Object.keys(one).sort()).toEqual(['code', 'index', 'list', 'message', 'pointer']);
    }
    expect(service.events()).toBe(before);
    // Without them it is taken.
    const isNamed = (list: string) => (_: unknown, index: number) =>
      !(errors as Listed[]).some((one) => one.list === list && one.index === index);
    const rest = {
      creates: body.creates.filter(isNamed('creates')),
      deletes: body.deletes.filter(isNamed('deletes')),
      updates: body.updates.filter(isNamed('updates')),
    };
    expect((await apply(rest)).changed_zones).toEqual(['full.example', 'listed.example']);
  });

  it('name every item of a zone that can not change', async () => {
    const zone = 'last.example';
    const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
    await service.call('POST', '/zones', { name: zone, ...soa }, 201, 'local');
    // Below a DNAME nothing can stand.
    const dname = { zone_name: zone, name: 'alias', type: 'DNAME', value: 'example.net.' };
    await service.call('POST', '/records', dname, 201, 'local');
    const creates = [a(`x.alias.${zone}`, '192.0.2.1'), a(`www.${zone}`, '192.0.2.1')];
    const answer = await service.fetch('POST', '/external-dns/changes', { creates }, 'local');
    const { errors } = await jsonOf(answer);
    expect(errors).toEqual([
      {
        pointer: '/creates/0',
        list: 'creates',
        index: 0,
        code: 'RECORD_CONFLICT',
        message: `x.alias.${zone}. is below the DNAME at alias.${zone}.: no record can stand there`,
      },
    ]);
  });

  it('that are exclusive never add to what somebody else made', async () => {
    await service.createZone('mine.example');
    await apply({ creates: [a('www.mine.example', '192.0.2.1')] });
    const more = { creates: [a('www.mine.example', '192.0.2.2')] };
    const path = '/external-dns/changes';
    const says = 'the A records of this name exist with other values';
    await service.refused(
      'POST',
      path,
      { ...more, exclusive: true },
      'RECORD_CONFLICT',
      says,
      'local',
    );
    expect(await apply({ creates: [a('www.mine.example', '192.0.2.1')], exclusive: true })).toEqual(
      { added: 0, deleted: 0, changed_zones: [], warnings: [] },
    );
    const replaced = { ...more, deletes: [a('www.mine.example', '192.0.2.1')], exclusive: true };
    expect(await apply(replaced)).toMatchObject({ added: 1, deleted: 1 });
    expect(await apply({ creates: [a('www.mine.example', '192.0.2.3')] })).toMatchObject({
      added: 1,
    });
  });

  it('may be empty', async () => {
    expect(await apply({})).toEqual({ added: 0, deleted: 0, changed_zones: [], warnings: [] });
    const nulls = { creates: null, deletes: null, updates: null };
    expect(await apply(nulls)).toEqual({ added: 0, deleted: 0, changed_zones: [], warnings: [] });
  });

  it('judge rights by the most specific zone and tell what is missing', async () => {
    await service.createZone('deep.example');
    await service.createZone('hidden.deep.example');
    await service.createZone('unseen.example');
    const token = await service.tokenOf('controller', [
      { actions: needed, zone_name: 'deep.example', record_types: 'A,TXT' },
    ]);
    const refuse = (record: object, code: string, says: string) =>
      service.refused('POST', '/external-dns/changes', { creates: [record] }, code, says, token);
    await refuse(a('www.hidden.deep.example', '192.0.2.1'), 'ZONE_NOT_FOUND', 'no zone for');
    await refuse(a('www.unseen.example', '192.0.2.1'), 'ZONE_NOT_FOUND', 'no zone for');
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

  it('are refused in a call of more than 20,000 changes, of which none is made', async () => {
    const all = Array.from({ length: 20_001 }, (_, index) =>
      a(`h${index}.example.com`, '192.0.2.1'),
    );
    const body = { creates: all.slice(1), deletes: all.slice(0, 1) };
    const path = '/external-dns/changes';
    const says = 'at most 20000 together in one call, not 20001';
    await service.refused('POST', path, body, 'PAYLOAD_TOO_LARGE', says, 'local');
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
