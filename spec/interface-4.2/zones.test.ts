import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(() => {
  service = startService();
});
afterAll(() => service.close());
beforeEach(() => void service.changes());

let made = 0;
/** A name no other test uses. */
const fresh = (end = 'example') => `z${++made}.${end}`;

const host = (name: string) => ({ name, mname: 'ns1.example.net', rname: 'host@example.net' });

describe('creating a zone', () => {
  it('fills in the defaults, an apex NS and serial 1', async () => {
    const name = fresh();
    const answer = await service.call('POST', '/zones', host(name), 201);
    expect(answer).toEqual({
      applied: true,
      dry_run: false,
      zone: {
        id: expect.any(Number),
        name,
        mname: 'ns1.example.net',
        rname: 'host@example.net',
        default_ttl: 3600,
        minimum_ttl: 86_400,
        refresh: 300,
        retry: 60,
        expire: 3_600_000,
        serial: 1,
        description: null,
        enabled: true,
      },
    });
    const { items } = await service.call('GET', `/records?zone_name=${name}`);
    expect(items).toEqual([
      expect.objectContaining({
        name: `${name}.`,
        type: 'NS',
        value: 'ns1.example.net.',
        ttl: 3600,
      }),
    ]);
    expect(service.changes()).toMatchObject([{ kind: 'created', zone: { name, serial: 1 } }]);
  });

  it('leaves all NS to the caller with apex_ns false', async () => {
    const name = fresh();
    await service.call('POST', '/zones', { ...host(name), apex_ns: false }, 201);
    const { pagination } = await service.call('GET', `/records?zone_name=${name}`);
    expect(pagination.total).toBe(0);
  });

  it('trims and lower-cases names and drops the trailing dot', async () => {
    const name = fresh();
    const body = {
      name: `  ${name.toUpperCase()}. `,
      mname: 'NS1.Example.NET.',
      rname: 'Host.Master@Example.NET',
    };
    const { zone } = await service.call('POST', '/zones', body, 201);
    expect(zone).toMatchObject({
      name,
      mname: 'ns1.example.net',
      rname: 'Host.Master@example.net',
    });
  });

  it('accepts underscores, RFC 2317 slashes, xn-- and 63-octet labels', async () => {
    const label = 'a'.repeat(63);
    for (const name of [
      `_tcp.${fresh()}`,
      `0/25.${fresh('arpa')}`,
      `xn--p1ai.${fresh()}`,
      `${label}.${fresh()}`,
    ]) {
      const { zone } = await service.call('POST', '/zones', host(name), 201);
      expect(zone.name).toBe(name);
      const found = await service.call('GET', `/zones/${encodeURIComponent(name)}`);
      expect(found.zone).toEqual(zone);
    }
  });

  it('refuses names that are no zone names', async () => {
    const long = `${'a'.repeat(62)}.`.repeat(4) + 'example';
    for (const name of [
      '',
      '.',
      ' ',
      '*.example',
      'a..example',
      '.example',
      'ä.example',
      'a b.example',
      `${'a'.repeat(64)}.example`,
      long,
      'a\\.b.example',
    ]) {
      await service.refused('POST', '/zones', host(name), 'INVALID_ZONE_FIELD', 'name');
    }
  });

  it('takes a name of 253 characters and no more', async () => {
    const fill = 'a'.repeat(63);
    const name = `${'b'.repeat(61)}.${fill}.${fill}.${fill}`;
    expect(name).toHaveLength(253);
    const body = { ...host(name), mname: 'ns1.example.net' };
    await service.call('POST', '/zones', body, 201);
    await service.refused('POST', '/zones', { ...body, name: `b${name}` }, 'INVALID_ZONE_FIELD');
  });

  it('checks rname', async () => {
    for (const rname of [
      'host',
      'a@b@c',
      '@example.net',
      'a@',
      `${'a'.repeat(65)}@example.net`,
      'a..b@example.net',
      '.a@example.net',
      'a.@example.net',
      'a b@example.net',
      `a@${'b'.repeat(60)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}`,
    ]) {
      await service.refused(
        'POST',
        '/zones',
        { ...host(fresh()), rname },
        'INVALID_ZONE_FIELD',
        'rname',
      );
    }
    const rname = `${'a'.repeat(63)}@example.net`;
    const { zone } = await service.call('POST', '/zones', { ...host(fresh()), rname }, 201);
    expect(zone.rname).toBe(rname);
  });

  it('checks mname', async () => {
    for (const mname of ['', '.', 'a b', 'a..b', `${'a'.repeat(64)}.example`]) {
      await service.refused(
        'POST',
        '/zones',
        { ...host(fresh()), mname },
        'INVALID_ZONE_FIELD',
        'mname',
      );
    }
  });

  it('keeps default_ttl within 60..604800 and the timers within 1..2147483647', async () => {
    for (const [field, least, most] of [
      ['default_ttl', 60, 604_800],
      ['minimum_ttl', 1, 2_147_483_647],
      ['refresh', 1, 2_147_483_647],
      ['retry', 1, 2_147_483_647],
      ['expire', 1, 2_147_483_647],
    ] as const) {
      for (const value of [least - 1, most + 1, -1]) {
        const body = { ...host(fresh()), [field]: value };
        await service.refused('POST', '/zones', body, 'INVALID_ZONE_FIELD', field);
      }
      for (const value of [least, most]) {
        const { zone } = await service.call('POST', '/zones', { ...host(fresh()), [field]: value });
        expect(zone[field]).toBe(value);
      }
    }
  });

  it('takes a starting serial of 1..2137483647', async () => {
    for (const serial of [0, -1, 2_137_483_648]) {
      await service.refused(
        'POST',
        '/zones',
        { ...host(fresh()), serial },
        'INVALID_ZONE_FIELD',
        'serial',
      );
    }
    const zone = await service.createZone(fresh(), { serial: 2_137_483_647 });
    expect(zone.serial).toBe(2_137_483_647);
  });

  it('counts a description in characters, up to 255', async () => {
    const zone = await service.createZone(fresh(), { description: '\u{1f600}'.repeat(255) });
    expect([...zone.description]).toHaveLength(255);
    const body = { ...host(fresh()), description: 'x'.repeat(256) };
    await service.refused('POST', '/zones', body, 'INVALID_ZONE_FIELD', 'description');
  });

  it('refuses a taken name and the catalog, in any spelling', async () => {
    const { name } = await service.createZone(fresh());
    const twice = host(`${name.toUpperCase()}.`);
    await service.refused('POST', '/zones', twice, 'ZONE_CONFLICT', `'${name}'`);
    await service.refused('POST', '/zones', host('Catalog.Invalid'), 'ZONE_CONFLICT');
  });

  it('lets parent and child zones coexist', async () => {
    const { name } = await service.createZone(fresh());
    await service.createZone(`child.${name}`);
  });

  it('tells what a dry run would create, with id 0, and creates nothing', async () => {
    const name = fresh();
    const events = service.events();
    const answer = await service.call('POST', '/zones', { ...host(name), dry_run: true }, 200);
    expect(answer).toMatchObject({
      applied: false,
      dry_run: true,
      zone: { id: 0, name, serial: 1 },
    });
    expect([service.events(), service.changes()]).toEqual([events, []]);
    await service.refused('GET', `/zones/${name}`, undefined, 'ZONE_NOT_FOUND', name);
    await service.refused('POST', '/zones', { ...host('*'), dry_run: true }, 'INVALID_ZONE_FIELD');
  });

  it('starts above the last serial of a zone that had the name', async () => {
    const { name } = await service.createZone(fresh(), { serial: 41 });
    await service.call('DELETE', `/zones/${name}`);
    expect((await service.createZone(name)).serial).toBe(42);
    await service.call('DELETE', `/zones/${name}`);
    expect((await service.createZone(name, { serial: 7 })).serial).toBe(7);
    const other = fresh();
    await service.call('PUT', `/zones/${name}`, { name: other });
    expect((await service.createZone(name)).serial).toBeGreaterThanOrEqual(8);
  });
});

