/** Blame: of each RRset the event that made it what it is, and who did that and why. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

const name = 'blame.example';
let service: InProcessService;
let boss: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  boss = await service.tokenOf('boss', 'admin');
  const write = (method: string, path: string, body?: object) =>
    service.call(method, path, body, undefined, boss);
  await write('POST', '/zones', { name, mname: `ns1.${name}`, rname: `hostmaster@${name}` });
  const www = { zone_name: name, name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 };
  const { record } = await write('POST', '/records', www);
  await write('POST', '/records', { ...www, type: 'TXT', value: 'text' });
  const records = ['a', 'b'].map((owner) => ({ name: owner, type: 'A', value: '192.0.2.7' }));
  await write('POST', `/zones/${name}/records/bulk`, { records });
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${boss}`,
    'zonebook-reason': 'moves',
    'zonebook-reference': 'OPS-1',
  };
  const body = JSON.stringify({ ttl: 600 });
  await service.request(`/records/${record.id}`, { method: 'PUT', headers, body });
});
afterAll(() => service.close());

const blame = (query: string, as = boss) =>
  service.call('GET', `/zones/${name}/blame?${query}`, undefined, 200, as);
interface Blamed {
  readonly name: string;
  readonly type: string;
  readonly event: { readonly serial: number };
}
const shown = (items: readonly Blamed[]) =>
  items.map(({ name: owner, type, event }) => `${owner} ${type} ${event.serial}`);

it('names the last event of each RRset', async () => {
  const { items, serial, next_cursor } = await blame('');
  expect([serial, next_cursor]).toEqual([5, null]);
  expect(shown(items)).toEqual([
    `${name}. NS 1`,
    `a.${name}. A 4`,
    `b.${name}. A 4`,
    `www.${name}. A 5`,
    `www.${name}. TXT 3`,
  ]);
  expect(items[3]).toMatchObject({
    ttl: 600,
    records: 1,
    event: {
      kind: 'records.changed',
      actor: { kind: 'token', name: 'boss' },
      source: 'api',
      reason: 'moves',
      reference: 'OPS-1',
    },
  });
});

it('answers for a moment, an owner and a type', async () => {
  const then = await blame('at=3&name=www');
  expect(then.serial).toBe(3);
  expect(shown(then.items)).toEqual([`www.${name}. A 2`, `www.${name}. TXT 3`]);
  expect(shown((await blame('type=TXT')).items)).toEqual([`www.${name}. TXT 3`]);
  expect((await blame('name=none')).items).toEqual([]);
});

it('is what changed_by and changed_since of the list of records go by', async () => {
  const listed = async (query: string, as = boss) => {
    const path = `/records?zone_name=${name}&${query}`;
    const { items, pagination } = await service.call('GET', path, undefined, 200, as);
    expect(pagination.total).toBe(items.length);
    return items.map(({ name: owner, type }: Blamed) => `${owner} ${type}`);
  };
  const whole = await blame('');
  const rrsets = (since: string) =>
    whole.items
      .filter(({ event }: { event: { at: string } }) => event.at >= since)
      .map(({ name: owner, type }: Blamed) => `${owner} ${type}`)
      .sort();
  const { at } = whole.items[3].event;
  expect((await listed('changed_by=boss')).sort()).toEqual(rrsets(''));
  expect((await listed(`changed_since=${at}`)).sort()).toEqual(rrsets(at));
  expect(await listed('changed_by=boss&type=TXT&order=desc')).toEqual([`www.${name}. TXT`]);
  expect(await listed('changed_by=boss&at=2&name=www')).toEqual([`www.${name}. A`]);
  expect(await listed('changed_by=reader')).toEqual([]);
  const grant = { zone_name: name, actions: ['record:read'], record_types: 'TXT' };
  const reader = await service.tokenOf('text-reader', [grant]);
  expect(await listed('changed_by=boss', reader)).toEqual([`www.${name}. TXT`]);
  for (const parameter of ['changed_by=boss', `changed_since=${at}`]) {
    const [field] = parameter.split('=') as [string];
    for (const path of [
      `/records?${parameter}`,
      `/records?zone_name=${name}&signed=true&${parameter}`,
    ]) {
      await service.refused('GET', path, undefined, 'INVALID_INPUT', field, boss);
    }
  }
});

it('goes on where a page ended', async () => {
  const whole = await blame('');
  const found: unknown[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await blame(`limit=2${next === '' ? '' : `&cursor=${next}`}`);
    expect(page.items.length).toBeLessThanOrEqual(2);
    found.push(...page.items);
    next = page.next_cursor;
  }
  expect(found).toEqual(whole.items);
});

it('shows only what the caller may read', async () => {
  const grant = { zone_name: name, actions: ['record:read'], record_types: 'TXT' };
  const reader = await service.tokenOf('reader', [grant]);
  const { items, next_cursor } = await blame('limit=1', reader);
  expect(shown(items)).toEqual([`www.${name}. TXT 3`]);
  expect(next_cursor).toBeNull();
});

it('tells the serial of a moment, and which tags exist, only who may read versions', async () => {
  await service.call('POST', `/zones/${name}/tags`, { name: 'third', serial: 3 }, 201, boss);
  const grant = { zone_name: name, actions: ['record:read'], record_name_pattern: '*.www' };
  const sees = { zone_name: name, actions: ['zone:read'] };
  const reader = await service.tokenOf('narrow-reader', [grant]);
  const versions = await service.tokenOf('version-reader', [grant, sees]);
  const whole = await service.tokenOf('whole-reader', [{ ...sees, actions: ['record:read'] }]);
  const { at } = (await blame('name=www&type=A')).items[0].event;
  for (const [moment, serial] of [
    [encodeURIComponent(at), 5],
    ['3', 3],
  ]) {
    const known = await blame(`at=${moment}`, versions);
    expect([known.serial, known.items.length]).toEqual([serial, 2]);
    expect(await blame(`at=${moment}`, reader)).toEqual({ ...known, serial: null });
    expect((await blame(`at=${moment}`, whole)).serial).toBe(serial);
  }
  // That of now is a field of the zone.
  expect((await blame('', reader)).serial).toBe(5);
  const lacking = `action 'zone:read' is needed in zone '${name}'`;
  for (const path of [`/zones/${name}/blame?at=`, `/records?zone_name=${name}&at=`]) {
    for (const tag of ['third', 'never']) {
      const asked = `${path}tag:${tag}`;
      await service.refused('GET', asked, undefined, 'FORBIDDEN', lacking, reader);
    }
    for (const as of [versions, whole]) {
      await service.call('GET', `${path}tag:third`, undefined, 200, as);
    }
  }
});

it('refuses cursors that no page gave, and versions there were not', async () => {
  const refused = (query: string, code: string, says: string) =>
    service.refused('GET', `/zones/${name}/blame?${query}`, undefined, code, says, boss);
  for (const cursor of ['', 'x', '???', 'AAEA!', 'AAFh', 'AAAA', 'AAFhAAA']) {
    await refused(`cursor=${encodeURIComponent(cursor)}`, 'INVALID_INPUT', 'cursor');
  }
  await refused('at=6', 'VERSION_NOT_FOUND', '6');
  await refused('limit=0', 'INVALID_INPUT', 'limit');
});
