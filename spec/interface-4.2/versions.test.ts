/** Versions: list, detail and diff, by serial and by time, on the current and the earlier paths. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'versions.example';
let service: InProcessService;
let times: string[];
beforeAll(async () => {
  service = new InProcessService();
  times = await makeHistory(service, name);
});
afterAll(() => service.close());

const get = (path: string) => service.call('GET', `/zones/${name}/${path}`);

describe.each(['versions', 'snapshots'])('GET /zones/{name}/%s', (path) => {
  it('lists versions, the newest first', async () => {
    const { items, pagination } = await get(path);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 6 });
    expect(items.map(({ serial }: { serial: number }) => serial)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(items[1]).toEqual({
      serial: 5,
      created_at: times[5],
      change_source: 'api',
      changed_by: null,
      actor: null,
      change_reason: null,
      change_reference: null,
      mname: `ns1.${name}`,
      rname: `hostmaster@${name}`,
      default_ttl: 7200,
      minimum_ttl: 86_400,
      refresh: 900,
      retry: 60,
      expire: 3_600_000,
    });
    expect(items[2]).toMatchObject({ serial: 4, refresh: 300, default_ttl: 3600 });
    const page = await get(`${path}?limit=2&offset=3&include_signer_serials=true`);
    expect(page.items.map(({ serial }: { serial: number }) => serial)).toEqual([3, 2]);
    expect(page.pagination).toEqual({ limit: 2, offset: 3, total: 6 });
  });

  it('shows a version with its records, names relative', async () => {
    const { version, records } = await get(`${path}/4`);
    expect(version).toMatchObject({ serial: 4, created_at: times[4], refresh: 300 });
    expect(records).toEqual([
      { name: '@', type: 'NS', value: `ns1.${name}.`, ttl: 3600, priority: null },
      { name: 'text', type: 'TXT', value: ['a', 'b'], ttl: 300, priority: null },
      { name: 'www', type: 'A', value: '192.0.2.1', ttl: 600, priority: null },
    ]);
    expect((await get(`${path}/1`)).records).toHaveLength(1);
    expect((await get(`${path}/6`)).records).toHaveLength(2);
  });

  it('refuses serials there were not, and texts that are none', async () => {
    for (const serial of ['0', '7', '2147483647']) {
      const where = `/zones/${name}/${path}/${serial}`;
      await service.refused('GET', where, undefined, 'VERSION_NOT_FOUND', serial);
    }
    for (const serial of ['x', '-1', '1.5', '2147483648']) {
      await service.refused('GET', `/zones/${name}/${path}/${serial}`, undefined, 'INVALID_INPUT');
    }
    await service.refused('GET', `/zones/none.example/${path}/1`, undefined, 'ZONE_NOT_FOUND');
  });

  it('compares two versions; a TTL-only change is one changed entry (case 95)', async () => {
    const www = (ttl: number) => [{ value: '192.0.2.1', ttl, priority: null }];
    expect(await get(`${path}/diff?from=2&to=3`)).toEqual({
      diff: {
        entries: [
          { change: 'changed', name: `www.${name}.`, type: 'A', from: www(300), to: www(600) },
        ],
        summary: { added: 0, changed: 1, removed: 0 },
      },
      from_serial: 2,
      to_serial: 3,
      next_cursor: null,
    });
    const whole = await get(`${path}/diff?from=2`);
    expect(whole).toMatchObject({ from_serial: 2, to_serial: 6 });
    expect(whole.diff.entries).toEqual([
      {
        change: 'added',
        name: `text.${name}.`,
        type: 'TXT',
        from: [],
        to: [{ value: ['a', 'b'], ttl: 300, priority: null }],
      },
      { change: 'removed', name: `www.${name}.`, type: 'A', from: www(300), to: [] },
    ]);
    expect(whole.diff.summary).toEqual({ added: 1, changed: 0, removed: 1 });
    const back = await get(`${path}/diff?from=6&to=2`);
    expect(back.diff.summary).toEqual({ added: 1, changed: 0, removed: 1 });
    expect(back.diff.entries[1]).toMatchObject({ change: 'added', to: www(300) });
    expect((await get(`${path}/diff?from=4&to=5`)).diff.entries).toEqual([]);
    expect((await get(`${path}/diff?from=3&to=3`)).diff.entries).toEqual([]);
  });
});

describe('by time', () => {
  it('a version is the one that was current then', async () => {
    const later = new Date(Date.parse(times[3]!) + 1000).toISOString();
    const { items, pagination } = await get(`versions?at=${later}`);
    expect(items).toMatchObject([{ serial: 3 }]);
    expect(pagination.total).toBe(1);
    expect((await get(`versions?at=${times[5]}`)).items).toMatchObject([{ serial: 5 }]);
    expect((await get('versions?at=2000-01-01T00:00:00Z')).items).toEqual([]);
  });

  it('a diff has a start and an end of its own', async () => {
    const answer = await get(`versions/diff?at=${times[2]}&to_at=${times[4]}`);
    expect(answer).toMatchObject({ from_serial: 2, to_serial: 4 });
    expect(answer.diff.summary).toEqual({ added: 1, changed: 1, removed: 0 });
    const tillNow = await get(`versions/diff?at=${times[2]}`);
    expect(tillNow).toMatchObject({ from_serial: 2, to_serial: 6 });
  });

  it('a diff refuses what does not go together or did not exist', async () => {
    const refused = (query: string, code: string, says = '') =>
      service.refused('GET', `/zones/${name}/versions/diff${query}`, undefined, code, says);
    await refused('', 'INVALID_INPUT', "'from'");
    await refused(`?from=1&at=${times[1]}`, 'INVALID_INPUT', 'not both');
    await refused(`?from=1&to=2&to_at=${times[1]}`, 'INVALID_INPUT', 'exclude');
    await refused('?from=0', 'VERSION_NOT_FOUND', 'serial 0');
    await refused('?from=1&to=7', 'VERSION_NOT_FOUND', 'serial 7');
    await refused('?at=2000-01-01T00:00:00Z', 'VERSION_NOT_FOUND', '2000-01-01');
    await refused('?at=yesterday', 'INVALID_INPUT', "'at'");
    await refused('?from=-1', 'INVALID_INPUT', "'from'");
  });
});

it('versions go on across a rename, and diffs use the present name (case 94)', async () => {
  const zone = 'before.example';
  await makeHistory(service, zone);
  await service.call('PUT', `/zones/${zone}`, { name: 'after.example' });
  const { items } = await service.call('GET', '/zones/after.example/versions');
  expect(items).toHaveLength(7);
  const { diff } = await service.call('GET', '/zones/after.example/versions/diff?from=1&to=2');
  expect(diff.entries).toMatchObject([{ change: 'added', name: 'www.after.example.' }]);
});

it('tells who changed what', async () => {
  await service.createZone('who.example');
  const secret = await service.tokenOf('editor', 'admin');
  const record = { zone_name: 'who.example', name: 'a', type: 'A', value: '192.0.2.1' };
  await service.call('POST', '/records', record, 201, 'local');
  const guarded = new InProcessService({ authenticationRequired: true });
  await guarded.createZone('who.example');
  const token = await guarded.tokenOf('editor', 'admin');
  await guarded.call('POST', '/records', record, 201, token);
  const { items } = await guarded.call('GET', '/zones/who.example/versions', undefined, 200, token);
  const editor = { kind: 'token', name: 'editor' };
  expect(items).toMatchObject([
    { change_source: 'api', changed_by: editor, actor: editor },
    { change_source: 'cli', changed_by: null, actor: null },
  ]);
  await guarded.close();
  expect(secret).toMatch(/^zb_/);
});

it('shows names that requests take as they are meant, also where they end in that of the zone', async () => {
  const zone = 'twice.example';
  await service.createZone(zone);
  const owners = ['', 'www.', `${zone}.`, `www.${zone}.`, `not${zone}.`, `\\@.${zone}.`];
  for (const owner of owners) {
    const record = { zone_name: zone, name: `${owner}${zone}.`, type: 'TXT', value: owner };
    await service.call('POST', '/records', record, 201);
  }
  const { serial } = (await service.call('GET', `/zones/${zone}`)).zone;
  const shown = async () => {
    const path = `/zones/${zone}/versions/${serial}`;
    const { records } = await service.call('GET', path);
    expect((await service.call('GET', `${path}?limit=100`)).records).toEqual(records);
    const names: string[] = [];
    for (const { name, type, value } of records) {
      if (type !== 'TXT') continue;
      const asked = `zone_name=${zone}&type=TXT&at=${serial}&name=${encodeURIComponent(name)}`;
      const found = await service.call('GET', `/records?${asked}`);
      expect(found.items.map(({ value }: { value: string }) => value)).toEqual([value]);
      names.push(name);
    }
    return names.sort();
  };
  const names = ['@', 'nottwice.example', 'www', ...owners.slice(2, 4), owners[5]!];
  const expected = names.map((name) => (name.endsWith('.') ? `${name}${zone}.` : name)).sort();
  expect(await shown()).toEqual(expected);
  for (const owner of owners) {
    await service.call('DELETE', `/records?zone_name=${zone}&type=TXT&name=${owner}${zone}.`);
  }
  expect(await shown()).toEqual(expected);
});

it('streams versions and diffs of many records', async () => {
  const zone = 'many.example';
  await service.createZone(zone);
  const records = Array.from({ length: 12_000 }, (_, index) => ({
    name: `host${index}`,
    type: 'A',
    value: '192.0.2.1',
  }));
  await service.call('POST', '/records/bulk', { zone_name: zone, records }, 201);
  await service.call('DELETE', `/records?zone_name=${zone}&name=host7`);
  const version = await service.call('GET', `/zones/${zone}/versions/2`);
  expect(version.records).toHaveLength(12_001);
  expect(version.records[1].name).toBe('host0');
  const { diff } = await service.call('GET', `/zones/${zone}/versions/diff?from=1&to=2`);
  expect(diff.entries).toHaveLength(12_000);
  expect(diff.summary).toEqual({ added: 12_000, changed: 0, removed: 0 });
});

interface Entry {
  readonly change: string;
  readonly name: string;
  readonly type: string;
}
const changes = ({ diff }: { diff: { entries: readonly Entry[] } }) =>
  diff.entries.map(({ change, name: owner, type }) => `${change} ${owner.split('.')[0]} ${type}`);

describe('parts', () => {
  it('answers a difference in pages between the same serials, by owner and type, or only its counts', async () => {
    const own = new InProcessService();
    const zone = 'parts.example';
    await makeHistory(own, zone);
    const ask = (query: string) => own.call('GET', `/zones/${zone}/versions/diff?from=1&${query}`);
    const first = await ask('limit=1');
    expect(changes(first)).toEqual(['added text TXT']);
    expect(first).toMatchObject({ next_cursor: null, diff: { summary: { added: 1 } } });
    const to3 = await ask('to=4&limit=1');
    expect(changes(to3)).toEqual(['added text TXT']);
    expect(to3.next_cursor).not.toBeNull();
    const other = { zone_name: zone, name: 'zzz', type: 'A', value: '192.0.2.9' };
    const open = await ask('limit=1');
    await own.call('POST', '/records', other);
    expect(open.next_cursor).toBeNull();
    const rest = await ask(`limit=5&cursor=${to3.next_cursor}`);
    expect(changes(rest)).toEqual(['added www A']);
    expect(rest).toMatchObject({ from_serial: 1, to_serial: 4, next_cursor: null });
    expect(changes(await ask('to=4&name=www'))).toEqual(['added www A']);
    expect(changes(await ask('to=4&type=TXT'))).toEqual(['added text TXT']);
    expect(changes(await ask('to=4&name=www&type=TXT'))).toEqual([]);
    expect((await ask('to=4&summary=true')).diff).toEqual({
      entries: [],
      summary: { added: 2, changed: 0, removed: 0 },
    });
    await own.close();
  });

  it('answers a version in pages, by owner and type, or without its records', async () => {
    const names = (answer: { records: readonly { name: string }[] }) =>
      answer.records.map((record) => record.name);
    const whole = await get('versions/4');
    expect(whole.next_cursor).toBeNull();
    const first = await get('versions/4?limit=2');
    expect(names(first)).toEqual(['@', 'text']);
    const rest = await get(`versions/4?limit=2&cursor=${first.next_cursor}`);
    expect([...first.records, ...rest.records]).toEqual(whole.records);
    expect(rest.next_cursor).toBeNull();
    expect(names(await get('versions/4?name=www'))).toEqual(['www']);
    expect(names(await get('versions/4?type=TXT'))).toEqual(['text']);
    const { version, records } = await get('versions/4?summary=true');
    expect([version, records]).toEqual([whole.version, []]);
  });

  it('refuses cursors that no page gave', async () => {
    for (const path of ['versions/4?limit=2', 'versions/diff?from=1']) {
      for (const cursor of ['', 'x', 'AAE', '!']) {
        const url = `/zones/${name}/${path}&cursor=${encodeURIComponent(cursor)}`;
        await service.refused('GET', url, undefined, 'INVALID_INPUT', 'next_cursor');
      }
    }
  });
});
