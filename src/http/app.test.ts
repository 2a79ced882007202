import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { expectProblem, jsonType, record, send } from '../../spec/support/http-door.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { Problem } from '../base/problem.ts';
import { StorageProblem } from '../base/storage-problem.ts';
import { createApp } from './app.ts';

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

  it('tells what is the matter with the storage to those who may know it', async () => {
    const storage = { problem: new StorageProblem('full'), reportRead: () => true };
    const probed = createApp({ ...fakeServices({ authenticationRequired: true }), storage });
    const ask = async (headers: Record<string, string>, via: 'local' | 'network' = 'network') =>
      (await probed.request('/health', { headers }, { via })).json();
    expect(await ask({})).toEqual({ status: 'unhealthy' });
    expect(await ask({ authorization: 'Bearer zb_unknown' })).toEqual({ status: 'unhealthy' });
    expect(await ask({}, 'local')).toEqual({
      status: 'unhealthy',
      storage: 'full',
      reason: 'the disk of the database is full',
      what_to_do: expect.stringContaining('make room'),
    });
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
    for (const id of ['abc', '1.0', '2147483648', '0x7', '99999999999', '7%20', 'bulk7']) {
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
    const response = await app.request('/records', init, { via: 'local' });
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
        guard: null,
      },
      signed: false,
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

  it('echo a harmless request id and hand it to the writer', async () => {
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
