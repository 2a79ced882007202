/**
 * Every list of the contract, walked by cursors while others write: what was there all the time is shown exactly once,
 * and nothing twice. The judge is the list of the rows that the test itself left alone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';
import { Random } from '../visibility/random.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by their values
type Json = any;

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));
const random = new Random(seed);
const walks = isLong ? 20 : 1;
/** Of a list of what was done, which has to stay shorter than the longest page: walks, and rows added in each. */
const walksOfPast = Math.min(walks, 6);
const mostAdded = 20;
const lastingRows = 5;

let service: InProcessService;
/** Of a role whose grants come and go. */
let own: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  for (const zone of ['records.example', 'signed.example', 'past.example', 'tags.example']) {
    await service.createZone(zone);
  }
  await service.call('POST', '/roles', { name: 'held' }, 201, 'local');
  own = await service.tokenOf('own', [{ actions: ['zone:read'] }]);
  await service.call(
    'POST',
    '/zones/signed.example/dnssec',
    {
      parent_ns_addrs: ['192.0.2.9'],
    },
    201,
    'local',
  );
  await addRecord('records.example', 'first');
});
afterAll(() => service.close());

interface List {
  /** The id of its route. */
  readonly id: string;
  readonly path: string;
  /** Queries with the orders it has. */
  readonly orders?: readonly string[];
  readonly as?: () => string;
  readonly keyOf: (row: Json) => unknown;
  /** Adds a row, and says how it is removed; undefined for a list of what was done. */
  readonly add: (name: string) => Promise<(() => Promise<unknown>) | undefined>;
  /** Set for a list of what was done. */
  readonly isPast?: true;
}

let port = 0;

const nameOf = ({ name }: Json) => name;
const idOf = ({ id }: Json) => id;
const serialOf = ({ serial, created_at, kind }: Json) =>
  `${serial} ${kind} ${serial ?? created_at}`;

/** Rows of a collection that has POST for a new one, and DELETE for each by its name. */
function collection(id: string, path: string, bodyOf: (name: string) => object): List {
  const add = async (name: string) => {
    await service.call('POST', path, { name, ...bodyOf(name) }, 201, 'local');
    return () => service.call('DELETE', `${path}/${name}`, undefined, 200, 'local');
  };
  return { id, path, keyOf: nameOf, add };
}

const anAddress = () => ({ type: 'A', value: `192.0.2.${1 + random.below(254)}` });

async function addRecord(zone_name: string, name: string) {
  const kinds = [
    anAddress(),
    { type: 'MX', value: 'mx.example.net.', priority: random.below(3) },
    { type: 'TXT', value: 'some text' },
  ];
  const record = { zone_name, name, ttl: 60 + random.below(3), ...random.one(kinds) };
  const { id } = (await service.call('POST', '/records', record, 201, 'local')).record;
  return () => service.call('DELETE', `/records/${id}`, undefined, 200, 'local');
}

const orders = ['asc', 'desc'];
const by = (sorts: readonly string[]) =>
  sorts.flatMap((sort) => orders.map((order) => `sort=${sort}&order=${order}`));
const recordOrders = by(['name', 'type', 'ttl', 'priority', 'created_at']);

const addZone = async (name: string) => {
  await service.createZone(`${name}.example`, { default_ttl: 300 + random.below(2) });
  return () => service.call('DELETE', `/zones/${name}.example`, undefined, 200, 'local');
};

const addGrant = (role: string) => async () => {
  const path = `/roles/${role}/grants`;
  const grant = { actions: ['zone:read'], zone_name: 'records.example' };
  const { id } = (await service.call('POST', path, grant, 201, 'local')).role_grant;
  return () => service.call('DELETE', `${path}/${id}`, undefined, 200, 'local');
};

async function addStep(name: string): Promise<undefined> {
  const record = { zone_name: 'past.example', name, ...anAddress() };
  await service.call('POST', '/records', record, 201, 'local');
}

