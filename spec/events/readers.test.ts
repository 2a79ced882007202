/**
 * Many readers of random grants and filters, who lose their connection now and then, while all kinds of things change
 * and the service is killed: each has exactly the events that a model says, in order and once.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { type RunningService, startService } from '../support/service.ts';
import { seenOf } from '../visibility/event-rows.ts';
import { ModelCaller, type ModelGrant } from '../visibility/model.ts';
import { Random } from '../visibility/random.ts';

// biome-ignore lint/suspicious/noExplicitAny: events are looked into freely.
type Json = any;

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));
const random = new Random(seed);
const [readers, changes, kills] = isLong ? [200, 20_000, 8] : [12, 300, 2];
const zones = ['a.example', 'b.example', 'c.example'];
const owners = ['@', 'www', 'sub', 'a.sub', 'mail'];
const values = { A: '192.0.2.1', TXT: 'words', AAAA: '2001:db8::1' } as const;
const types = Object.keys(values) as (keyof typeof values)[];

let service: RunningService;

beforeAll(async () => {
  service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_LOGGING_LEVEL: 'warn',
  });
});
afterAll(() => service[Symbol.asyncDispose]());

/** One request by the local socket; its answer, or undefined when the service is away. */
function local(method: string, path: string, body?: object): Promise<Json> {
  const payload = body && JSON.stringify(body);
  const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
  const socketPath = join(service.dataDir, 'zonebook.sock');
  return new Promise((resolve) => {
    const outgoing = request({ socketPath, agent: false, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        const status = response.statusCode!;
        resolve({ status, ...JSON.parse(Buffer.concat(chunks).toString()) });
      });
    });
    outgoing.on('error', () => resolve(undefined));
    outgoing.end(payload);
  });
}

/** One random change, or an attempt at one. */
function change(number: number): Promise<Json> {
  const zone_name = random.one(zones);
  const type = random.one(types);
  const name = random.one(owners);
  const record = {
    zone_name,
    name,
    type,
    value: `${values[type]}${type === 'A' ? number % 20 : ''}`,
  };
  switch (random.below(12)) {
    case 0:
      return local('PUT', `/zones/${zone_name}`, { retry: 60 + (number % 1000) });
    case 1:
      return local('POST', '/roles', { name: `role-${number}` });
    case 2:
      return local('POST', '/secondaries', {
        name: `ns-${number}`,
        address: `192.0.2.9:${number + 1}`,
      });
    case 3:
      return local('POST', '/zones', {
        name: `z${number}.example`,
        mname: 'ns1.example.net',
        rname: 'hostmaster@example.net',
      });
    case 4:
      return local('DELETE', `/zones/z${random.below(number + 1)}.example`);
    case 5:
    case 6:
    case 7:
      return local('DELETE', `/records?zone_name=${zone_name}&name=${name}&type=${type}`);
    case 8: {
      const records = types.map((each) => ({
        name: `n${number % 7}`,
        type: each,
        value: values[each],
      }));
      return local('POST', '/records/bulk', { zone_name, records });
    }
    default:
      return local('POST', '/records', record);
  }
}

class Reader {
  readonly events: Json[] = [];
  readonly model: ModelCaller;
  readonly query: ReadonlyMap<string, string>;
  readonly #token: string;
  readonly #after: number;
  #connection: { destroy(): void } | undefined;

  constructor(
    grants: readonly ModelGrant[],
    token: string,
    query: Map<string, string>,
    after: number,
  ) {
    this.model = new ModelCaller(grants);
    this.query = query;
    this.#token = token;
    this.#after = after;
  }

  get after(): number {
    return this.#after;
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  drop(): void {
    this.#connection?.destroy();
  }

  /** Reads until the stream ends, however it does. True when it was there, and ended as it should. */
  read(before?: number): Promise<boolean> {
    const after = this.events.at(-1)?.seq ?? this.#after;
    const query = new URLSearchParams([...this.query, ['after', String(after)]]);
    if (before !== undefined) query.set('before', String(before));
    const headers = { accept: 'application/x-ndjson', authorization: `Bearer ${this.#token}` };
    const path = `/events/stream?${query}`;
    return new Promise((resolve) => {
      const outgoing = request({ port: service.apiPort, path, headers }, (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop()!;
          for (const line of lines) if (line !== '') this.events.push(JSON.parse(line));
          // Some readers hang up by themselves.
          if (before === undefined && random.next() < 0.02) response.destroy();
        });
        response.on('error', () => resolve(false));
        response.on('close', () => resolve(response.complete && response.statusCode === 200));
      });
      this.#connection = outgoing;
      outgoing.on('error', () => resolve(false));
      outgoing.end();
    });
  }
}

