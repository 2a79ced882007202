/** Secrets appear in the answers that are meant to show them and nowhere else, and really go. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type Reply, type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeEach(async () => {
  service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_LOGGING_LEVEL: 'debug',
  });
});
afterEach(() => service[Symbol.asyncDispose]());

/** A request by the local socket or, with a secret, by the network. */
function call(method: string, path: string, body?: unknown, secret?: string): Promise<Reply> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (secret !== undefined) headers.authorization = `Bearer ${secret}`;
  const where =
    secret === undefined
      ? { socketPath: join(service.dataDir, 'zonebook.sock') }
      : { host: '127.0.0.1', port: service.apiPort };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...where, agent: false, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Every file of the data directory but the key file, whose secret is for itself. */
function storedBytes(): Buffer {
  const files = readdirSync(service.dataDir).filter((file) => /\.db(-wal)?$/.test(file));
  expect(files).toContain('zonebook.db');
  expect(files).toContain('zonebook.db-wal');
  return Buffer.concat(files.map((file) => readFileSync(join(service.dataDir, file))));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

it('keeps every secret out of database, journal, log, metrics and errors', async () => {
  await expect.poll(() => service.output).toContain('zonebook token create NAME --role admin');
  const made = await call('POST', '/tokens', { name: 'ci', role_name: 'admin' });
  const token: string = made.body.secret;
  const imported = Buffer.from('an imported secret of TSIG').toString('base64');
  const given = { name: 'given.example', role_name: 'admin', secret: imported };
  expect((await call('POST', '/tsig-keys', given, token)).status).toBe(201);
  const random = { name: 'random.example', role_name: 'admin' };
  const generated: string = (await call('POST', '/tsig-keys', random, token)).body.secret;

  const wrong = `zb_${'w'.repeat(40)}`;
  const badTsig = `${imported}?`;
  const errors = [
    await call('GET', '/zones', undefined, wrong),
    await call('POST', '/tsig-keys', { ...given, secret: badTsig }, token),
    await call('POST', '/tsig-keys', given, token),
    await call('POST', '/tokens', { name: 'ci', role_name: 'admin' }, token),
    await call('POST', '/tokens', { name: 'x', role_name: 'admin', secret: 5 }, token),
  ];
  expect(errors.map(({ status }) => status)).toEqual([401, 400, 409, 409, 400]);

  const metrics = await service.call('GET', '/metrics');
  expect(metrics.status).toBe(200);
  // The last that it logs of them.
  await expect.poll(() => service.output).toContain('/metrics');
  const log = await run(['journal', 'log', '--data-dir', service.dataDir, '-o', 'json']);
  expect(log.out).toContain('token.created');
  const stored = storedBytes();
  const texts = [service.output, metrics.body, log.out, JSON.stringify(errors)];
  for (const secret of [token, imported, generated, wrong]) {
    for (const text of texts) expect(text).not.toContain(secret);
    expect(stored.includes(secret)).toBe(false);
    expect(stored.includes(Buffer.from(secret, 'base64'))).toBe(false);
  }
  expect(texts.join()).not.toContain(sha256(token).toString('hex'));
  expect(stored.includes(sha256(token))).toBe(true);
});

it('says in the journal who granted what to whom', async () => {
  const admin = (await call('POST', '/tokens', { name: 'boss', role_name: 'admin' })).body.secret;
  const zone = { name: 'example.com', mname: 'ns.example.com', rname: 'h@example.com' };
  await call('POST', '/zones', zone, admin);
  await call('POST', '/roles', { name: 'ops' }, admin);
  const grant = {
    actions: ['record:read', 'record:create'],
    zone_name: 'example.com',
    record_name_pattern: '*.dyn',
    record_types: 'A,AAAA',
  };
  const { body } = await call('POST', '/roles/ops/grants', grant, admin);
  const { id } = body.role_grant;
  await call('POST', '/tokens', { name: 'bot', role_name: 'ops', expires_in_days: 1 }, admin);
  await call('POST', '/tsig-keys', { name: 'bot.example', role_name: 'ops' }, admin);
  await call('DELETE', '/zones/example.com', undefined, admin);
  await call('POST', '/roles/ops/grants', { actions: ['zone:read'] }, admin);
  await call('DELETE', '/tokens/bot', undefined, admin);
  const log = await run(['journal', 'log', '--data-dir', service.dataDir, '-o', 'json']);
  const items: Record<string, unknown>[] = JSON.parse(log.out).items;
  const told = items
    .filter(({ changed_by }) => (changed_by as { name?: string } | null)?.name === 'boss')
    .map(({ subject, what }) => `${subject}: ${what}`)
    .reverse();
  expect(told).toEqual([
    'example.com: zone.created +1',
    'ops: role.created',
    `ops: role.granted #${id} record:read,record:create in example.com on *.dyn, types A,AAAA`,
    expect.stringMatching(/^bot: token\.created role ops, expires \d{4}-/),
    'bot.example: tsig-key.created role ops, hmac-sha256',
    'example.com: zone.deleted',
    `ops: role.granted #${id + 1} zone:read in all zones`,
    expect.stringMatching(/^bot: token\.deleted role ops, expires \d{4}-/),
  ]);
});

it('forgets the hash of a deleted token, and does not ask for a first token when there is one', async () => {
  await call('POST', '/tokens', { name: 'first', role_name: 'admin' });
  const { secret } = (await call('POST', '/tokens', { name: 'brief', role_name: 'admin' })).body;
  expect((await call('DELETE', '/tokens/brief')).status).toBe(200);
  expect((await call('GET', '/zones', undefined, secret)).body.code).toBe('INVALID_TOKEN');
  await service.end();
  const file = readFileSync(join(service.dataDir, 'zonebook.db'));
  expect(file.includes(sha256(secret))).toBe(false);
  const before = service.output.length;
  await service.start();
  const again = () => service.output.slice(before);
  await expect.poll(again).toContain('is running');
  // It greets last, with the command for a first token where it says one.
  await service.end();
  expect(again()).not.toContain('token create');
});