const lists: readonly List[] = [
  {
    id: 'listZones',
    path: '/zones',
    orders: by(['name', 'serial', 'default_ttl', 'created_at', 'changed_at', 'records']),
    keyOf: nameOf,
    add: addZone,
  },
  {
    id: 'listZones',
    path: '/zones?deleted=true',
    keyOf: nameOf,
    async add(name) {
      await (await addZone(name))();
      return () => service.call('POST', `/zones/${name}.example/purge`, undefined, 200, 'local');
    },
  },
  {
    id: 'listRecords',
    path: '/records',
    orders: recordOrders,
    keyOf: idOf,
    add: (name) => addRecord(random.one(['records.example', 'tags.example']), name),
  },
  {
    id: 'listRecords',
    path: '/records?zone_name=records.example&search=e',
    orders: recordOrders,
    keyOf: idOf,
    add: (name) => addRecord('records.example', name),
  },
  collection('listSecondaries', '/secondaries', () => ({ address: `127.0.0.1:${++port}` })),
  {
    ...collection('listSecondaryStates', '/secondaries', () => ({
      address: `127.0.0.1:${++port}`,
    })),
    path: '/secondary-states',
  },
  collection('listWebhooks', '/webhooks', () => ({ url: 'http://127.0.0.1:9/' })),
  collection('listRoles', '/roles', () => ({})),
  collection('listTokens', '/tokens', () => ({ role_name: 'held' })),
  collection('listTsigKeys', '/tsig-keys', () => ({ role_name: 'held' })),
  collection('listPolicies', '/dnssec-policies', () => ({})),
  { id: 'listRoleGrants', path: '/roles/held/grants', keyOf: idOf, add: addGrant('held') },
  {
    id: 'listOwnGrants',
    path: '/tokens/self/grants',
    as: () => own,
    keyOf: idOf,
    add: addGrant('own'),
  },
  {
    id: 'listTags',
    path: '/zones/tags.example/tags',
    keyOf: nameOf,
    async add(name) {
      await service.call('POST', '/zones/tags.example/tags', { name }, 201, 'local');
      return () =>
        service.call('DELETE', `/zones/tags.example/tags/${name}`, undefined, 200, 'local');
    },
  },
  {
    id: 'listVersions',
    path: '/zones/past.example/versions',
    keyOf: serialOf,
    add: addStep,
    isPast: true,
  },
  {
    id: 'listSnapshots',
    path: '/zones/past.example/snapshots',
    keyOf: serialOf,
    add: addStep,
    isPast: true,
  },
  {
    id: 'getZoneHistory',
    path: '/zones/past.example/history',
    keyOf: serialOf,
    add: addStep,
    isPast: true,
  },
  {
    id: 'getZoneHistory',
    path: '/zones/past.example/history?type=A',
    keyOf: serialOf,
    add: addStep,
    isPast: true,
  },
  {
    id: 'getRecordHistory',
    path: '/records/1/history',
    keyOf: serialOf,
    isPast: true,
    async add() {
      const ttl = 1 + random.below(100_000);
      await service.call('PUT', '/records/1', { ttl }, 200, 'local');
      return undefined;
    },
  },
  {
    id: 'listSessions',
    path: '/sessions',
    keyOf: idOf,
    async add() {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
      const body = JSON.stringify({ token: own });
      const response = await service.request('/session', { method: 'POST', headers, body });
      const { id } = ((await response.json()) as Json).session;
      return () => service.call('DELETE', `/sessions/${id}`, undefined, 200, 'local');
    },
  },
];

const urlOf = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** All rows, page by page; `between` is called after each page. */
async function walk(list: List, query: string, between: () => Promise<void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  let cursor: string | null = null;
  // A list of what was done grows at its beginning only, so a walk over it ends.
  do {
    const place = cursor === null ? '' : `&cursor=${cursor}`;
    const url = urlOf(list.path, `${query}&limit=${1 + random.below(3)}${place}`);
    const page: Json = await service.call('GET', url, undefined, 200, list.as?.() ?? 'local');
    seen.push(...page.items.map(list.keyOf));
    cursor = page.next_cursor;
    if (cursor !== null) await between();
  } while (cursor !== null && seen.length < 2000);
  return seen;
}

let names = 0;
const newName = () => `${String.fromCharCode(97 + random.below(26))}${(names++).toString(36)}`;

