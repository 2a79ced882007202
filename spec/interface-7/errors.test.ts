/** Clause 7: everything that is wrong with a body is told at once, each with its place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;

beforeAll(async () => {
  service = new InProcessService();
  await service.createZone('z.example');
  await service.call('POST', '/roles', { name: 'reader' }, 201);
});
afterAll(() => service.close());

/** The places and codes of what is wrong, and the first message. */
async function wrong(method: string, path: string, body: unknown): Promise<Json> {
  const answer = await service.fetch(method, path, body as object);
  const { error, code, errors } = (await answer.json()) as Json;
  expect(errors[0]).toMatchObject({ code });
  expect(error).toContain(errors[0].message);
  for (const each of errors) expect(valueAt(body, each.pointer)).toBe(true);
  return errors.map(({ pointer, code: each }: Json) => `${pointer} ${each}`);
}

/** True when the pointer leads to a value of the body, or to a field that an object of it lacks (RFC 6901 4). */
function valueAt(body: unknown, pointer: string): boolean {
  const parts = pointer.split('/').slice(1);
  let at: Json = body;
  for (const part of parts.slice(0, -1))
    at = at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return typeof at === 'object' && at !== null;
}

const record = (name: string, type: string, value: string, more: object = {}) => ({
  name,
  type,
  value,
  ...more,
});

describe('the shape of a body', () => {
  it('names what is unknown, missing and of another type', async () => {
    const body = { 'a/b~c': 1, zone_name: 5, name: 'www', type: 'A', ttl: 'x' };
    expect(await wrong('POST', '/records', body)).toEqual([
      '/a~1b~0c INVALID_JSON_BODY',
      '/zone_name INVALID_JSON_BODY',
      '/value INVALID_JSON_BODY',
      '/ttl INVALID_JSON_BODY',
    ]);
  });

  it('names items of lists', async () => {
    const records = [record('a', 'A', '192.0.2.1'), { name: 1, type: 'A' }, 'text'];
    const found = await wrong('POST', '/records/bulk', { zone_name: 'z.example', records });
    expect(found).toEqual(
      expect.arrayContaining([
        '/records/1/name INVALID_JSON_BODY',
        '/records/1/value INVALID_JSON_BODY',
        '/records/2 INVALID_JSON_BODY',
      ]),
    );
  });

  it('tells a hundred at most', async () => {
    const records = Array.from({ length: 500 }, () => ({ name: 1 }));
    const found = await wrong('POST', '/records/bulk', { zone_name: 'z.example', records });
    expect(found).toHaveLength(limits.reportedErrors);
  });
});