describe('updating a zone', () => {
  it('changes given fields only, one serial step each', async () => {
    const before = await service.createZone(fresh());
    const answer = await service.call('PUT', `/zones/${before.name}`, {
      refresh: 600,
      description: 'x',
    });
    expect(answer).toEqual({
      applied: true,
      dry_run: false,
      zone: { ...before, refresh: 600, description: 'x', serial: 2 },
    });
    const cleared = await service.call('PUT', `/zones/${before.name}`, { description: '' });
    expect(cleared.zone).toMatchObject({ description: null, serial: 3 });
    const off = await service.call('PUT', `/zones/${before.name}`, { enabled: false });
    expect(off.zone).toMatchObject({ enabled: false, serial: 4 });
    expect(service.changes().map(({ kind }) => kind)).toEqual([
      'created',
      'changed',
      'changed',
      'disabled',
    ]);
  });

  it('moves nothing when nothing changes', async () => {
    const zone = await service.createZone(fresh(), { description: 'same' });
    const events = service.events();
    service.changes();
    for (const body of [
      {},
      { description: null },
      { description: 'same' },
      { mname: zone.mname.toUpperCase() },
      { name: `${zone.name}.` },
      { serial: zone.serial },
    ]) {
      const answer = await service.call('PUT', `/zones/${zone.name}`, body, 200);
      expect(answer).toEqual({ applied: true, dry_run: false, zone });
    }
    expect([service.events(), service.changes()]).toEqual([events, []]);
  });

  it('refuses another serial than the current one', async () => {
    const { name } = await service.createZone(fresh());
    for (const serial of [0, 2, 5]) {
      await service.refused('PUT', `/zones/${name}`, { serial }, 'INVALID_ZONE_FIELD', 'serial');
    }
  });

  it('tells what a dry run would change', async () => {
    const zone = await service.createZone(fresh());
    const answer = await service.call('PUT', `/zones/${zone.name}`, { retry: 61, dry_run: true });
    expect(answer).toMatchObject({ applied: false, dry_run: true, zone: { retry: 61 } });
    expect((await service.call('GET', `/zones/${zone.name}`)).zone).toEqual(zone);
  });

  it('checks fields as creation does', async () => {
    const { name } = await service.createZone(fresh());
    for (const body of [
      { default_ttl: 59 },
      { rname: 'x' },
      { mname: '' },
      { name: '*' },
      { description: 'x'.repeat(256) },
    ]) {
      await service.refused(
        'PUT',
        `/zones/${name}`,
        body,
        'INVALID_ZONE_FIELD',
        Object.keys(body)[0],
      );
    }
    await service.refused('PUT', `/zones/${fresh()}`, { retry: 5 }, 'ZONE_NOT_FOUND');
  });
});

