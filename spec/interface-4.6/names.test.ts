/** Names that no path can carry are no names; what bears one from before is reached by its id. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
let admin: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  admin = await service.tokenOf('boss', 'admin');
});
afterAll(() => service.close());

const call = (method: string, path: string, body: object | undefined, status: number) =>
  service.call(method, path, body, status, admin);

let port = 1000;

/** What is named, and a body that makes one of it. */
const kinds = {
  tokens: (name: string) => ({ name, role_name: 'admin' }),
  roles: (name: string) => ({ name }),
  secondaries: (name: string) => ({ name, address: `192.0.2.1:${++port}` }),
  'dnssec-policies': (name: string) => ({ name }),
  'tsig-keys': (name: string) => ({ name, role_name: 'admin' }),
};
/** Kinds whose names are not domain names, with their tables. */
const tables = {
  tokens: 'token',
  roles: 'role',
  secondaries: 'secondary',
  'dnssec-policies': 'dnssec_policy',
} as const;

describe.each(Object.entries(kinds))('case 117: names of %s', (kind, bodyOf) => {
  // %2e in the name of a key, which is a domain name, is a label that paths carry as %252e.
  const escaped = kind === 'tsig-keys' ? [] : ['%2e', '%2e%2e', '%2E.', './..', '..%2f'];
  it.each(['.', '..', ' . ', '..\n', '', ...escaped])('are not %j', async (name) => {
    const refused = await call('POST', `/${kind}`, bodyOf(name), 400);
    expect(refused.code).toBe('INVALID_INPUT');
    expect(refused.error).toContain('name');
  });

  it('are not taken for a path', async () => {
    const body = await call('POST', `/${kind}`, bodyOf('a.b'), 201);
    expect(body).toBeDefined();
    const listed = await call('GET', `/${kind}`, undefined, 200);
    for (const path of ['.', '..', '%2e', '%2e%2e', '%2E%2e', 'a.b/..', 'a.b/%2e%2e']) {
      for (const method of ['DELETE', 'PUT', 'PATCH']) {
        const taken = service.call(method, `/${kind}/${path}`, {}, undefined, admin);
        await expect(taken, `${method} ${path}`).rejects.toThrow();
      }
    }
    expect((await call('GET', `/${kind}`, undefined, 200)).items).toEqual(listed.items);
    await call('DELETE', `/${kind}/a.b`, undefined, 200);
  });
});

describe.each(Object.entries(tables))('case 117: one of %s from before', (kind, table) => {
  it.each(['.', '..'])('that is named %s is deleted by its id, and by no other', async (name) => {
    for (const each of ['left', 'kept']) {
      await call('POST', `/${kind}`, kinds[kind as keyof typeof tables](each), 201);
    }
    const database = new Sqlite(join(service.folder, 'zonebook.db'));
    database.prepare(`UPDATE ${table} SET name = ? WHERE name = 'left'`).run(name);
    const idOf = (named: string) =>
      database.prepare(`SELECT id FROM ${table} WHERE name = ?`).pluck().get(named) as number;
    const [left, kept] = [idOf(name), idOf('kept')];
    database.close();
    // Who has a name that paths can carry is reached by that alone.
    await call('DELETE', `/${kind}/${kept}`, undefined, 404);
    const gone = await call('DELETE', `/${kind}/${left}`, undefined, 200);
    expect(gone.message).toContain(`'${name}' deleted`);
    await call('DELETE', `/${kind}/${left}`, undefined, 404);
    await call('DELETE', `/${kind}/kept`, undefined, 200);
  });
});

it('case 117: a token that was named .. is refused once it is deleted', async () => {
  const { secret, token } = await call(
    'POST',
    '/tokens',
    { name: 'gone', role_name: 'admin' },
    201,
  );
  const database = new Sqlite(join(service.folder, 'zonebook.db'));
  database.prepare("UPDATE token SET name = '..' WHERE name = 'gone'").run();
  database.close();
  await service.call('GET', '/tokens/self', undefined, 200, secret);
  await call('DELETE', `/tokens/${token.id}`, undefined, 200);
  await service.call('GET', '/tokens/self', undefined, 401, secret);
});