describe('the fields', () => {
  it('of a zone', async () => {
    const body = { name: 'a b', mname: 'n s', rname: 'nobody', refresh: -1, description: 'x' };
    const places = ['/name', '/mname', '/rname', '/refresh'];
    expect(await wrong('POST', '/zones', body)).toEqual(
      places.map((each) => `${each} INVALID_ZONE_FIELD`),
    );
    const change = {
      mname: 'n s',
      retry: 0,
      guard: { max_delete_percent: 500, locked_until: 'x' },
    };
    expect(await wrong('PUT', '/zones/z.example', change)).toEqual(
      ['/mname', '/retry', '/guard/max_delete_percent', '/guard/locked_until'].map(
        (each) => `${each} INVALID_ZONE_FIELD`,
      ),
    );
  });

  it('of a record', async () => {
    const body = { zone_name: 'z.example', ...record('..', 'A', '192.0.2.300', { ttl: -1 }) };
    expect(await wrong('POST', '/records', body)).toEqual([
      '/name INVALID_RECORD_NAME',
      '/value INVALID_RECORD_VALUE',
      '/ttl INVALID_RECORD_VALUE',
    ]);
    const { record: made } = await service.call(
      'POST',
      '/records',
      { zone_name: 'z.example', ...record('www', 'A', '192.0.2.1') },
      201,
    );
    expect(await wrong('PUT', `/records/${made.id}`, { name: '..', ttl: -1 })).toEqual([
      '/name INVALID_RECORD_NAME',
      '/ttl INVALID_RECORD_VALUE',
    ]);
  });

  it.each([
    ['/secondaries', { name: 'a b', address: 'x y' }, ['/name', '/address']],
    ['/roles', { name: 'a b', description: 'x'.repeat(5000) }, ['/name', '/description']],
    [
      '/tokens',
      { name: 'self', role_name: 'reader', expires_in_days: 0 },
      ['/name', '/expires_in_days'],
    ],
    [
      '/tsig-keys',
      { name: '..', role_name: 'reader', algorithm: 'md4', secret: 'QUJD' },
      ['/name', '/algorithm', '/secret'],
    ],
    [
      '/roles/reader/grants',
      { actions: ['fly'], record_name_pattern: '..', record_types: 'NONE' },
      ['/actions', '/record_name_pattern', '/record_types'],
    ],
    [
      '/dnssec-policies',
      { name: 'a b', algorithm: 'x', denial: 'y', signature_validity_days: 100_000 },
      ['/name', '/algorithm', '/denial', '/signature_validity_days'],
    ],
    [
      '/webhooks',
      { name: 'a b', url: 'x', filter: { type: 'NO NE' } },
      ['/name', '/url', '/filter/type'],
    ],
  ])('of %s', async (path, body, places) => {
    expect(await wrong('POST', path, body)).toEqual(places.map((each) => `${each} INVALID_INPUT`));
  });
});

describe('the items', () => {
  it('of a bulk insert, also of one that is read beside the main thread', async () => {
    const good = record('a', 'A', '192.0.2.1');
    const bad = [record('b', 'A', 'x'), record('..', 'NONE', 'x')];
    const expected = (first: number) => [
      `/records/${first}/value INVALID_RECORD_VALUE`,
      `/records/${first + 1}/type INVALID_RECORD_VALUE`,
      `/records/${first + 1}/name INVALID_RECORD_NAME`,
    ];
    for (const count of [1, 40_000]) {
      const records = [...Array.from({ length: count }, () => good), ...bad, good];
      const found = await wrong('POST', '/records/bulk', { zone_name: 'z.example', records });
      expect(found).toEqual(expected(count));
    }
  });

  it('of changes of several zones', async () => {
    await service.createZone('y.example');
    const zones = [
      {
        name: 'z.example',
        delete: [{ name: '..' }],
        set: [{ name: 'a', type: 'A', values: ['x', 'y'] }],
      },
      { name: 'y.example', add: [{ name: 'a', type: 'A', ttl: -1, values: [] }] },
    ];
    expect(await wrong('POST', '/changes', { zones })).toEqual([
      '/zones/0/delete/0/name INVALID_RECORD_NAME',
      '/zones/0/set/0/values/0 INVALID_RECORD_VALUE',
      '/zones/0/set/0/values/1 INVALID_RECORD_VALUE',
      '/zones/1/add/0/values INVALID_RECORD_VALUE',
    ]);
  });

  it('of a call of the external DNS controller', async () => {
    const records = [
      { name: 'a.z.example', type: 'A', values: ['192.0.2.1'] },
      { name: 'b.z.example', type: 'MX', values: ['x'] },
    ];
    const answer = await service.fetch('POST', '/external-dns/adjust', { records });
    expect(((await answer.json()) as Json).errors).toMatchObject([
      { pointer: '/records/1', list: 'records', index: 1 },
    ]);
  });
});

it('leaves out what no field of the body is to blame for', async () => {
  const body = { zone_name: 'none.example', ...record('a', 'A', '192.0.2.1') };
  const answer = await service.fetch('POST', '/records', body);
  expect(Object.keys((await answer.json()) as object)).toEqual(['error', 'code']);
});
