/**
 * Nobody is read from who may not do what it asks for: only the head of each request is sent here, with a
 * body of 95 MB announced, and the answer comes all the same. Every route of the contract, every kind of caller.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { callLocally, headOf, RawConnection, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Fixture, lesserCallers, rows } from './rows.ts';

const announced = 95_000_000;
const recordActions = ['record:read', 'record:create', 'record:update', 'record:delete'];
const zoneActions = ['zone:read', 'zone:update', 'zone:delete', 'zone:transfer'];
const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };

let service: RunningService;
let fixture: Fixture;
const secrets: Record<string, string | undefined> = { none: undefined, wrong: 'zb_wrong' };

beforeAll(async () => {
  service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_API_OPENAPI_ENABLED: 'true',
    ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
    ZONEBOOK_LOGGING_LEVEL: 'warn',
  });
  const local = (path: string, body: object) => callLocally(service, 'POST', path, body);
  for (const name of ['right.example', 'wrong.example', 'gone.example']) {
    await local('/zones', { name, ...soa });
  }
  await callLocally(service, 'DELETE', '/zones/gone.example');
  const www = { zone_name: 'right.example', name: 'www', type: 'A', value: '192.0.2.1' };
  const { record } = await local('/records', www);
  await local('/secondaries', { name: 'ns2', address: '192.0.2.53' });
  secrets.empty = await tokenOf(service, 'empty', []);
  const limited = { zone_name: 'right.example', actions: recordActions };
  const wrong = { zone_name: 'wrong.example', actions: [...zoneActions, ...recordActions] };
  secrets.elsewhere = await tokenOf(service, 'elsewhere', [wrong]);
  secrets.nameLimited = await tokenOf(service, 'named', [
    { ...limited, record_name_pattern: 'other' },
  ]);
  secrets.typeLimited = await tokenOf(service, 'typed', [{ ...limited, record_types: 'TXT' }]);
  secrets.admin = await tokenOf(service, 'full');
  fixture = { service: undefined as never, recordId: record.id, grantId: 1 };
});
afterAll(() => service[Symbol.asyncDispose]());

function pathOf(route: Route): string {
  const template = route.path
    .replace('{id}', String(fixture.recordId))
    .replace(/\{(name|zone_name)\}/, 'right.example');
  return rows[route.id]?.path?.(fixture) ?? template;
}

/** The answer to a head alone; the rest is never sent. */
async function answerTo(route: Route, caller: string, how: 'length' | 'continue' | 'chunked') {
  const connection = new RawConnection(service.apiPort);
  const length = how === 'chunked' ? ('chunked' as const) : announced;
  const more = how === 'continue' ? ['Expect: 100-continue'] : [];
  connection.write(headOf(route.method, pathOf(route), { token: secrets[caller], length, more }));
  const answer = await connection.answer();
  connection.end();
  const code = answer?.text.startsWith('{') ? JSON.parse(answer.text).code : undefined;
  return { status: answer?.status, code, closes: answer?.head.includes('connection: close') };
}

/** What a lesser caller is told by the table of all operations; undefined where it is served. */
function problemOf(route: Route, caller: (typeof lesserCallers)[number]) {
  const { others } = rows[route.id]!;
  if (typeof others === 'string') return undefined;
  const [status, code] = Array.isArray(others[caller]) ? others[caller] : [0, ''];
  return code === '' ? undefined : { status, code };
}

const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
const needsToken = routes.filter(({ admission }) => admission.by !== 'anyone');

