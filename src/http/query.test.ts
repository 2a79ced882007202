import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { expectProblem, send } from '../../spec/support/http-door.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { createApp } from './app.ts';

describe('queries', () => {
  const app = createApp(fakeServices());

  it('refuse unknown and repeated parameters by name', async () => {
    await expectProblem(
      await send(app, 'GET', '/zones?colour=red'),
      400,
      'INVALID_INPUT',
      "'colour'",
    );
    const twice = await send(app, 'GET', '/zones?name=a&name=b');
    await expectProblem(twice, 400, 'INVALID_INPUT', "'name' is given more than once");
    const old = await send(app, 'GET', '/records?record_type=A');
    await expectProblem(old, 400, 'INVALID_INPUT', "'record_type': use 'type'");
    const filter = '/records?zone_name=example.com&name=www&record_type=A';
    await expectProblem(await send(app, 'DELETE', filter), 400, 'INVALID_INPUT', "use 'type'");
    const gone = await send(app, 'GET', '/zones/example.com?records=true');
    await expectProblem(gone, 400, 'INVALID_INPUT', 'GET /records?zone_name=');
    const proto = await send(app, 'GET', '/zones?__proto__=1');
    await expectProblem(proto, 400, 'INVALID_INPUT', '__proto__');
  });

  it('take strict integers, booleans, times and pages only', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=',
      'limit=1e2',
      'limit=0x10',
      'limit=%2010',
      'limit=1.0',
      'limit=+5',
      'offset=-1',
      'offset=x',
      'offset=9223372036854775808',
      'offset=99999999999999999999',
      'default_ttl=abc',
      'id=2147483648',
      'serial=-1',
      'signed=1',
      'signed=TRUE',
      'signed=',
      'enabled=yes',
      'sort=colour',
      'order=up',
      'order=ASC',
      'created_after=yesterday',
      'created_after=2026-01-31',
      'created_before=2026-13-01T00:00:00Z',
      'created_before=2026-02-30T00:00:00Z',
      'created_before=2026-01-31T24:00:00Z',
    ]) {
      const response = await send(app, 'GET', `/zones?${query}`);
      const name = query.slice(0, query.indexOf('='));
      await expectProblem(response, 400, 'INVALID_INPUT', `'${name}'`);
    }
    for (const query of [
      'limit=1',
      'limit=1000',
      'offset=0',
      'offset=9007199254740991',
      'offset=9223372036854775807',
      'id=-5',
      'signed=false',
      'created_after=2026-01-31T12:00:00%2B02:00',
      'sort=serial&order=desc',
      'search=',
      'name=',
    ]) {
      expect([query, (await send(app, 'GET', `/zones?${query}`)).status]).toEqual([query, 200]);
    }
  });

  it('show the page that was asked for', async () => {
    const { pagination } = await jsonOf(send(app, 'GET', '/records?limit=7&offset=3'));
    expect(pagination).toEqual({ limit: 7, offset: 3, total: 1 });
    const plain = await jsonOf(send(app, 'GET', '/secondaries'));
    expect(plain.pagination).toEqual({ limit: 50, offset: 0, total: 1 });
  });

  it('of records follow the rules of signed, value and type', async () => {
    for (const [query, code] of [
      ['signed=true', 'INVALID_INPUT'],
      ['signed=true&zone_name=example.com&value=x', 'INVALID_INPUT'],
      ['type=BOGUS', 'INVALID_INPUT'],
      ['type=SOA', 'INVALID_INPUT'],
      ['type=RRSIG', 'INVALID_INPUT'],
      ['type=', 'INVALID_INPUT'],
      ['name=a..b', 'INVALID_RECORD_NAME'],
      ['zone_name=example.com&name=www.other.org.', 'INVALID_RECORD_NAME'],
    ] as const) {
      await expectProblem(await send(app, 'GET', `/records?${query}`), 400, code);
    }
    const signed = await send(app, 'GET', '/records?signed=true&zone_name=example.com&type=RRSIG');
    expect(signed.status).toBe(200);
    const unknown = await send(app, 'GET', '/records?zone_name=nowhere.example');
    await expectProblem(unknown, 404, 'ZONE_NOT_FOUND', 'nowhere.example');
  });

  it('of deletes need what narrows them', async () => {
    for (const query of ['', '?zone_name=example.com', '?name=www']) {
      const response = await send(app, 'DELETE', `/records${query}`);
      await expectProblem(response, 400, 'INVALID_INPUT', 'is required');
    }
    const untyped = await send(app, 'DELETE', '/records?zone_name=example.com&name=www&value=x');
    await expectProblem(untyped, 400, 'INVALID_INPUT', "needs 'type'");
  });
});
