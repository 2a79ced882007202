/**
 * Every operation while SQLite fails, by every kind of result code: in its commit, and in whatever it reads. None
 * answers 500, each that met the fault says 503 with a time to come back, and nothing of a refused one is there.
 */
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';
import { rows } from './rows.ts';

/** One of each kind that a disk, a file or a neighbour causes. */
const codes = [
  'SQLITE_FULL',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_READ',
  'SQLITE_READONLY',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CANTOPEN',
  'SQLITE_BUSY',
];

type Method = 'run' | 'get' | 'all' | 'iterate';
type Statement = Record<Method, (...args: unknown[]) => unknown> & { source: string };
const probe = new Sqlite(':memory:');
const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Statement;
probe.close();
const original = {
  run: prototype.run,
  get: prototype.get,
  all: prototype.all,
  iterate: prototype.iterate,
};

const opened: InProcessService[] = [];
afterEach(async () => {
  Object.assign(prototype, original);
  for (const service of opened.splice(0)) await service.close();
});

/** From now on statements that `fails` picks end with a result code; returns how many did. */
function failWith(code: string, fails: (source: string) => boolean): () => number {
  let failed = 0;
  for (const method of ['run', 'get', 'all', 'iterate'] as const) {
    prototype[method] = function (this: Statement, ...args: unknown[]) {
      if (fails(this.source)) {
        failed++;
        throw new Sqlite.SqliteError('said by SQLite', code);
      }
      return original[method].apply(this, args);
    };
  }
  return () => failed;
}

/** For routes that find what they are about in any service: what is refused changes nothing of it. */
let shared: Promise<Prepared> | undefined;
afterAll(async () => (await shared)?.service.close());

/** Routes whose zone has to be signed first, or such, have a service of their own; in a long run all have. */
const tested = routes.filter(({ id }) => isLong || rows[id]!.before === undefined);

const isCommit = (source: string) => source === 'COMMIT';
const isRead = (source: string) => /^\s*(SELECT|WITH)/i.test(source);

interface Prepared {
  readonly service: InProcessService;
  readonly recordId: number;
  readonly grantId: number;
}

async function prepare(route?: Route): Promise<Prepared> {
  const service = new InProcessService();
  await service.createZone('right.example');
  await service.createZone('gone.example');
  await service.call('DELETE', '/zones/gone.example', undefined, 200);
  const given = { zone_name: 'right.example', name: 'www', type: 'A', value: '192.0.2.1' };
  const { record } = await service.call('POST', '/records', given, 201);
  if (route !== undefined) await rows[route.id]!.before?.(service);
  await service.call('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' }, 201);
  await service.tokenOf('fixed', []);
  await service.call('POST', '/roles', { name: 'unused' }, 201);
  await service.call('POST', '/dnssec-policies', { name: 'unused' }, 201);
  await service.call('POST', '/tsig-keys', { name: 'fixed.example', role_name: 'fixed' }, 201);
  const grant = { actions: ['zone:read'] };
  const { role_grant } = await service.call('POST', '/roles/fixed/grants', grant, 201);
  return { service, recordId: record.id, grantId: role_grant.id };
}

function requestOf(route: Route, prepared: Prepared): { path: string; body: object | undefined } {
  const row = rows[route.id]!;
  const path =
    row.path?.(prepared) ??
    route.path
      .replace('{id}', String(prepared.recordId))
      .replace(/\{(name|zone_name)\}/, 'right.example');
  const needed = route.takesBody === 'always' ? (route.exampleBody as object) : undefined;
  return { path, body: row.body ?? needed };
}

describe.each(tested.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, route) => {
    it('answers 503 to whoever meets a fault of the storage, and never 500', async () => {
      // That a login was refused is journalled aside, now or later: no answer fails with it, but one of another test
      // would.
      const isOfLogins = route.id === 'openSession';
      const hasItsOwn = isLong || isOfLogins;
      if (!hasItsOwn) shared ??= prepare();
      const prepared = await (hasItsOwn ? prepare(route) : shared!);
      const { service } = prepared;
      if (hasItsOwn) opened.push(service);
      const { path, body } = requestOf(route, prepared);
      /** The answer while statements fail, and how many did. */
      const ask = async (code: string, fails: (source: string) => boolean) => {
        // What it would do in the background is done, so that no commit of that fails.
        await service.searchIndex.run();
        const failed = failWith(code, fails);
        const answer = await service.fetch(route.method, path, body);
        const text = await answer.text();
        Object.assign(prototype, original);
        const { status } = answer;
        expect([code, status, text]).not.toEqual([code, 500, text]);
        if (status >= 500 && route.id !== 'getHealth') {
          expect(JSON.parse(text)).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
          expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
        }
        return { status, failed: failed() };
      };
      const before = service.events();
      for (const code of codes) {
        const { status, failed } = await ask(code, isCommit);
        // A commit that failed is no success, whatever it was about.
        if (failed > 0 && !isOfLogins) expect([code, status]).toEqual([code, 503]);
      }
      if (!isOfLogins) expect(service.events()).toBe(before);
      // What a change reads may all be kept in memory: then it is made.
      if (route.method !== 'GET' && !isLong) return;
      for (const code of codes) await ask(code, isRead);
    });
  },
);
