/**
 * Every operation against every kind of caller (interface 5, decisions 1 and 3): status and code, and
 * that nothing changed where it was refused. A route without a row fails.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasDryRun, type Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';
import { sampleOf } from '../support/long.ts';
import { type Fixture, lesserCallers, type Row, rows } from './rows.ts';

const recordActions = ['record:read', 'record:create', 'record:update', 'record:delete'];
const zoneActions = ['zone:read', 'zone:update', 'zone:delete', 'zone:transfer'];
const dayMs = 86_400_000;

type Secrets = Readonly<Record<string, string | undefined>>;

const options = { authenticationRequired: true, sessionIdleHours: 48 };

/** What every row begins with: a service that each begins with a copy of, and what is in it. */
interface Base extends Pick<Fixture, 'recordId' | 'grantId'> {
  readonly folder: string;
  readonly secrets: Secrets;
}

let base: Base;
beforeAll(async () => {
  base = await prepareBase();
});
afterAll(() => rmSync(base.folder, { recursive: true, force: true }));

async function prepareBase(): Promise<Base> {
  const service = new InProcessService(options);
  const local = (method: string, path: string, body: object) =>
    service.call(method, path, body, 201, 'local');
  await service.createZone('right.example');
  await service.createZone('wrong.example');
  await service.createZone('gone.example');
  await service.call('DELETE', '/zones/gone.example', undefined, 200, 'local');
  const zone_name = 'right.example';
  const add = (name: string, type: string, value: string) =>
    local('POST', '/records', { zone_name, name, type, value });
  const { record } = await add('www', 'A', '192.0.2.1');
  await add('other', 'A', '192.0.2.2');
  await add('text', 'TXT', 'words');
  await service.tokenOf('fixed', []);
  await local('POST', '/roles', { name: 'unused' });
  await local('POST', '/dnssec-policies', { name: 'unused' });
  await local('POST', '/tsig-keys', { name: 'fixed.example', role_name: 'fixed' });
  const { role_grant } = await local('POST', '/roles/fixed/grants', { actions: ['zone:read'] });

  const limited = { zone_name, actions: recordActions };
  const wrong = { zone_name: 'wrong.example', actions: [...zoneActions, ...recordActions] };
  const secrets = {
    none: undefined,
    wrong: `zb_${'x'.repeat(40)}`,
    expired: await service.tokenOf('expired', 'admin', { expires_in_days: 1 }),
    empty: await service.tokenOf('empty', []),
    elsewhere: await service.tokenOf('elsewhere', [wrong]),
    nameLimited: await service.tokenOf('named', [{ ...limited, record_name_pattern: 'other' }]),
    typeLimited: await service.tokenOf('typed', [{ ...limited, record_types: 'TXT' }]),
    admin: await service.tokenOf('full', 'admin'),
  };
  await service.closeAndKeep();
  return { folder: service.folder, recordId: record.id, grantId: role_grant.id, secrets };
}

async function prepare({ right = [], before }: Row): Promise<Fixture & { secrets: Secrets }> {
  const service = new InProcessService(options, undefined, undefined, base.folder);
  const { recordId, grantId } = base;
  await before?.(service);
  await service.call(
    'POST',
    '/webhooks',
    { name: 'chat', url: 'http://127.0.0.1:9/' },
    201,
    'local',
  );
  await service.call('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' }, 201, 'local');
  const secrets = { ...base.secrets, right: await service.tokenOf('right', right) };
  service.pass(dayMs);
  return { service, recordId, grantId, secrets };
}

interface Asked {
  readonly path: string;
  readonly body: object | undefined;
}

function requestOf(route: Route, fixture: Fixture, dryRun: boolean): Asked {
  const row = rows[route.id]!;
  const path =
    row.path?.(fixture) ??
    route.path
      .replace('{id}', String(fixture.recordId))
      .replace(/\{(name|zone_name)\}/, 'right.example');
  const needed = route.takesBody === 'always' ? (route.exampleBody as object) : undefined;
  const body = row.body ?? needed;
  if (!dryRun) return { path, body };
  if ('dry_run' in route.body.entries) return { path, body: { ...body, dry_run: true } };
  return { path: `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body };
}

/** The answer's JSON; a text is no JSON, and has nothing that a row counts. */
const contentOf = (route: Route, response: Response) =>
  route.success.mediaType === undefined ? jsonOf(response) : undefined;

it('has a row for every route, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual(routes.map(({ id }) => id).sort());
});

const drawn = new Set(sampleOf(Object.keys(rows), 90));
const asked = routes.filter(({ id }) => drawn.has(id));

describe.each(asked.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, route) => {
    const row = rows[route.id]!;
    const { others, answers = [200, ''] as const } = row;

    async function ask(
      fixture: Fixture & { secrets: Secrets },
      caller: string,
      status: number,
      code: string,
      dryRun = false,
    ) {
      const { path, body } = requestOf(route, fixture, dryRun);
      const { service, secrets } = fixture;
      const before = service.events();
      const response = await service.fetch(route.method, path, body, secrets[caller]);
      const text = await response.clone().text();
      expect({ caller, status: response.status, text }).toMatchObject({ caller, status });
      if (code !== '') expect(JSON.parse(text).code).toBe(code);
      // That a login was refused is journalled, a little later.
      if (route.id === 'openSession') return response;
      if (code !== '' || dryRun || route.method === 'GET') expect(service.events()).toBe(before);
      else if (
        ![
          'createLoginCode',
          'testWebhook',
          'notifyZone',
          'notifyAll',
          'checkSecondary',
          'diffZone',
          'checkDs',
          'adjustExternalRecords',
        ].includes(route.id)
      ) {
        expect(service.events()).toBeGreaterThan(before);
      }
      return response;
    }

    it('answers every caller as it should', async () => {
      const fixture = await prepare(row);
      const dryRuns = hasDryRun(route) ? [true, false] : [false];
      const { status } = route.success;
      if (others === 'open') {
        for (const caller of Object.keys(fixture.secrets)) await ask(fixture, caller, ...answers);
        return fixture.service.close();
      }
      for (const dryRun of dryRuns) {
        await ask(fixture, 'none', 401, 'UNAUTHORIZED', dryRun);
        await ask(fixture, 'wrong', 401, 'INVALID_TOKEN', dryRun);
        await ask(fixture, 'expired', 401, 'INVALID_TOKEN', dryRun);
      }
      if (others === 'token') {
        for (const caller of [...lesserCallers, 'right', 'admin']) {
          await ask(fixture, caller, ...answers);
        }
        return fixture.service.close();
      }
      for (const caller of lesserCallers) {
        const expected = others[caller];
        if (typeof expected === 'number') {
          const list = await jsonOf(await ask(fixture, caller, 200, ''));
          expect({ caller, total: list.pagination.total }).toEqual({ caller, total: expected });
          expect(list.items).toHaveLength(expected);
        } else {
          for (const dryRun of dryRuns) await ask(fixture, caller, ...expected, dryRun);
        }
      }
      if (dryRuns.length > 1) await ask(fixture, 'right', 200, '', true);
      const answered = await contentOf(route, await ask(fixture, 'right', status, ''));
      if ('right' in others) expect(answered.pagination.total).toBe(others.right);
      // Where the one changes something, the other can not do it once more.
      const changes = route.method !== 'GET';
      if (changes) await fixture.service.close();
      const fresh = changes ? await prepare(row) : fixture;
      const byAdmin = await contentOf(route, await ask(fresh, 'admin', status, ''));
      if ('admin' in others) expect(byAdmin.pagination.total).toBe(others.admin);
      await fresh.service.close();
    });
  },
);
