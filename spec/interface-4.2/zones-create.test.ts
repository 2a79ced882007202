import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
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
      warnings: [],
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
        guard: null,
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

  it('accepts underscores, RFC 2317 slashes, xn-- and 63-byte labels', async () => {
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
    const long = `${`${'a'.repeat(62)}.`.repeat(4)}example`;
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
      '\u212aelvin.example',
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
    const half = { ...host(fresh()), description: '\ud800' };
    await service.refused('POST', '/zones', half, 'INVALID_ZONE_FIELD', 'description');
  });

  it('repeats only the beginning of a name that is far too long', async () => {
    const long = 'x'.repeat(100_000);
    for (const field of ['name', 'mname', 'rname']) {
      const body = { ...host(fresh()), dry_run: true, [field]: long };
      await service.refused('POST', '/zones', body, 'INVALID_ZONE_FIELD', 'x...');
    }
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
