/**
 * RFC 9110 13.1.1: a write whose If-Match does not hold is not made. Every route of the contract that writes compares
 * it, or refuses a request that has it; none makes the write as though nothing had been asked.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';
import { type Fixture, rows } from '../interface-5/rows.ts';

let service: InProcessService;
let fixture: Fixture;
const zone = 'right.example';

beforeAll(async () => {
  service = new InProcessService();
  for (const name of [zone, 'wrong.example', 'gone.example']) await service.createZone(name);
  await service.call('DELETE', '/zones/gone.example');
  // Events are named by their numbers there: this is the seventh.
  const www = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
  const { record } = await service.call('POST', '/records', www);
  await service.call('POST', `/zones/${zone}/tags`, { name: 'first' });
  fixture = { service, recordId: record.id, grantId: 1 };
});
afterAll(() => service.close());

async function ask(method: string, path: string, ifMatch: string, body?: object) {
  const headers: Record<string, string> = { 'if-match': ifMatch };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await service.request(path, { method, headers, ...payload });
  const { code, error, applied } = await jsonOf(answer);
  return { status: answer.status, code, error, applied };
}

const writes = routes.filter(({ method }) => method !== 'GET');

describe.each(['"999-9"', '*'])('If-Match: %s', (ifMatch) => {
  const refused = writes.filter(({ conditional }) => ifMatch !== '*' || !conditional);

  it('is compared by every write, or refused with what to do', async () => {
    const events = service.events();
    for (const route of refused) {
      const row = rows[route.id]!;
      const template = route.path.replace('{id}', String(fixture.recordId));
      const path = row.path?.(fixture) ?? template.replace(/\{(name|zone_name)\}/, zone);
      const needed = route.takesBody === 'always' ? (route.exampleBody as object) : undefined;
      const { status, code, error } = await ask(route.method, path, ifMatch, row.body ?? needed);
      const told = { id: route.id, status, code, error };
      if (route.conditional) {
        expect(told).toMatchObject({ id: route.id, status: 412, code: 'PRECONDITION_FAILED' });
      } else {
        const rule = expect.stringMatching(
          /^If-Match is not for .*: (leave it out|.* is compared)$/,
        );
        expect(told).toEqual({ id: route.id, status: 400, code: 'INVALID_INPUT', error: rule });
      }
    }
    expect(service.events()).toBe(events);
  });
});

it('changes of several zones name what is compared instead', async () => {
  const { error } = await ask('POST', '/changes', '*', { zones: [] });
  expect(error).toBe(
    "If-Match is not for POST /changes: 'if_match' of each zone in the body is compared",
  );
  const external = await ask('POST', '/external-dns/changes', '"1-1"', {});
  expect(external.error).toContain("POST /changes 'if_match'");
});

describe('* asks for a zone that is there', () => {
  const soa =
    '@ 60 IN SOA ns1.example.net. h.example.net. 5 300 60 3600000 300\n@ 60 IN NS ns1.test.\n';
  const many = Array.from({ length: 4000 }, (_, i) => `k${i} 60 IN A 10.0.${i >> 8}.${i & 255}\n`);

  it.each([
    ['small', soa],
    ['large', soa + many.join('')],
  ])('also where an import would make it, of a %s file', async (size, content) => {
    const body = { create: true, content };
    for (const dry_run of [true, false]) {
      const path = `/zones/${size}.example/import`;
      expect(await ask('POST', path, '*', { ...body, dry_run })).toMatchObject({
        status: 412,
        code: 'PRECONDITION_FAILED',
      });
    }
    expect((await service.fetch('GET', `/zones/${size}.example`)).status).toBe(404);
    expect(await ask('POST', `/zones/${zone}/import`, '*', body)).toMatchObject({
      status: 200,
      applied: true,
    });
  });

  it('and is met by that in changes, too', async () => {
    const change = (name: string) => ({
      zones: [{ name, if_match: '*', add: [{ name: 'x', type: 'A', values: ['192.0.2.7'] }] }],
    });
    await service.call('POST', '/changes', change(zone));
    await service.call('POST', '/changes', change('none.example'), 404);
  });
});