async function makeReader(number: number, ids: ReadonlyMap<string, number>): Promise<Reader> {
  const grants = Array.from({ length: random.below(4) }, () => ({
    zoneName: random.next() < 0.3 ? undefined : random.one(zones),
    actions: random.some(['zone:read', 'record:read', 'record:create'], 0.6),
    pattern: random.one(['*', '*', 'www', '*.sub', '@', 'www.**']),
    types: random.one(['*', '*', 'A', 'A,TXT']),
  })).filter(({ actions }) => actions.length > 0);
  const name = `reader-${number}`;
  const isBoss = random.next() < 0.2;
  await local('POST', '/roles', { name });
  for (const { zoneName, actions, pattern, types: list } of grants) {
    const narrows = actions.some((action) => action.startsWith('record:'));
    await local('POST', `/roles/${name}/grants`, {
      actions,
      ...(zoneName === undefined ? {} : { zone_name: zoneName }),
      ...(narrows ? { record_name_pattern: pattern, record_types: list } : {}),
    });
  }
  const role_name = isBoss ? 'admin' : name;
  const { secret } = await local('POST', '/tokens', { name, role_name });
  const filters: [string, string][] = [
    ['zone_id', String(ids.get(random.one(zones)))],
    ['type', random.one(types)],
    ['kind', random.one(['records.changed', 'zone.created', 'role.created'])],
  ];
  const query = new Map(filters.filter(() => random.next() < 0.2));
  const all = ['zone:read', 'record:read', 'access:manage', 'secondary:read', 'dnssec:read'];
  const model = isBoss
    ? [{ zoneId: null, actions: all, pattern: '*', types: '*' }]
    : grants.map(({ zoneName, ...rest }) => {
        const narrows = rest.actions.some((action) => action.startsWith('record:'));
        const zoneId = zoneName === undefined ? null : ids.get(zoneName)!;
        return { zoneId, ...rest, ...(narrows ? {} : { pattern: '*', types: '*' }) };
      });
  return new Reader(model, secret, query, random.below(10));
}

/** All events, as an administrator reads them. */
async function everything(): Promise<Json[]> {
  const all: Json[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await local('GET', `/events?order=asc&limit=1000&after=${after}`);
    all.push(...page.items);
    after = page.next_after;
  }
  return all;
}

/** Without what may be another answer later. */
const steady = ({ zone, ...event }: Json) => JSON.stringify({ ...event, zone: zone?.id });

it(`readers have what the model says (seed ${seed})`, {
  timeout: isLong ? 3_600_000 : 300_000,
}, async () => {
  const ids = new Map<string, number>();
  for (const name of zones) {
    const body = { name, mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
    ids.set(name, (await local('POST', '/zones', body)).zone.id);
  }
  const all: Reader[] = [];
  for (let number = 0; number < readers; number++) all.push(await makeReader(number, ids));
  let isChanging = true;
  const following = all.map(async (reader) => {
    while (isChanging) {
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  const deaths = new Set(
    Array.from({ length: kills }, (_, index) => Math.floor(((index + 1) * changes) / (kills + 1))),
  );
  let made = 0;
  const changeMany = async () => {
    while (made < changes) {
      const number = made++;
      if (deaths.has(number)) {
        await service.end('SIGKILL');
        await service.start();
      }
      while ((await change(number)) === undefined && made < changes) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  await Promise.all([changeMany(), changeMany(), changeMany(), changeMany()]);
  const events = await everything();
  const expected = all.map((reader) =>
    events
      .filter(({ seq }) => seq > reader.after)
      .map((event) => seenOf(reader.model, reader.query, event))
      .filter((event) => event !== undefined),
  );
  // All of it comes to those who wait.
  const waits = () => all.some(({ events }, index) => events.length < expected[index]!.length);
  while (waits()) {
    const had = all.map(({ events }) => events.length);
    const moves = () => !waits() || all.some(({ events }, index) => events.length > had[index]!);
    await expect.poll(moves).toBe(true);
  }
  isChanging = false;
  for (const reader of all) reader.drop();
  await Promise.all(following);
  const last = events.at(-1)!.seq;
  for (const [index, reader] of all.entries()) {
    while (!(await reader.read(last + 1)));
    expect(reader.seqs).toEqual(expected[index]!.map(({ seq }) => seq));
    expect(reader.events.map(steady)).toEqual(expected[index]!.map(steady));
  }
});
