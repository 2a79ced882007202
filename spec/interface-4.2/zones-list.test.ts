import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

describe('listing zones', () => {
  let own: InProcessService;
  /** When alpha was created, the others a minute before and after, or more. */
  let alphaAt = 0;
  beforeAll(async () => {
    own = new InProcessService();
    await own.createZone('beta.example', { default_ttl: 60, serial: 30 });
    own.pass(60_000);
    await own.createZone('alpha.example', {
      default_ttl: 600,
      serial: 10,
      rname: 'a.b@alpha.example',
    });
    alphaAt = own.now();
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
      ['rname=', ['al_ha.example', 'alpha.example', 'beta.example']],
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
      ['encloses=a.b.ALPHA.example', ['alpha.example']],
      ['encloses=beta.example.', ['beta.example']],
      ['encloses=example', []],
      ['encloses=xbeta.example', []],
    ] as const) {
      expect([query, await names(query)]).toEqual([query, found]);
    }
  });

  it('refuses what is no name', async () => {
    await own.refused('GET', '/zones?encloses=a..b', undefined, 'INVALID_INPUT', 'encloses');
  });

  it('filters by time of creation, inclusive', async () => {
    const after = new Date(alphaAt - 30_000).toISOString();
    const before = new Date(alphaAt + 30_000).toISOString();
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
      next_cursor: null,
    });
  });
});

describe('zones by what happened to them', () => {
  let own: InProcessService;
  beforeEach(async () => {
    own = new InProcessService();
    for (const name of ['a.example', 'b.example', 'c.example']) await own.createZone(name);
    own.pass(60_000);
  });
  afterEach(() => own.close());

  const names = async (query: string) =>
    (await own.call('GET', `/zones?${query}`)).items.map((zone: { name: string }) => zone.name);
  const add = (zone_name: string, name: string) =>
    own.call('POST', '/records', { zone_name, name, type: 'A', value: '192.0.2.1' }, 201);

  it('sorts by the number of records', async () => {
    for (const name of ['one', 'two', 'three']) await add('b.example', name);
    await add('c.example', 'one');
    const most = ['b.example', 'c.example', 'a.example'];
    expect(await names('sort=records&order=desc')).toEqual(most);
    expect(await names('sort=records')).toEqual(most.toReversed());
  });

  it('sorts and filters by the last change, passing over signing', async () => {
    const since = new Date(own.now()).toISOString();
    expect(await names(`changed_after=${since}`)).toEqual([]);
    await own.call('PUT', '/zones/b.example', { description: 'changed' });
    expect(await names(`changed_after=${since}`)).toEqual(['b.example']);
    own.pass(60_000);
    await own.call('POST', '/zones/a.example/dnssec', { parent_ns_addrs: ['192.0.2.1'] }, 201);
    expect(await names(`changed_after=${since}`)).toEqual(['b.example']);
    own.pass(60_000);
    await add('a.example', 'www');
    expect(await names('sort=changed_at&order=desc')).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ]);
    // A zone that comes back was changed then; a rebuild says the same.
    await own.call('DELETE', '/zones/c.example');
    own.pass(60_000);
    await own.call('POST', '/zones/c.example/restore');
    expect((await names('sort=changed_at&order=desc'))[0]).toBe('c.example');
    expect(await own.verify()).toEqual([]);
  });

  it('filters by whether a secondary is behind', async () => {
    own.lagging.add('b.example').add('gone.example');
    expect(await names('lagging=true')).toEqual(['b.example']);
    expect(await names('lagging=false')).toEqual(['a.example', 'c.example']);
  });

  it('filters by who made the last change, passing over signing', async () => {
    await own.close();
    own = new InProcessService({ authenticationRequired: true });
    for (const name of ['a.example', 'b.example', 'c.example']) await own.createZone(name);
    const by = async (who: string) =>
      (await own.call('GET', `/zones?changed_by=${who}`, undefined, 200, 'local')).items.map(
        ({ name }: { name: string }) => name,
      );
    const all = [{ actions: ['zone:read', 'zone:update', 'record:create'] }];
    const [ann, bob] = [await own.tokenOf('ann', all), await own.tokenOf('bob', all)];
    await own.call('PUT', '/zones/a.example', { description: 'one' }, 200, ann);
    await own.call('PUT', '/zones/b.example', { description: 'two' }, 200, bob);
    const parents = { parent_ns_addrs: ['192.0.2.1'] };
    await own.call('POST', '/zones/a.example/dnssec', parents, 201, 'local');
    expect(await by('ann')).toEqual(['a.example']);
    expect(await by('bob')).toEqual(['b.example']);
    expect(await by('carol')).toEqual([]);
    expect(await by('an')).toEqual([]);
    expect(await by('')).toHaveLength(3);
    await own.call('PUT', '/zones/b.example', { description: 'three' }, 200, ann);
    expect(await by('ann')).toEqual(['a.example', 'b.example']);
    const here = await own.tokenOf('dan', [{ actions: ['zone:read'], zone_name: 'a.example' }]);
    await own.refused('GET', '/zones?changed_by=ann', undefined, 'FORBIDDEN', 'zone:read', here);
    expect(await own.verify()).toEqual([]);
  });
});
