/**
 * Rights that go while the body of a request is still coming count no more, on every route of the contract: the
 * service has admitted the sender by its head and asks for the body (RFC 9110 10.1.1), then what it was
 * admitted by is taken away, and only then the body comes.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { callLocally, headOf, RawConnection, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';
import { rows } from './rows.ts';

const zone = 'right.example';
const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };

let service: RunningService;
let recordId: number;

beforeAll(async () => {
  service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_API_AUTH_FAILURES_PER_MINUTE: '0',
    ZONEBOOK_API_OPENAPI_ENABLED: 'true',
    ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
    ZONEBOOK_LOGGING_LEVEL: 'warn',
  });
  await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
  const record = { zone_name: zone, name: 'www', type: 'A', value: '192.0.2.1' };
  recordId = (await callLocally(service, 'POST', '/records', record)).record.id;
});
afterAll(() => service[Symbol.asyncDispose]());

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly token: string;
}

/** What a request is answered when something happens between its head and its body. */
async function answerAround({ method, path, body, token }: Asked, happens: () => Promise<unknown>) {
  const connection = new RawConnection(service.apiPort);
  const text = JSON.stringify(body);
  const more = ['Expect: 100-continue'];
  connection.write(headOf(method, path, { token, length: Buffer.byteLength(text), more }));
  const asked = await connection.answer();
  expect({ method, path, status: asked?.status, text: asked?.text }).toMatchObject({ status: 100 });
  await happens();
  connection.write(text);
  const answer = await connection.answer();
  connection.end();
  const code = answer?.text.startsWith('{') ? JSON.parse(answer.text).code : undefined;
  return { status: answer?.status, code, text: answer?.text };
}

function requestOf(route: Route): Omit<Asked, 'token'> {
  const fixture = { service: undefined as never, recordId, grantId: 1 };
  const row = rows[route.id]!;
  const template = route.path.replace('{id}', String(recordId));
  const path = row.path?.(fixture) ?? template.replace(/\{(name|zone_name)\}/, zone);
  const needed = route.takesBody === 'always' ? (route.exampleBody as object) : {};
  return { method: route.method, path, body: row.body ?? needed };
}

it('a token that is deleted meanwhile is INVALID_TOKEN, whatever it asks for', async () => {
  for (const route of routes.filter(({ admission }) => admission.by !== 'anyone')) {
    const token = await tokenOf(service, 'leaving');
    const leave = () => callLocally(service, 'DELETE', '/tokens/leaving');
    const { status, code } = await answerAround({ ...requestOf(route), token }, leave);
    expect({ route: route.id, status, code }).toEqual({
      route: route.id,
      status: 401,
      code: 'INVALID_TOKEN',
    });
  }
});

const reads: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', `/zones/${zone}/diff`, { content: '' }],
  ['GET', `/zones/${zone}/export`, {}],
  ['GET', `/records?zone_name=${zone}`, {}],
  ['GET', `/zones/${zone}`, {}],
  ['GET', `/zones/${zone}/history`, {}],
];

it('a grant that is revoked meanwhile leaves nothing to read', async () => {
  for (const [index, [method, path, body]] of reads.entries()) {
    const name = `reader-${index}`;
    const actions = ['zone:read', 'record:read'];
    const token = await tokenOf(service, name, [{ zone_name: zone, actions }]);
    const { items } = await callLocally(service, 'GET', `/roles/${name}/grants`);
    const revoke = () => callLocally(service, 'DELETE', `/roles/${name}/grants/${items[0].id}`);
    const request = { method, path, body, token };
    expect({ path, ...(await answerAround(request, async () => {})) }).toMatchObject({
      path,
      status: 200,
    });
    expect({ path, ...(await answerAround(request, revoke)) }).toMatchObject({
      path,
      status: 404,
      code: 'ZONE_NOT_FOUND',
    });
  }
});