async function judge(list: List, order: string): Promise<void> {
  const passing: (() => Promise<unknown>)[] = [];
  let added = 0;
  const writes = async () => {
    for (let count = random.below(4); count > 0; count--) {
      if (list.isPast && added++ >= mostAdded) return;
      const remove =
        random.next() < 0.5 ? passing.splice(random.below(passing.length), 1)[0] : undefined;
      if (remove !== undefined) await remove();
      else {
        const made = await list.add(newName());
        if (made !== undefined) passing.push(made);
      }
    }
  };
  const lasting: (() => Promise<unknown>)[] = [];
  for (let count = 0; count < lastingRows; count++) {
    await writes();
    const remove = await list.add(newName());
    if (remove !== undefined) lasting.push(remove);
  }
  const as = list.as?.() ?? 'local';
  const whole = urlOf(list.path, `${order}&limit=1000`);
  const before = (await service.call('GET', whole, undefined, 200, as)).items.map(list.keyOf);
  const seen = await walk(list, order, writes);
  const after = (await service.call('GET', whole, undefined, 200, as)).items.map(list.keyOf);
  const there = new Set(after);
  const stayed = before.filter((key: unknown) => there.has(key));
  const were = new Set(stayed);
  expect(stayed.length).toBeGreaterThanOrEqual(lastingRows);
  expect(seen.filter((key) => were.has(key))).toEqual(stayed);
  expect(new Set(seen).size).toBe(seen.length);
  for (const remove of [...passing, ...lasting]) await remove();
}

describe('cursors', () => {
  it('are on every list that has an offset', () => {
    const paged = routes.filter(({ query }) => 'offset' in query.entries);
    for (const { query } of paged) expect(Object.keys(query.entries)).toContain('cursor');
    expect([...new Set(lists.map(({ id }) => id))].sort()).toEqual(
      paged.map(({ id }) => id).sort(),
    );
  });

  it.each(lists.map((list) => [list.path, list] as const))(
    `lose and repeat nothing of %s while others write (seed ${seed})`,
    async (_, list) => {
      const { orders: all = [''] } = list;
      const tried = isLong ? all : random.sample(all, 2);
      for (const order of tried) {
        const most = list.isPast ? walksOfPast : walks;
        for (let count = 0; count < most; count++) await judge(list, order);
      }
    },
  );
});

describe('records of DNSSEC', () => {
  it.each(recordOrders)('follow those of users behind a cursor, by %s', async (order) => {
    const path = '/records?zone_name=signed.example&signed=true';
    await addRecord('signed.example', newName());
    const whole = urlOf(path, `${order}&limit=1000`);
    const { items } = await service.call('GET', whole, undefined, 200, 'local');
    const plain = ({ name, type, value, ttl }: Json) => `${name} ${ttl} ${type} ${value}`;
    const list: List = { id: '', path, keyOf: plain, add: addStep };
    expect(items.length).toBeGreaterThan(5);
    expect(await walk(list, order, async () => {})).toEqual(items.map(plain));
    const { serial } = (await service.call('GET', '/zones/signed.example', undefined, 200, 'local'))
      .zone;
    const then: List = { ...list, path: `${path}&at=${serial}` };
    expect(await walk(then, order, async () => {})).toEqual(items.map(plain));
  });
});

describe('a cursor', () => {
  const cursorOf = async (path: string) =>
    (await service.call('GET', path, undefined, 200, 'local')).next_cursor as string;

  it('goes with its list, its filters and its order alone', async () => {
    const cursor = await cursorOf('/zones?limit=1');
    await service.call('GET', `/zones?limit=2&cursor=${cursor}`, undefined, 200, 'local');
    const others = [
      `/zones?sort=serial&cursor=${cursor}`,
      `/zones?order=desc&cursor=${cursor}`,
      `/zones?search=example&cursor=${cursor}`,
      `/records?cursor=${cursor}`,
      `/zones/past.example/versions?cursor=${cursor}`,
    ];
    for (const path of others) {
      await service.refused(
        'GET',
        path,
        undefined,
        'INVALID_INPUT',
        'belongs to another list',
        'local',
      );
    }
    await addStep(newName());
    const ofOne = await cursorOf('/zones/past.example/versions?limit=1');
    const path = `/zones/tags.example/versions?cursor=${ofOne}`;
    await service.refused(
      'GET',
      path,
      undefined,
      'INVALID_INPUT',
      'belongs to another list',
      'local',
    );
  });

  it('is refused when no page gave it, and beside an offset', async () => {
    const cursor = await cursorOf('/zones?limit=1');
    const changed = `${cursor.slice(0, -2)}${cursor.at(-2) === 'A' ? 'B' : 'A'}${cursor.at(-1)}`;
    for (const text of ['', 'x', 'AAAA', changed, `${cursor}A`]) {
      const path = `/zones?cursor=${text}`;
      await service.refused(
        'GET',
        path,
        undefined,
        'INVALID_INPUT',
        'next_cursor of a page',
        'local',
      );
    }
    const both = `/zones?offset=1&cursor=${cursor}`;
    await service.refused('GET', both, undefined, 'INVALID_INPUT', 'exclude each other', 'local');
  });
});
