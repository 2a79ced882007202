/** What every answer over HTTP has, whatever was asked for; walked over the whole contract. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerHeaders } from '../../src/base/answer-headers.ts';
import { pathParameters, type Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import type { Config } from '../../src/daemon/config.ts';
import { type HttpListener, listenOnNetwork } from '../../src/daemon/http-listeners.ts';
import { createApp } from '../../src/http/app.ts';
import { AdapterDesk } from '../support/adapter-desk.ts';
import { fakeServices } from '../support/fake-services.ts';

const files = /^\/docs/;
let open: HttpListener;
let closed: HttpListener;

beforeAll(async () => {
  const config = { listenAddr: '127.0.0.1', listenPort: 0 } as Config['api'];
  open = await listenOnNetwork(createApp(fakeServices()), config);
  closed = await listenOnNetwork(createApp(fakeServices({ authenticationRequired: true })), config);
});
afterAll(() => Promise.all([open.close(), closed.close()]));

function pathOf(route: Route): string {
  const values: Record<string, string> = { id: '7', serial: '1', file: 'start.js' };
  const inZones = route.path.startsWith('/zones') || route.path.includes('zone_name');
  return pathParameters(route.path).reduce(
    (path, name) => path.replace(`{${name}}`, values[name] ?? (inZones ? 'example.com' : 'x')),
    route.path,
  );
}

/** Headers of a scan that an answer lacks. A page and its files say otherwise where they must. */
function lacking(path: string, headers: Headers): string[] {
  return Object.entries(answerHeaders)
    .filter(([name, value]) => {
      const given = headers.get(name);
      if (files.test(path) && /^(cache-control|content-security-policy)$/i.test(name)) {
        return given === null;
      }
      return given !== value;
    })
    .map(([name]) => name);
}

const tried: [what: string, url: (path: string) => string, init: RequestInit][] = [
  ['as it is', (path) => path, {}],
  ['an unknown parameter', (path) => `${path}?no_such=1`, {}],
  ['a NUL', (path) => `${path}?search=a%00b`, {}],
  ['another type', (path) => path, { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['broken JSON', (path) => path, { body: '{', headers: { 'content-type': 'application/json' } }],
  [
    'another coding',
    (path) => path,
    { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'br' } },
  ],
  ['a method of nobody', (path) => path, { method: 'PATCH' }],
  ['HEAD', (path) => path, { method: 'HEAD' }],
  ['no such path', (path) => `${path}/nothing/here`, {}],
];

describe.each(routes.map((route) => [route.id, route] as const))('%s', (_, route) => {
  it('has the headers of every answer, whatever is wrong', async () => {
    const missing: unknown[] = [];
    for (const via of [open, closed]) {
      for (const [what, url, given] of tried) {
        const method = given.method ?? route.method;
        const { body: wanted, ...rest } = given;
        const example = route.takesBody === 'always' ? JSON.stringify(route.exampleBody) : '';
        const text = method === 'GET' || method === 'HEAD' ? undefined : (wanted ?? example);
        const body = text === '' ? undefined : text;
        const headers = { 'content-type': 'application/json', ...given.headers };
        const path = pathOf(route);
        const init = { ...rest, method, headers, ...(body === undefined ? {} : { body }) };
        const response = await fetch(`${via.url}${url(path)}`, init);
        await response.arrayBuffer();
        const lacks = lacking(path, response.headers);
        if (!response.headers.has('x-request-id')) lacks.push('x-request-id');
        if (lacks.length > 0) missing.push([what, response.status, lacks]);
      }
    }
    expect(missing).toEqual([]);
  });

  it('is the only meaning of its path: other methods are 405 with what it takes', async () => {
    const methods = routes.filter(({ path }) => path === route.path).map(({ method }) => method);
    const allowed = new Set<string>(methods);
    if (allowed.has('GET')) allowed.add('HEAD');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'REPORT']) {
      if (allowed.has(method)) continue;
      const response = await fetch(`${open.url}${pathOf(route)}`, { method });
      await response.arrayBuffer();
      const given = [method, response.status, response.headers.get('allow')];
      expect(given).toEqual([method, 405, [...allowed].sort().join(', ')]);
    }
  });
});

/** What the service says to bytes that are no request it can read. */
function say(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(open.port, '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

it.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a length that is none', 'POST /zones HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  ['a Host that is none', 'GET /zones HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
  ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['an empty Host', 'GET /health HTTP/1.0\r\nHost:\r\n\r\n', 400],
  ['two hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n\r\n', 400],
  ['what nobody can do', 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
  ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
])('what can not be read has them too: %s', async (_, bytes, status) => {
  const text = await say(bytes);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const [head, body] = text.split('\r\n\r\n');
  for (const [name, value] of Object.entries(answerHeaders)) {
    expect(head!.toLowerCase()).toContain(`${name}: ${value}`.toLowerCase());
  }
  expect(JSON.parse(body!)).toMatchObject({ code: 'INVALID_INPUT' });
});

describe('RFC 9112 3.2: a request of HTTP/1.0 needs no Host', () => {
  it.each(['/health', '/metrics', '/zones', '/records?zone_name=example.com', '/nothing'])(
    'so %s is answered as with one',
    async (path) => {
      const [head, body] = (await say(`GET ${path} HTTP/1.0\r\n\r\n`)).split('\r\n\r\n');
      const other = await fetch(open.url + path);
      expect([path, head!.split(' ')[1]]).toEqual([path, String(other.status)]);
      const text = await other.text();
      if (path !== '/metrics') expect(body).toBe(text);
      else expect(body!.split('\n').length).toBe(text.split('\n').length);
      for (const [name, value] of Object.entries(answerHeaders)) {
        expect(head!.toLowerCase()).toContain(`${name}: ${value}`.toLowerCase());
      }
    },
  );

  it('and HEAD as GET, which load balancers ask for health', async () => {
    expect(await say('HEAD /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('but a name in it is judged, and so is what a page sends', async () => {
    const rebound = await say('GET /zones HTTP/1.0\r\nHost: rebound.example\r\n\r\n');
    expect(rebound).toMatch(/^HTTP\/1\.1 403 [\s\S]*api\.host_name/);
    const page = await say('GET /zones HTTP/1.0\r\nOrigin: http://evil.example\r\n\r\n');
    expect(page).toMatch(/^HTTP\/1\.1 403 [\s\S]*foreign/);
  });
});

describe('the adapter for ExternalDNS', () => {
  const desk = new AdapterDesk();
  beforeAll(() => desk.open());
  afterAll(() => desk.close());

  it('has them on every path, method and refusal', async () => {
    const { webhook, probes } = await desk.adapter();
    for (const url of [webhook, probes]) {
      for (const path of ['/', '/records', '/adjustendpoints', '/healthz', '/metrics', '/no']) {
        for (const method of ['GET', 'POST', 'HEAD', 'PATCH']) {
          const response = await fetch(`${url}${path}`, { method });
          await response.arrayBuffer();
          expect([path, method, lacking(path, response.headers)]).toEqual([path, method, []]);
        }
      }
    }
  });
});
