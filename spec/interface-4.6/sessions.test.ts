import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { Problem } from '../../src/base/problem.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
let admin: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  admin = await service.tokenOf('boss', 'admin');
  await service.createZone('example.com');
});
afterAll(() => service.close());

const hourMs = 3_600_000;
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** Sends what a browser would; the cookie is its own. */
async function browse(
  method: string,
  path: string,
  cookie: string | undefined,
  body?: object,
  headers: Record<string, string> = sameOrigin,
) {
  const init: RequestInit = { method, headers: { ...headers } };
  const sent = init.headers as Record<string, string>;
  if (cookie !== undefined) sent.cookie = `theme=dark; ${cookie}`;
  if (body !== undefined) {
    sent['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await service.request(path, init);
  const set = response.headers.get('set-cookie');
  return { status: response.status, set, body: await jsonOf(response) };
}

async function logIn(given: object): Promise<string> {
  const { status, set } = await browse('POST', '/session', undefined, given);
  expect(status).toBe(201);
  return set!.split(';')[0]!;
}

it('are opened with a token, by a cookie that only this host gets and no script reads', async () => {
  const { status, set, body } = await browse('POST', '/session', undefined, { token: admin });
  expect(status).toBe(201);
  expect(set).toMatch(/^__Host-zonebook=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect(body.session).toMatchObject({ token_name: 'boss', user: null });
  expect(JSON.stringify(body)).not.toContain(set!.slice('__Host-zonebook='.length).split(';')[0]);
  const own = await browse('GET', '/session', set!.split(';')[0]);
  expect(own.body).toMatchObject({
    session: { id: body.session.id, token_name: 'boss' },
    token: { name: 'boss', role_name: 'admin' },
  });
  expect((await service.call('GET', '/session', undefined, 200, admin)).session).toBeNull();
});

it('act as their token, in what they may do and in the journal', async () => {
  const grants = [{ actions: ['zone:read', 'record:read'], zone_name: 'example.com' }];
  const reader = await logIn({ token: await service.tokenOf('reader', grants) });
  expect((await browse('GET', '/zones', reader)).body.pagination.total).toBe(1);
  const refused = await browse('POST', '/zones/example.com/serial', reader, {});
  expect([refused.status, refused.body.code]).not.toContain(200);
  const boss = await logIn({ token: admin });
  const record = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };
  expect((await browse('POST', '/records', boss, record)).status).toBe(201);
  const { items } = await service.call('GET', '/events?limit=1', undefined, 200, admin);
  expect(items[0]).toMatchObject({ actor: { kind: 'token', name: 'boss' }, source: 'api' });
});

it('write only for pages of this service', async () => {
  const cookie = await logIn({ token: admin });
  const record = { zone_name: 'example.com', name: 'csrf', type: 'A', value: '192.0.2.66' };
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example', host: 'dns.example.net' },
    {},
  ];
  for (const headers of foreign) {
    const { status, body } = await browse('POST', '/records', cookie, record, headers);
    expect([headers, status, body.code]).toEqual([headers, 401, 'UNAUTHORIZED']);
  }
  const own = { origin: 'https://dns.example.net', host: 'dns.example.net' };
  expect((await browse('POST', '/records', cookie, record, own)).status).toBe(201);
  // What a person opens by hand only reads.
  const opened = await browse('GET', '/zones', cookie, undefined, { 'sec-fetch-site': 'none' });
  expect(opened.status).toBe(200);
  const linked = await browse('GET', '/zones', cookie, undefined, foreign[0]);
  expect(linked.status).toBe(401);
});

it('are not opened by another site', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  const { status, body } = await browse('POST', '/session', undefined, { token: admin }, headers);
  expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
});

it('are refused alike for an unknown and an expired token, whatever was wrong', async () => {
  const short = await service.tokenOf('short', 'admin', { expires_in_days: 1 });
  service.pass(24 * hourMs);
  const given = [{ token: 'zb_unknown' }, { token: short }, { code: 'never-made' }];
  const answers = await Promise.all(
    given.map((each) => browse('POST', '/session', undefined, each)),
  );
  for (const { status, body, set } of answers) {
    expect([status, body.code, body.error, set]).toEqual([
      401,
      'INVALID_TOKEN',
      'the token is unknown or has expired',
      null,
    ]);
  }
  for (const bad of [{}, { token: 'a', code: 'b' }]) {
    expect((await browse('POST', '/session', undefined, bad)).body.code).toBe('INVALID_INPUT');
  }
});

it('are not guessed: failures are counted by address, valid tokens are not', async () => {
  const limited = new InProcessService({ authenticationRequired: true, authFailuresPerMinute: 3 });
  try {
    const token = await limited.tokenOf('boss', 'admin');
    const answered: string[] = [];
    for (const guess of ['zb_1', 'zb_2', 'zb_3', 'zb_4']) {
      const body = await limited.fetch('POST', '/session', { token: guess }).then(jsonOf);
      answered.push(body.code);
    }
    expect(answered.at(-1)).toBe('RATE_LIMITED');
    await limited.call('POST', '/session', { token }, 201);
  } finally {
    await limited.close();
  }
});