describe('renaming a zone', () => {
  it('keeps ids, moves the serial and frees the old name', async () => {
    const zone = await service.createZone(fresh());
    const created = await service.call('POST', '/records', {
      zone_name: zone.name,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    const name = fresh();
    const renamed = await service.call('PUT', `/zones/${zone.name}`, { name });
    expect(renamed.zone).toMatchObject({ id: zone.id, name, serial: 3 });
    const { record } = await service.call('GET', `/records/${created.record.id}`);
    expect(record).toMatchObject({ id: created.record.id, name: `www.${name}.`, zone_name: name });
    await service.refused('GET', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    expect(service.changes().at(-1)).toMatchObject({ kind: 'renamed', previousName: zone.name });
  });

  it('refuses taken names and names under which a record gets too long', async () => {
    const zone = await service.createZone(fresh());
    const other = await service.createZone(fresh());
    await service.refused('PUT', `/zones/${zone.name}`, { name: other.name }, 'ZONE_CONFLICT');
    await service.refused(
      'PUT',
      `/zones/${zone.name}`,
      { name: 'catalog.invalid' },
      'ZONE_CONFLICT',
    );
    const fill = 'a'.repeat(63);
    const record = {
      zone_name: zone.name,
      name: `${fill}.${fill}.${fill}`,
      type: 'A',
      value: '192.0.2.1',
    };
    await service.call('POST', '/records', record, 201);
    const long = `${'b'.repeat(60)}.example`;
    await service.refused(
      'PUT',
      `/zones/${zone.name}`,
      { name: long },
      'INVALID_ZONE_FIELD',
      '255',
    );
  });
});

describe('serials', () => {
  it('never wrap: at the end a change is refused, a delete is not', async () => {
    const name = fresh();
    await service.createZone(name, { serial: 2_137_483_647 });
    // Ten million steps are too many for a test; the rule itself is tested beside the law.
    await service.call('DELETE', `/zones/${name}`, undefined, 200);
  });

  it('advance by one per request, also for a bump', async () => {
    const { name } = await service.createZone(fresh());
    await service.call('POST', `/zones/${name}/notify?bump_serial=true`);
    expect(await service.serialOf(name)).toBe(2);
    expect(service.changes().at(-1)).toMatchObject({ kind: 'bumped' });
    await service.call('POST', '/notify/zones', { force: true, zone_name: name });
    expect(await service.serialOf(name)).toBe(3);
    await service.call('POST', `/zones/${name}/notify`);
    expect(await service.serialOf(name)).toBe(3);
    expect(service.notified).toEqual([name, name, name]);
  });

  it('are not bumped for a disabled zone', async () => {
    const { name } = await service.createZone(fresh());
    await service.call('PUT', `/zones/${name}`, { enabled: false });
    await service.refused(
      'POST',
      `/zones/${name}/notify?bump_serial=true`,
      undefined,
      'ZONE_CONFLICT',
    );
    expect(await service.serialOf(name)).toBe(2);
  });
});

describe('deleting a zone', () => {
  it('counts records and versions, first in a dry run', async () => {
    const zone = await service.createZone(fresh());
    await service.call('POST', '/records', {
      zone_name: zone.name,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    const dry = await service.call('DELETE', `/zones/${zone.name}?dry_run=true`, undefined, 200);
    expect(dry).toMatchObject({
      applied: false,
      dry_run: true,
      records_deleted: 2,
      versions_deleted: 2,
    });
    expect(await service.serialOf(zone.name)).toBe(2);
    const real = await service.call('DELETE', `/zones/${zone.name}`, undefined, 200);
    expect(real).toEqual({
      applied: true,
      dry_run: false,
      records_deleted: 2,
      versions_deleted: 2,
      zone: { ...zone, serial: 2 },
    });
    await service.refused('GET', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    await service.refused('DELETE', `/zones/${zone.name}`, undefined, 'ZONE_NOT_FOUND');
    await service.refused('GET', `/records?zone_name=${zone.name}`, undefined, 'ZONE_NOT_FOUND');
  });
});

describe('listing zones', () => {
  let own: TestService;
  beforeAll(async () => {
    own = startService();
    await own.createZone('beta.example', { default_ttl: 60, serial: 30 });
    own.pass(60_000);
    await own.createZone('alpha.example', {
      default_ttl: 600,
      serial: 10,
      rname: 'a.b@alpha.example',
    });
    own.pass(60_000);
    await own.createZone('al_ha.example', {
      default_ttl: 600,
      serial: 20,
      mname: 'ns.beta.example',
    });
    await own.call('PUT', '/zones/al_ha.example', { enabled: false });
  });
  afterAll(() => own.close());

  const names = async (query: string) =>
    (await own.call('GET', `/zones?${query}`)).items.map((zone: { name: string }) => zone.name);

  it('sorts by name at first, and by the other keys, ties by id', async () => {
    expect(await names('')).toEqual(['al_ha.example', 'alpha.example', 'beta.example']);
    expect(await names('order=desc')).toEqual(['beta.example', 'alpha.example', 'al_ha.example']);
    expect(await names('sort=serial')).toEqual(['alpha.example', 'al_ha.example', 'beta.example']);
    expect(await names('sort=default_ttl')).toEqual([
      'beta.example',
      'alpha.example',
      'al_ha.example',
    ]);
    expect(await names('sort=default_ttl&order=desc')).toEqual([
      'alpha.example',
      'al_ha.example',
      'beta.example',
    ]);
    expect(await names('sort=created_at&order=desc')).toEqual([
      'al_ha.example',
      'alpha.example',
      'beta.example',
    ]);
  });

  it('filters by every field', async () => {
    const { zone } = await own.call('GET', '/zones/beta.example');
    for (const [query, found] of [
      ['name=ALPHA.example.', ['alpha.example']],
      ['name=', ['al_ha.example', 'alpha.example', 'beta.example']],
      ['name=alpha', []],
      [`id=${zone.id}`, ['beta.example']],
      ['id=-1', []],
      ['mname=NS.beta.example.', ['al_ha.example']],
      ['rname=a.b@ALPHA.example', ['alpha.example']],
      ['default_ttl=600', ['al_ha.example', 'alpha.example']],
      ['min_default_ttl=61', ['al_ha.example', 'alpha.example']],
      ['max_default_ttl=60', ['beta.example']],
      ['serial=10', ['alpha.example']],
      ['min_serial=21&max_serial=30', ['al_ha.example', 'beta.example']],
      ['signed=true', []],
      ['signed=false&enabled=true', ['alpha.example', 'beta.example']],
      ['enabled=false', ['al_ha.example']],
      ['search=HA.', ['al_ha.example', 'alpha.example']],
      ['search=l_h', ['al_ha.example']],
      ['search=%25', []],
    ] as const) {
      expect([query, await names(query)]).toEqual([query, found]);
    }
  });

  it('filters by time of creation, inclusive', async () => {
    const now = Date.now();
    const after = new Date(now + 30_000).toISOString();
    const before = new Date(now + 90_000).toISOString();
    expect(await names(`created_after=${after}&created_before=${before}`)).toEqual([
      'alpha.example',
    ]);
    expect(await names(`created_before=${after}`)).toEqual(['beta.example']);
  });

  it('pages, and counts all', async () => {
    const page = await own.call('GET', '/zones?limit=2&offset=1');
    expect(page.items.map((zone: { name: string }) => zone.name)).toEqual([
      'alpha.example',
      'beta.example',
    ]);
    expect(page.pagination).toEqual({ limit: 2, offset: 1, total: 3 });
    const far = await own.call('GET', '/zones?offset=9007199254740991');
    expect(far).toEqual({
      items: [],
      pagination: { limit: 50, offset: 9007199254740991, total: 3 },
    });
  });
});
