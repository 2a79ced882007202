/**
 * What a caller may not see answers, whatever is asked of it, as what was never there: the same status, code and
 * words, after as much work. Tried on every operation that names a thing, in its path, its query or its body.
 */
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { pathParameters, type Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes.ts';
import { LongReading } from '../../src/query/long-reading.ts';
import { InProcessService } from '../support/in-process.ts';

/** Names of things that are there, each with one of nothing, as long as it is and as common. */
const twins: Readonly<Record<string, string>> = {
  'hidden.example': 'absent.example',
  'signed.example': 'unborn.example',
  ns2: 'ns9',
  strict: 'absent',
  other: 'others',
  'key.example': 'yek.example',
};

/** What the path of a route names, by its first segment. */
const namedBy: Readonly<Record<string, readonly string[]>> = {
  zones: ['hidden.example', 'signed.example'],
  secondaries: ['ns2'],
  roles: ['other'],
  tokens: ['other'],
  'tsig-keys': ['key.example'],
  'dnssec-policies': ['strict'],
};

let service: InProcessService;
/** By what the callers hold. */
const secrets = new Map<string, string>();
let recordId = 0;
let grantId = 0;
const absentId = 99_999;

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  const local = (method: string, path: string, body: object) =>
    service.call(method, path, body, 201, 'local');
  for (const name of ['seen.example', 'hidden.example', 'signed.example']) {
    await service.createZone(name);
  }
  const record = { zone_name: 'hidden.example', name: 'www', type: 'A', value: '192.0.2.1' };
  recordId = (await local('POST', '/records', record)).record.id;
  await local('POST', '/zones/signed.example/dnssec', { parent_ns_addrs: ['192.0.2.9'] });
  await local('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' });
  await local('POST', '/dnssec-policies', { name: 'strict' });
  await service.tokenOf('other', [{ actions: ['zone:read'] }]);
  grantId = (await local('POST', '/roles/other/grants', { actions: ['zone:read'] })).role_grant.id;
  await local('POST', '/tsig-keys', { name: 'key.example', role_name: 'other' });
  const zone = ['zone:read', 'zone:update', 'zone:delete', 'zone:transfer'];
  const record_ = ['record:read', 'record:create', 'record:update', 'record:delete'];
  const inZone = [...zone, ...record_, 'dnssec:read', 'dnssec:manage'];
  secrets.set('nothing', await service.tokenOf('empty', []));
  secrets.set(
    'all of another zone',
    await service.tokenOf('elsewhere', [{ zone_name: 'seen.example', actions: inZone }]),
  );
});
afterAll(() => service.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts what is asked of the database, here and of the thread of long reads. */
function countReads(): { take(): Reads } {
  const statement = new Database(':memory:').prepare('SELECT 1');
  const prototype = Object.getPrototypeOf(statement) as typeof statement;
  const here = [
    vi.spyOn(prototype, 'get'),
    vi.spyOn(prototype, 'all'),
    vi.spyOn(prototype, 'iterate'),
  ];
  const thread = vi.spyOn(LongReading.prototype, 'read');
  return {
    take() {
      const count = here.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      const long = thread.mock.calls.map(([name]) => name);
      for (const spy of [...here, thread]) spy.mockClear();
      return { count, long };
    },
  };
}

interface Reads {
  readonly count: number;
  readonly long: readonly string[];
}

/** Reads by a key that a hidden thing may cost more than a missing one: tens of microseconds. */
const fewReads = 4;

interface Request {
  readonly path: string;
  readonly body: object | undefined;
}

/** Requests that name a hidden thing, as JSON; their twins name nothing. */
function requestsOf(route: Route): Request[] {
  const example = route.exampleBody as Record<string, unknown> | undefined;
  const bodyOf = (zone: string) => {
    if (route.takesBody === 'never') return undefined;
    const named = 'zone_name' in route.body.entries ? { ...example, zone_name: zone } : example;
    return JSON.parse(JSON.stringify(named ?? {}).replaceAll('example.com', zone));
  };
  const firstSegment = route.path.split('/')[1]!;
  const parameters = pathParameters(route.path);
  const isRecord = firstSegment === 'records' && parameters.includes('id');
  if (isRecord) return [{ path: route.path.replace('{id}', String(recordId)), body: bodyOf('') }];
  const zones = namedBy.zones!;
  const subjects = parameters.length > 0 ? (namedBy[firstSegment] ?? []) : zones;
  return subjects.map((subject) => {
    const path = route.path
      .replace(/\{(name|zone_name)\}/, subject)
      .replace('{serial}', '1')
      .replace('{id}', String(grantId))
      .replace('{file}', 'none');
    return { path: path + queryOf(route, subject), body: bodyOf(subject) };
  });
}

function queryOf({ id, query }: Route, zone: string): string {
  if (/diff(Versions|Snapshots)/.test(id)) return '?from=1';
  if (id === 'listTransfers' || !('zone_name' in query.entries)) return '';
  return id === 'deleteRecords' ? `?zone_name=${zone}&name=www` : `?zone_name=${zone}`;
}

function twinOf(text: string): string {
  let twin = text;
  for (const [name, other] of Object.entries(twins)) {
    twin = twin.replaceAll(new RegExp(`(?<![\\w-])${name}(?!\\w)`, 'g'), other);
  }
  return twin.replaceAll(new RegExp(`(?<=/records/|record )${recordId}\\b`, 'g'), String(absentId));
}

async function answerTo(route: Route, { path, body }: Request, as: string): Promise<string> {
  const response = await service.fetch(route.method, path, body, as);
  return `${response.status} ${await response.text()}`;
}

/** The lesser of two times, as rights are read once and others may read beside it. */
async function costOf(
  ask: () => Promise<string>,
  reads: ReturnType<typeof countReads>,
): Promise<[answer: string, reads: Reads]> {
  reads.take();
  await ask();
  const first = reads.take();
  const answer = await ask();
  const second = reads.take();
  return [answer, first.count < second.count ? first : second];
}

it('twins are told apart only by whether they are there', async () => {
  expect(twinOf('/zones/hidden.example/export www.signed.example')).toBe(
    '/zones/absent.example/export www.unborn.example',
  );
  expect(twinOf(`/records/${recordId}/history`)).toBe(`/records/${absentId}/history`);
  const paths = [
    '/zones/hidden.example',
    '/secondaries/ns2',
    '/roles/other',
    `/records/${recordId}`,
  ];
  for (const path of paths) {
    expect([path, (await service.fetch('GET', path, undefined, 'local')).status]).toEqual([
      path,
      200,
    ]);
    expect((await service.fetch('GET', twinOf(path), undefined, 'local')).status).toBe(404);
  }
});

it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s tells nothing of what is hidden',
  async (_, route) => {
    const events = service.events();
    const reads = countReads();
    for (const request of requestsOf(route)) {
      const path = twinOf(request.path);
      const twin = request.body && JSON.parse(twinOf(JSON.stringify(request.body)));
      if (path === request.path && JSON.stringify(twin) === JSON.stringify(request.body)) continue;
      for (const [held, secret] of secrets) {
        const [hidden, forHidden] = await costOf(() => answerTo(route, request, secret), reads);
        const missing = { path, body: twin };
        const [absent, forAbsent] = await costOf(() => answerTo(route, missing, secret), reads);
        expect([held, request.path, twinOf(hidden)]).toEqual([held, request.path, absent]);
        // Nor does the time that it takes: no read that looks at more than a few rows is for one alone.
        expect(forHidden.long).toEqual(forAbsent.long);
        expect(Math.abs(forHidden.count - forAbsent.count)).toBeLessThanOrEqual(fewReads);
      }
    }
    expect(service.events()).toBe(events);
  },
);