it('end when they log out, and take the cookie away', async () => {
  const cookie = await logIn({ token: admin });
  const { status, set } = await browse('DELETE', '/session', cookie);
  expect([status, set]).toEqual([
    200,
    '__Host-zonebook=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
  ]);
  expect((await browse('GET', '/zones', cookie)).status).toBe(401);
  await service.refused('DELETE', '/session', undefined, 'SESSION_NOT_FOUND', '', admin);
});

it('end without use, with age, and with their token', async () => {
  const idle = await logIn({ token: admin });
  service.pass(12 * hourMs);
  expect((await browse('GET', '/zones', idle)).status).toBe(401);
  const used = await logIn({ token: admin });
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    expect((await browse('GET', '/zones', used)).status).toBe(200);
    service.pass(11 * hourMs);
  }
  expect((await browse('GET', '/zones', used)).status).toBe(200);
  service.pass(11 * hourMs);
  expect((await browse('GET', '/zones', used)).status).toBe(401);
  const gone = await logIn({ token: await service.tokenOf('leaver', 'admin') });
  await service.call('DELETE', '/tokens/leaver', undefined, 200, admin);
  expect((await browse('GET', '/zones', gone)).status).toBe(401);
});

it('are opened once by a code, within a minute, with the rights of who made it', async () => {
  const { code } = await service.call('POST', '/session/codes', undefined, 201, 'local');
  const cookie = await logIn({ code });
  const own = await browse('GET', '/session', cookie);
  expect(own.body).toMatchObject({ session: { token_name: null }, token: null });
  expect((await browse('GET', '/roles', cookie)).body.pagination.total).toBeGreaterThan(0);
  expect((await browse('POST', '/session', undefined, { code })).status).toBe(401);
  // It would outlive itself.
  expect((await browse('POST', '/session/codes', cookie)).body.code).toBe('FORBIDDEN');
  const late = await service.call('POST', '/session/codes', undefined, 201, admin);
  service.pass(60_000);
  expect((await browse('POST', '/session', undefined, { code: late.code })).status).toBe(401);
  const mine = await service.call('POST', '/session/codes', undefined, 201, admin);
  const boss = await logIn({ code: mine.code });
  expect((await browse('GET', '/session', boss)).body.session.token_name).toBe('boss');
});

it('are opened by a code that was tried while nothing could be written', async () => {
  const { code } = await service.call('POST', '/session/codes', undefined, 201, 'local');
  const full = new Problem('OVERLOADED', 'too many wait', 5);
  const submit = vi.spyOn(service.writer, 'submit').mockRejectedValueOnce(full);
  onTestFinished(() => submit.mockRestore());
  expect((await browse('POST', '/session', undefined, { code })).status).toBe(503);
  await logIn({ code });
  expect((await browse('POST', '/session', undefined, { code })).status).toBe(401);
});

it('are opened by codes of which one caller keeps a few waiting, and nobody else out', async () => {
  const nobody = await service.tokenOf('nobody', []);
  const codes: string[] = [];
  for (let index = 0; index <= limits.loginCodes; index++) {
    codes.push((await service.call('POST', '/session/codes', undefined, 201, nobody)).code);
  }
  const { code } = await service.call('POST', '/session/codes', undefined, 201, admin);
  await logIn({ code });
  await logIn({ code: codes.at(-limits.loginCodesOfCaller)! });
  const ended = { code: codes.at(-limits.loginCodesOfCaller - 1)! };
  expect((await browse('POST', '/session', undefined, ended)).status).toBe(401);
});

it('are listed and ended by who manages access, and nobody else', async () => {
  const cookie = await logIn({ token: admin });
  const { session } = (await browse('GET', '/session', cookie)).body;
  const listed = await service.call('GET', '/sessions?limit=1', undefined, 200, admin);
  expect(listed.items).toEqual([session]);
  const other = await service.tokenOf('other', []);
  const hidden = await service.call('GET', '/sessions', undefined, 200, other);
  expect(hidden).toEqual({
    items: [],
    pagination: { limit: 50, offset: 0, total: 0 },
    next_cursor: null,
  });
  const path = `/sessions/${session.id}`;
  await service.refused('DELETE', path, undefined, 'FORBIDDEN', 'access:manage', other);
  await service.call('DELETE', path, undefined, 200, admin);
  expect((await browse('GET', '/zones', cookie)).status).toBe(401);
  await service.refused('DELETE', path, undefined, 'SESSION_NOT_FOUND', session.id, admin);
});

it('stand in the journal, and need no reason of their own', async () => {
  await service.call('POST', '/roles', { name: 'careful', reason_required: true }, 201, 'local');
  const given = { name: 'careful', role_name: 'careful' };
  const { secret } = await service.call('POST', '/tokens', given, 201, 'local');
  const cookie = await logIn({ token: secret });
  await browse('DELETE', '/session', cookie);
  const { items } = await service.call('GET', '/events?limit=2', undefined, 200, admin);
  expect(items.map(({ kind, reason }: { kind: string; reason: string }) => [kind, reason])).toEqual(
    [
      ['session.closed', 'logs out'],
      ['session.opened', 'logs in'],
    ],
  );
  expect(items[1]).toMatchObject({
    actor: { kind: 'token', name: 'careful' },
    details: { session: { token: { name: 'careful' } } },
  });
  expect(await service.verify()).toEqual([]);
});
