import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { Problem } from '../base/problem.ts';
import { type App, createApp } from './app.ts';

const jsonType = { 'content-type': 'application/json' };

function send(app: App, method: string, path: string, body?: unknown, headers = {}) {
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
    init.headers = { ...jsonType, ...headers };
  }
  return app.request(path, init);
}

async function expectProblem(response: Response, status: number, code: string, says = '') {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  const body = JSON.parse(text);
  expect(Object.keys(body).sort()).toEqual(['code', 'error']);
  expect(body.code).toBe(code);
  expect(body.error).toContain(says);
}

const record = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };

describe('routes', () => {
  const app = createApp(fakeServices());

  it('answers 404 to paths that are none, trailing slashes included', async () => {
    for (const path of ['/', '/zone', '/zones/', '/records/', '/zones/example.com/', '//zones']) {
      await expectProblem(await send(app, 'GET', path), 404, 'ENDPOINT_NOT_FOUND');
    }
  });

  it('answers 405 with Allow to methods that a path does not take', async () => {
    const patch = await send(app, 'PATCH', '/zones/example.com', {});
    expect(patch.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
    await expectProblem(patch, 405, 'METHOD_NOT_ALLOWED');
    const get = await send(app, 'DELETE', '/notify/zones');
    expect(get.headers.get('allow')).toBe('POST');
    const options = await send(app, 'OPTIONS', '/health');
    expect(options.status).toBe(405);
  });

  it('checks route before token', async () => {
    const closed = createApp(fakeServices({ authenticationRequired: true }));
    await expectProblem(await send(closed, 'GET', '/nothing'), 404, 'ENDPOINT_NOT_FOUND');
    await expectProblem(await send(closed, 'PATCH', '/zones'), 405, 'METHOD_NOT_ALLOWED');
  });

  it('serves HEAD like GET, without the body', async () => {
    const response = await send(app, 'HEAD', '/zones/example.com');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('serves metrics and specification only when they are switched on', async () => {
    const off = createApp(fakeServices({ metricsEnabled: false, openapiEnabled: false }));
    for (const path of ['/metrics', '/openapi.json', '/openapi.yaml']) {
      await expectProblem(await send(off, 'GET', path), 404, 'ENDPOINT_NOT_FOUND');
      await expectProblem(await send(off, 'POST', path), 404, 'ENDPOINT_NOT_FOUND');
      expect((await send(app, 'GET', path)).status).toBe(200);
    }
    const document = await jsonOf(send(app, 'GET', '/openapi.json'));
    expect(document.info.version).toBe('1.2.3');
    const metrics = await send(app, 'GET', '/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('zonebook_up 1');
  });

  it('reports health by asking the database', async () => {
    const services = fakeServices({ authenticationRequired: true });
    const probed = createApp(services);
    const healthy = await send(probed, 'GET', '/health');
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'healthy' }]);
    services.broken = new Error('disk I/O error');
    const sick = await send(probed, 'GET', '/health');
    expect([sick.status, await sick.json()]).toEqual([503, { status: 'unhealthy' }]);
  });
});

describe('names in paths', () => {
  const app = createApp(fakeServices());

  it('takes capitals, a trailing dot and percent-encoding', async () => {
    for (const name of ['EXAMPLE.com', 'example.com.', 'ex%61mple.com', '%20example.com']) {
      const response = await send(app, 'GET', `/zones/${name}`);
      expect((await jsonOf(response)).zone.name).toBe('example.com');
    }
  });

  it('takes the slash of an RFC 2317 name as %2F', async () => {
    const response = await send(app, 'GET', '/zones/0%2F25.2.0.192.in-addr.arpa');
    expect((await jsonOf(response)).zone.name).toBe('0/25.2.0.192.in-addr.arpa');
    const plain = await send(app, 'GET', '/zones/0/25.2.0.192.in-addr.arpa');
    await expectProblem(plain, 404, 'ENDPOINT_NOT_FOUND');
    const notify = await send(app, 'POST', '/zones/0%2f25.2.0.192.in-addr.arpa/notify');
    expect(notify.status).toBe(200);
  });

  it('decodes once only, and survives what can not be decoded', async () => {
    const twice = await send(app, 'GET', '/zones/ex%2561mple.com');
    await expectProblem(twice, 404, 'ZONE_NOT_FOUND', 'ex%61mple.com');
    await expectProblem(await send(app, 'GET', '/zones/%zz'), 404, 'ZONE_NOT_FOUND');
    await expectProblem(await send(app, 'GET', '/zones/%ff'), 404, 'ZONE_NOT_FOUND');
  });

  it('takes ids that are int32 only', async () => {
    for (const id of ['abc', '1.0', '2147483648', '0x7', '99999999999', '7%20', 'bulk']) {
      await expectProblem(await send(app, 'GET', `/records/${id}`), 400, 'INVALID_INPUT');
    }
    await expectProblem(await send(app, 'GET', '/records/8'), 404, 'RECORD_NOT_FOUND');
    await expectProblem(await send(app, 'GET', '/records/-1'), 404, 'RECORD_NOT_FOUND');
    expect((await send(app, 'GET', '/records/7')).status).toBe(200);
  });
});

describe('authentication', () => {
  const services = fakeServices({ authenticationRequired: true });
  const app = createApp(services);

  it('refuses requests without a bearer token, and unknown ones', async () => {
    const none = await send(app, 'GET', '/zones');
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    await expectProblem(none, 401, 'UNAUTHORIZED');
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer ', 'token']) {
      const response = await send(app, 'GET', '/zones', undefined, { authorization });
      await expectProblem(response, 401, 'UNAUTHORIZED');
    }
    for (const authorization of ['Bearer abc', 'bearer abc']) {
      const response = await send(app, 'GET', '/zones', undefined, { authorization });
      await expectProblem(response, 401, 'INVALID_TOKEN');
    }
  });

  it('refuses before it looks at media type, body or query', async () => {
    const body = await app.request('/zones?x=1', { method: 'POST', body: 'nonsense' });
    await expectProblem(body, 401, 'UNAUTHORIZED');
  });

  it('leaves the operations of the service itself open', async () => {
    for (const path of ['/health', '/metrics', '/openapi.json', '/openapi.yaml']) {
      expect((await send(app, 'GET', path)).status).toBe(200);
    }
  });

  it('gives the local socket full rights, with cli as source', async () => {
    const init = { method: 'POST', headers: jsonType, body: JSON.stringify(record) };
    const response = await app.request('/records', init, { door: 'local' });
    expect(response.status).toBe(201);
    const { options } = services.submitted[0]!;
    expect(options).toMatchObject({ source: 'cli', actor: null, dryRun: false });
  });

  it('gives everybody full rights when it is switched off, with api as source', async () => {
    const open = fakeServices();
    await send(createApp(open), 'POST', '/records', record);
    expect(open.submitted[0]!.options).toMatchObject({ source: 'api', actor: null });
  });
});