describe.each(['length', 'continue'] as const)('a body that is announced by %s', (how) => {
  it('is not waited for when the caller has no token, a wrong one or no grants', async () => {
    for (const route of needsToken) {
      const told = { route: route.id, closes: true };
      const none = await answerTo(route, 'none', how);
      expect({ route: route.id, ...none }).toEqual({ ...told, status: 401, code: 'UNAUTHORIZED' });
      const wrong = await answerTo(route, 'wrong', how);
      expect({ route: route.id, ...wrong }).toEqual({
        ...told,
        status: 401,
        code: 'INVALID_TOKEN',
      });
      const empty = { route: route.id, ...(await answerTo(route, 'empty', how)) };
      const expected = problemOf(route, 'empty');
      if (expected !== undefined) expect(empty).toEqual({ ...told, ...expected });
      // It lists nothing, or spells names: there a body is too large, or too large for it.
      else expect([403, 413]).toContain(empty.status);
    }
  });

  it('is not waited for when path and query tell that the caller may not', async () => {
    for (const route of needsToken) {
      for (const caller of lesserCallers) {
        const expected = problemOf(route, caller);
        const isToldLater = ['body', 'token', 'record-ever', 'event'].includes(route.admission.by);
        if (expected === undefined || (isToldLater && caller !== 'empty')) continue;
        const { status, code } = await answerTo(route, caller, how);
        // Which names and types are to be made stands in the body.
        if (['createRecordsInZone', 'applyDesired'].includes(route.id) && status === 413) continue;
        const told = { route: route.id, caller };
        expect({ ...told, status, code }).toEqual({ ...told, ...expected });
      }
    }
  });

  it('is refused by its size on all other routes, whoever asks', async () => {
    for (const route of routes.filter(({ bodyLimit }) => bodyLimit !== 'import')) {
      const answer = await answerTo(route, 'admin', how);
      expect({ route: route.id, ...answer }).toEqual({
        route: route.id,
        closes: true,
        ...tooLarge,
      });
    }
  });
});

it('a body of unknown length is not waited for either', async () => {
  for (const route of needsToken) {
    expect((await answerTo(route, 'none', 'chunked')).status).toBe(401);
    const expected = problemOf(route, 'empty');
    if (expected === undefined) continue;
    expect(await answerTo(route, 'empty', 'chunked')).toMatchObject(expected);
  }
});

it('who may go on is told to, and then read from', async () => {
  const connection = new RawConnection(service.apiPort);
  const body = JSON.stringify({ content: '@ 60 IN NS ns.test.\n', mode: 'append' });
  const more = ['Expect: 100-continue'];
  const head = { token: secrets.admin, length: body.length, more };
  connection.write(headOf('POST', '/zones/right.example/import', head));
  expect((await connection.answer())?.status).toBe(100);
  connection.write(body);
  expect((await connection.answer())?.status).toBe(200);
  connection.end();
});

it('a caller that holds the action nowhere is read a small body from, to be told rightly', async () => {
  const token = await tokenOf(service, 'reader', [
    { zone_name: 'wrong.example', actions: ['zone:read'] },
  ]);
  const told = async (zone_name: string, padding = 0) => {
    const record = { zone_name, name: 'www', type: 'A', value: '192.0.2.1' };
    const body = JSON.stringify(record) + ' '.repeat(padding);
    const connection = new RawConnection(service.apiPort);
    connection.write(headOf('POST', '/records', { token, length: body.length }) + body);
    const answer = await connection.answer();
    connection.end();
    return [answer?.status, JSON.parse(answer!.text).code];
  };
  expect(await told('wrong.example')).toEqual([403, 'FORBIDDEN']);
  expect(await told('right.example')).toEqual([404, 'ZONE_NOT_FOUND']);
  expect(await told('missing.example')).toEqual([404, 'ZONE_NOT_FOUND']);
  expect(await told('right.example', limits.smallBodyBytes)).toEqual([403, 'FORBIDDEN']);
});

it('an answer reaches a client that goes on sending what nobody reads', async () => {
  const connection = new RawConnection(service.apiPort);
  const head = { token: secrets.empty, length: announced };
  connection.write(headOf('POST', '/zones/right.example/import', head));
  const piece = Buffer.alloc(1_000_000, 0x20);
  for (let sent = 0; sent < 20; sent++) connection.write(piece);
  expect((await connection.answer())?.status).toBe(404);
  await connection.closed;
});