describe('bodies', () => {
  const services = fakeServices();
  const app = createApp(services);

  it('need application/json, whatever its parameters', async () => {
    const text = JSON.stringify(record);
    for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      const response = await send(app, 'POST', '/records', text, { 'content-type': type });
      await expectProblem(response, 415, 'UNSUPPORTED_MEDIA_TYPE', type);
    }
    const bare = new Request('http://localhost/records', {
      method: 'POST',
      body: new Uint8Array(Buffer.from(text)),
    });
    await expectProblem(await app.fetch(bare), 415, 'UNSUPPORTED_MEDIA_TYPE', 'no media type');
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;',
    ]) {
      const response = await send(app, 'POST', '/records', text, { 'content-type': type });
      expect(response.status).toBe(201);
    }
  });

  it('may be missing on any method that needs none, with a JSON type or without', async () => {
    for (const [method, path] of [
      ['GET', '/zones'],
      ['DELETE', '/records/7'],
      ['POST', '/notify'],
      ['POST', '/notify/zones'],
      ['POST', '/zones/example.com/notify'],
    ] as const) {
      const response = await send(app, method, path, undefined, jsonType);
      expect([path, response.status]).toEqual([path, 200]);
      expect((await send(app, method, path)).status).toBe(200);
    }
  });

  it('are refused where none belongs, so that no wish is overlooked', async () => {
    const response = await send(app, 'DELETE', '/records/7', { dry_run: true });
    await expectProblem(response, 400, 'INVALID_JSON_BODY', "unknown field 'dry_run'");
    expect((await send(app, 'DELETE', '/records/7', {})).status).toBe(200);
    const typed = await send(app, 'DELETE', '/records/7', 'x', { 'content-type': 'text/plain' });
    await expectProblem(typed, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('must be JSON objects', async () => {
    for (const text of ['', '{', '[]', '"x"', 'null', '7', '{"a":1,}', '\ufeff{}']) {
      const response = await send(app, 'POST', '/zones', text);
      await expectProblem(response, 400, 'INVALID_JSON_BODY');
    }
    const broken = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
    const init = { method: 'POST', headers: jsonType, body: broken };
    await expectProblem(await app.request('/zones', init), 400, 'INVALID_JSON_BODY', 'UTF-8');
  });

  it('name the field and the rule that was broken', async () => {
    for (const [change, says] of [
      [{ ttl: '300' }, '\'ttl\' must be a whole number, not "300"'],
      [{ ttl: 1.5 }, "'ttl' must be a whole number, not 1.5"],
      [{ dry_run: 'yes' }, "'dry_run' must be true or false"],
      [{ value: 7 }, "'value' must be a string or an array of strings, not 7"],
      [{ value: ['a', 7] }, "'value' must be a string or an array of strings"],
      [{ name: null }, "'name' must be a string, not null"],
      [{ colour: 'red' }, "unknown field 'colour'"],
      [{ record_type: 'A' }, "unknown field 'record_type': use 'type'"],
      [{ constructor: 1 }, "unknown field 'constructor'"],
      [{ type: undefined }, "'type' is required"],
    ] as const) {
      const response = await send(app, 'POST', '/records', { ...record, ...change });
      await expectProblem(response, 400, 'INVALID_JSON_BODY', says);
    }
    const proto = await send(app, 'POST', '/records', '{"__proto__":{},"name":"www"}');
    expect(proto.status).toBe(400);
  });

  it('name the place inside a bulk', async () => {
    const { zone_name, ...input } = record;
    const records = [input, { ...input, record_type: 'A' }];
    const response = await send(app, 'POST', '/records/bulk', { zone_name, records });
    const says = "unknown field 'records.1.record_type': use 'type'";
    await expectProblem(response, 400, 'INVALID_JSON_BODY', says);
  });

  it('take null as not given', async () => {
    const given = { ...record, ttl: null, priority: null, dry_run: null };
    expect((await send(app, 'POST', '/records', given)).status).toBe(201);
    const { command } = services.submitted.at(-1)!;
    expect(command).toEqual({
      kind: 'create-records',
      zoneName: 'example.com',
      records: [
        { name: 'www', type: 'A', value: '192.0.2.1', ttl: undefined, priority: undefined },
      ],
    });
  });

  it('hint at the current names of zones', async () => {
    for (const [old, hint] of [
      ['primary_ns', 'mname'],
      ['admin_email', 'rname'],
      ['ttl', 'default_ttl'],
    ] as const) {
      const body = { name: 'a.example', mname: 'ns.a.example', rname: 'h@a.example', [old]: 'x' };
      const response = await send(app, 'POST', '/zones', body);
      await expectProblem(
        response,
        400,
        'INVALID_JSON_BODY',
        `unknown field '${old}': use '${hint}'`,
      );
    }
  });
});

describe('sizes of bodies', () => {
  const services = fakeServices();
  const app = createApp(services);
  const mebibyte = 1024 * 1024;

  function bulkOf(octets: number) {
    const records = [];
    const { zone_name, ...input } = record;
    const each = JSON.stringify({ ...input, name: 'host-000000' }).length + 1;
    for (let index = 0; index < octets / each; index++) {
      records.push({ ...input, name: `host-${String(index).padStart(6, '0')}` });
    }
    return { zone_name, records };
  }

  it('are limited to 2 MiB, and 32 MiB for bulk', async () => {
    const padding = ' '.repeat(2 * mebibyte);
    const large = await send(app, 'POST', '/records', `${JSON.stringify(record)}${padding}`);
    await expectProblem(large, 413, 'PAYLOAD_TOO_LARGE', String(2 * mebibyte));
    const bulk = await send(app, 'POST', '/records/bulk', ' '.repeat(32 * mebibyte + 1));
    await expectProblem(bulk, 413, 'PAYLOAD_TOO_LARGE', String(32 * mebibyte));
  });

  it('are known from the header before anything is read', async () => {
    const request = new Request('http://localhost/records', {
      method: 'POST',
      headers: { ...jsonType, 'content-length': '99999999' },
    });
    await expectProblem(await app.fetch(request), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('are counted while a body without length arrives', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const init = { method: 'POST', headers: jsonType, body: endless, duplex: 'half' };
    const response = await app.fetch(new Request('http://localhost/records', init as RequestInit));
    await expectProblem(response, 413, 'PAYLOAD_TOO_LARGE');
    expect(sent).toBeLessThan(3 * mebibyte);
  });

  it('above 1 MiB are parsed by the worker, with the same results', async () => {
    const body = bulkOf(3 * mebibyte);
    const response = await send(app, 'POST', '/records/bulk', body);
    expect(response.status).toBe(201);
    const answer = await jsonOf(response);
    expect(answer.added).toBe(body.records.length);
    expect(answer.records).toHaveLength(body.records.length);
    expect(answer.records[5]).toMatchObject({ name: 'host-000005.example.com.', ttl: 3600 });
    expect(answer.diff.summary).toEqual({ added: body.records.length, changed: 0, removed: 0 });
    expect(answer.diff.entries).toHaveLength(body.records.length);
    const command = services.submitted.at(-1)!.command as unknown as { records: unknown[] };
    const { zone_name: _, ...input } = record;
    const plain = { ...input, ttl: undefined, priority: undefined };
    expect(command.records[17]).toEqual({ ...plain, name: 'host-000017' });
  });

  it('above 1 MiB are refused with the same words', async () => {
    const body = bulkOf(2 * mebibyte);
    body.records[9000]!.value = 7 as unknown as string;
    const response = await send(app, 'POST', '/records/bulk', body);
    await expectProblem(
      response,
      400,
      'INVALID_JSON_BODY',
      "'records.9000.value' must be a string",
    );
    const broken = `${JSON.stringify(bulkOf(2 * mebibyte))}}`;
    const second = await send(app, 'POST', '/records/bulk', broken);
    await expectProblem(second, 400, 'INVALID_JSON_BODY', 'is not JSON');
    const one = { ...record, type: 'TXT', value: 'x'.repeat(1.5 * mebibyte) };
    expect((await send(app, 'PUT', '/records/7', { value: one.value })).status).toBe(200);
  });

  it('above 1 MiB may come several at once', async () => {
    const sizes = [1.1, 1.5, 2.2].map((size) => bulkOf(size * mebibyte));
    const responses = await Promise.all(
      sizes.map((body) => send(app, 'POST', '/records/bulk', body)),
    );
    const added = await Promise.all(responses.map(async (one) => (await jsonOf(one)).added));
    expect(added).toEqual(sizes.map((body) => body.records.length));
  });
});

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
      ['name=@', 'INVALID_RECORD_NAME'],
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

describe('answers', () => {
  it('show every field of a zone, a record and a secondary', async () => {
    const app = createApp(fakeServices());
    expect(await jsonOf(send(app, 'GET', '/zones/example.com'))).toEqual({
      zone: {
        id: 1,
        name: 'example.com',
        mname: 'ns1.example.com',
        rname: 'hostmaster@example.com',
        default_ttl: 3600,
        minimum_ttl: 86_400,
        refresh: 300,
        retry: 60,
        expire: 3_600_000,
        serial: 7,
        description: null,
        enabled: true,
      },
    });
    expect(await jsonOf(send(app, 'GET', '/records/7'))).toEqual({
      record: {
        id: 7,
        name: 'example.com.',
        type: 'NS',
        value: 'ns1.example.com.',
        ttl: 3600,
        priority: null,
        zone_id: 1,
        zone_name: 'example.com',
        actions: ['record:read', 'record:update', 'record:delete'],
      },
    });
    expect(await jsonOf(send(app, 'GET', '/secondaries/NS2'))).toEqual({
      secondary: {
        id: 1,
        name: 'ns2',
        address: '192.0.2.53:53',
        enabled: true,
        notify_key_name: null,
        created_at: '2026-01-31T12:00:00.000Z',
      },
    });
  });

  it('say 201 for creates, 200 for dry runs and everything else', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const zone = { name: 'a.example', mname: 'ns.a.example', rname: 'h@a.example' };
    const { zone_name, ...input } = record;
    const bulk = { zone_name, records: [input] };
    for (const [path, body] of [
      ['/zones', zone],
      ['/records', record],
      ['/records/bulk', bulk],
      ['/zones/example.com/records/bulk', { records: [input] }],
    ] as const) {
      const real = await send(app, 'POST', path, body);
      expect([path, real.status]).toEqual([path, 201]);
      expect(await real.json()).toMatchObject({ applied: true, dry_run: false });
      const dry = await send(app, 'POST', path, { ...body, dry_run: true });
      expect(dry.status).toBe(200);
      expect(await dry.json()).toMatchObject({ applied: false, dry_run: true });
      expect(services.submitted.at(-1)!.options.dryRun).toBe(true);
    }
    for (const path of [
      '/zones/example.com',
      '/records/7',
      '/records?zone_name=example.com&name=@',
    ]) {
      const mark = path.includes('?') ? '&' : '?';
      const response = await send(app, 'DELETE', `${path}${mark}dry_run=true`);
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toMatchObject({ applied: false, dry_run: true });
      expect(services.submitted.at(-1)!.options.dryRun).toBe(true);
    }
  });

  it('keep the details of bugs inside and log them', async () => {
    const services = fakeServices();
    services.rejection = new Error('SQLITE_CONSTRAINT: UNIQUE record.id');
    const response = await send(createApp(services), 'POST', '/records', record);
    const text = await response.clone().text();
    expect(text).not.toContain('SQLITE');
    await expectProblem(response, 500, 'INTERNAL');
    const line = services.lines.find(({ event }) => event === 'http.failed');
    expect(line).toMatchObject({ error: 'SQLITE_CONSTRAINT: UNIQUE record.id', route: '/records' });
  });

  it('carry Retry-After where trying again makes sense', async () => {
    const services = fakeServices();
    services.rejection = new Problem('OVERLOADED', 'too many changes are waiting', 1);
    const response = await send(createApp(services), 'POST', '/records', record);
    expect(response.headers.get('retry-after')).toBe('1');
    await expectProblem(response, 503, 'OVERLOADED');
  });

  it('echo a harmless request id and hand it to the engine', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const given = { 'x-request-id': 'abc-123' };
    const response = await send(app, 'POST', '/records', record, given);
    expect(response.headers.get('x-request-id')).toBe('abc-123');
    expect(services.submitted[0]!.options.requestId).toBe('abc-123');
    for (const id of ['a b', 'x'.repeat(129), 'a"b', '']) {
      const made = await send(app, 'GET', '/nothing', undefined, { 'x-request-id': id });
      expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('leave one log line and one count each, with the template as route', async () => {
    const services = fakeServices();
    const app = createApp(services);
    await send(app, 'GET', '/zones/example.com', undefined, { 'x-request-id': 'r1' });
    await send(app, 'GET', '/secret/path');
    await send(app, 'BREW', '/zones');
    expect(services.lines).toHaveLength(3);
    expect(services.lines[0]).toMatchObject({
      event: 'http.request',
      method: 'GET',
      route: '/zones/{name}',
      status: 200,
      requestId: 'r1',
      durationMs: expect.any(Number),
    });
    expect(services.counted).toEqual([
      'GET /zones/{name} 200',
      'GET unmatched 404',
      'OTHER unmatched 405',
    ]);
  });
});

describe('notify', () => {
  it('bumps first when asked to, then waits for the secondaries', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const plain = await send(app, 'POST', '/zones/EXAMPLE.com./notify');
    expect(await plain.json()).toEqual({ message: "NOTIFY sent for zone 'example.com'" });
    expect(services.submitted).toEqual([]);
    await send(app, 'POST', '/zones/example.com/notify?bump_serial=true');
    expect(services.submitted[0]!.command).toEqual({
      kind: 'bump-serial',
      zoneName: 'example.com',
    });
    expect(services.notified).toEqual(['example.com', 'example.com']);
  });

  it('bumps every enabled zone when all are meant', async () => {
    const services = fakeServices();
    const app = createApp(services);
    expect((await send(app, 'POST', '/notify?bump_serial=true')).status).toBe(200);
    expect(
      services.submitted.map(({ command }) => (command as { zoneName: string }).zoneName),
    ).toEqual(['example.com', '0/25.2.0.192.in-addr.arpa']);
    expect(services.notified).toEqual([undefined]);
  });

  it('serves the earlier path with force and zone_name', async () => {
    const services = fakeServices();
    const app = createApp(services);
    await send(app, 'POST', '/notify/zones', { force: true, zone_name: 'example.com' });
    expect(services.submitted).toHaveLength(1);
    await send(app, 'POST', '/notify/zones', { force: false, zone_name: null });
    expect(services.submitted).toHaveLength(1);
    expect(services.notified).toEqual(['example.com', undefined]);
  });

  it('names the secondaries that were not told', async () => {
    const services = fakeServices();
    services.failures.push({ secondary: 'ns2', error: 'no answer' });
    const response = await send(createApp(services), 'POST', '/zones/example.com/notify');
    await expectProblem(response, 500, 'INTERNAL', "'ns2' (no answer)");
  });

  it('refuses disabled and unknown zones, and takes the catalog', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const off = await send(app, 'POST', '/zones/off.example/notify?bump_serial=true');
    await expectProblem(off, 409, 'ZONE_CONFLICT', 'disabled');
    expect(services.submitted).toEqual([]);
    const unknown = await send(app, 'POST', '/zones/nowhere.example/notify');
    await expectProblem(unknown, 404, 'ZONE_NOT_FOUND');
    expect((await send(app, 'POST', '/zones/catalog.invalid/notify')).status).toBe(200);
    expect(services.notified).toEqual(['catalog.invalid']);
  });
});

describe('secondaries', () => {
  it('pass the empty key name on', async () => {
    const services = fakeServices();
    await send(createApp(services), 'PUT', '/secondaries/ns2', { notify_key_name: '' });
    expect(services.submitted[0]!.command).toMatchObject({ name: 'ns2', notifyKeyName: '' });
  });
});
