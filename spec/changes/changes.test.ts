/** Changes of several RRsets and zones as one: POST /changes. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;
let made = 0;

beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
});
afterAll(() => service.close());

const freshZone = async () => (await service.createZone(`z${++made}.example`)).name as string;
const change = (zones: object[], more: object = {}, as = 'local', status = 200): Promise<Json> =>
  service.call('POST', '/changes', { zones, ...more }, status, as);
const refused = (zones: object[], code: string, says = '', more: object = {}, as = 'local') =>
  service.refused('POST', '/changes', { zones, ...more }, code, says, as);
const rrset = (name: string, type: string, ...values: unknown[]) => ({ name, type, values });

/** `www A 60 192.0.2.1`, sorted, without the NS of the apex. */
async function held(zone: string): Promise<string[]> {
  const path = `/records?zone_name=${zone}&limit=1000`;
  const { items } = await service.call('GET', path, undefined, 200, 'local');
  return items
    .map(({ name, type, ttl, priority, value }: Json) => {
      const owner = name.replace(`.${zone}.`, '').replace(`${zone}.`, '@');
      return [owner, type, ttl, ...(priority === null ? [] : [priority]), value].join(' ');
    })
    .filter((line: string) => !line.startsWith('@ NS'))
    .sort();
}

const serialOf = async (zone: string): Promise<number> =>
  (await service.call('GET', `/zones/${zone}`, undefined, 200, 'local')).zone.serial;
const tagOf = async (zone: string) =>
  (await service.fetch('GET', `/zones/${zone}`, undefined, 'local')).headers.get('etag')!;

describe('what is asked for', () => {
  it('is set, added and deleted in one change of each zone', async () => {
    const [one, two] = [await freshZone(), await freshZone()];
    await change([{ name: one, add: [rrset('old', 'A', '192.0.2.9'), rrset('old', 'TXT', 'x')] }]);
    const answer = await change([
      {
        name: one,
        set: [
          { name: 'www', type: 'A', ttl: 60, values: ['192.0.2.1', '192.0.2.2', '192.0.2.1'] },
          rrset('@', 'MX', '10 mail.example.net.', '20 mail2.example.net.'),
          rrset('text', 'TXT', 'one text', ['two', 'segments']),
        ],
        delete: [{ name: 'old', type: 'A' }],
      },
      { name: two.toUpperCase(), add: [rrset(`www.${two}.`, 'AAAA', '2001:db8::1')] },
    ]);
    expect(answer).toMatchObject({ applied: true, dry_run: false });
    expect(answer.zones.map(({ name, serial }: Json) => [name, serial])).toEqual([
      [one, 3],
      [two, 2],
    ]);
    expect(answer.zones[0].etag).toBe(await tagOf(one));
    expect(answer.zones[0].diff.summary).toEqual({ added: 3, changed: 0, removed: 1 });
    expect(answer.zones[0].warnings).toEqual([]);
    expect(await held(one)).toEqual([
      '@ MX 3600 10 mail.example.net.',
      '@ MX 3600 20 mail2.example.net.',
      'old TXT 3600 x',
      'text TXT 3600 one text',
      'text TXT 3600 two,segments',
      'www A 60 192.0.2.1',
      'www A 60 192.0.2.2',
    ]);
    expect(await held(two)).toEqual(['www AAAA 3600 2001:db8::1']);
    const events = await service.call('GET', '/events?limit=2', undefined, 200, 'local');
    expect(events.items.map(({ kind, zone }: Json) => [kind, zone.name])).toEqual([
      ['records.changed', two],
      ['records.changed', one],
    ]);
    expect(new Set(events.items.map(({ request_id: id }: Json) => id)).size).toBe(1);
  });

  it('changes nothing when it is so already, and keeps the ids of what stays', async () => {
    const zone = await freshZone();
    const zones = [{ name: zone, set: [rrset('www', 'A', '192.0.2.1')], delete: [{ name: 'no' }] }];
    await change(zones);
    const before = await service.call(
      'GET',
      `/records?zone_name=${zone}&name=www`,
      undefined,
      200,
      'local',
    );
    const events = service.events();
    const again = await change(zones);
    expect(again.zones[0]).toMatchObject({ serial: 2, diff: { entries: [] } });
    expect(service.events()).toBe(events);
    await change([
      { name: zone, set: [{ ...rrset('www', 'A', '192.0.2.2', '192.0.2.1'), ttl: 5 }] },
    ]);
    const after = await service.call(
      'GET',
      `/records?zone_name=${zone}&name=www`,
      undefined,
      200,
      'local',
    );
    const kept = after.items.find(({ value }: Json) => value === '192.0.2.1');
    expect(kept).toEqual({ ...before.items[0], ttl: 5 });
    // A TTL that is left out is that of the RRset.
    await change([{ name: zone, add: [rrset('www', 'A', '192.0.2.3')] }]);
    expect(await held(zone)).toEqual(['1', '2', '3'].map((host) => `www A 5 192.0.2.${host}`));
  });

  it('is deleted by name, by type and by value, and can come again in the same change', async () => {
    const zone = await freshZone();
    const add = ['a', 'b', 'c'].map((name) => rrset(name, 'A', '192.0.2.1', '192.0.2.2'));
    await change([
      { name: zone, add: [...add, rrset('a', 'TXT', 'x'), rrset('m', 'MX', '5 m.test.')] },
    ]);
    await change([
      {
        name: zone,
        add: [rrset('a', 'A', '192.0.2.7')],
        delete: [
          { name: 'a' },
          { name: 'b', type: 'A' },
          { name: 'c', type: 'A', value: '192.0.2.2' },
          { name: 'm', type: 'MX', value: '6 m.test.' },
        ],
      },
    ]);
    expect(await held(zone)).toEqual([
      'a A 3600 192.0.2.7',
      'c A 3600 192.0.2.1',
      'm MX 3600 5 m.test.',
    ]);
    await refused(
      [{ name: zone, delete: [{ name: 'c', value: 'x' }] }],
      'INVALID_INPUT',
      'delete[0]',
    );
  });

  it('is refused whole, with the place of what is wrong', async () => {
    const [one, two] = [await freshZone(), await freshZone()];
    const good = { name: one, set: [rrset('www', 'A', '192.0.2.1')] };
    const events = service.events();
    for (const [bad, code, says] of [
      [
        { set: [rrset('www', 'A', '192.0.2')] },
        'INVALID_RECORD_VALUE',
        'zones[1].set[0].values[0]: ',
      ],
      [{ add: [rrset('www', 'A')] }, 'INVALID_RECORD_VALUE', 'zones[1].add[0].values'],
      [{ set: [rrset('www.test.', 'A', '192.0.2.1')] }, 'INVALID_RECORD_NAME', 'zones[1].set[0]'],
      [{ set: [rrset('a', 'SOA', 'x')] }, 'INVALID_RECORD_VALUE', 'zones[1].set[0].type'],
      [{ set: [rrset('m', 'MX', 'm.test.')] }, 'INVALID_RECORD_VALUE', 'zones[1].set[0]'],
      [
        { set: [rrset('w', 'A', '1.2.3.4'), rrset('W', 'a', '1.2.3.4')] },
        'INVALID_INPUT',
        'set[1]',
      ],
      [{ add: [rrset('x', 'CNAME', 'a.test.', 'b.test.')] }, 'RECORD_CONFLICT', 'zones[1]'],
      [{ delete: [{ name: '@', type: 'NS' }] }, 'RECORD_CONFLICT', 'zones[1]'],
      [{ name: 'none.example' }, 'ZONE_NOT_FOUND', 'none.example'],
      [{ name: one }, 'INVALID_INPUT', 'zones[1].name'],
      [{ if_match: '"1-1"' }, 'PRECONDITION_FAILED', 'serial 1'],
      [{ if_match: 'x' }, 'INVALID_INPUT', 'if_match'],
    ] as const) {
      await refused([good, { name: two, ...bad }], code, says);
    }
    expect(service.events()).toBe(events);
    const rrsets = Array.from({ length: limits.changeItems / 2 + 1 }, () => rrset('a', 'A', '::'));
    await refused([{ name: one, add: rrsets }], 'PAYLOAD_TOO_LARGE', String(limits.changeItems));
    const many = Array.from({ length: limits.changedZones + 1 }, () => ({ name: one }));
    await refused(many, 'PAYLOAD_TOO_LARGE', String(limits.changedZones));
  });

  it('says why in the body, or else in headers', async () => {
    const zone = await freshZone();
    await service.call('POST', '/roles', { name: 'careful', reason_required: true }, 201, 'local');
    const grant = { actions: ['record:create', 'record:read'] };
    await service.call('POST', '/roles/careful/grants', grant, 201, 'local');
    const careful = { name: 'careful', role_name: 'careful' };
    const { secret } = await service.call('POST', '/tokens', careful, 201, 'local');
    const zones = [{ name: zone, add: [rrset('www', 'A', '192.0.2.1')] }];
    await refused(zones, 'REASON_REQUIRED', '', {}, secret);
    await refused(zones, 'INVALID_INPUT', "'reason'", { reason: 'x'.repeat(1001) }, secret);
    await change(zones, { reason: ' für später ', reference: 'OPS-1' }, secret);
    expect(service.lastEvent()).toMatchObject({ reason: 'für später', reference: 'OPS-1' });
  });

  it('warns, in each zone', async () => {
    const zone = await freshZone();
    const { zones } = await change([{ name: zone, set: [rrset('a', 'CNAME', `gone.${zone}.`)] }]);
    expect(zones[0].warnings).toMatchObject([{ code: 'CNAME_TARGET_MISSING' }]);
  });

  it('is signed in signed zones, several at a time', async () => {
    const names = [await freshZone(), await freshZone()];
    service.parents = () => [{ address: '192.0.2.1:53', ds: [], ttlSeconds: null }];
    for (const name of names) {
      const body = { parent_ns_addrs: ['192.0.2.1'] };
      await service.call('POST', `/zones/${name}/dnssec`, body, 201, 'local');
    }
    const { zones } = await change(
      names.map((name) => ({ name, set: [rrset('www', 'A', '192.0.2.1')] })),
    );
    for (const { name, etag } of zones) {
      expect(etag).toBe(await tagOf(name));
      const path = `/records?zone_name=${name}&signed=true&name=www&type=RRSIG`;
      const { items } = await service.call('GET', path, undefined, 200, 'local');
      expect(items).toHaveLength(1);
    }
    expect(await service.verify()).toEqual([]);
  });
});

describe('a plan', () => {
  it('is applied as it was looked at, and not when it is another one by now', async () => {
    const [one, two] = [await freshZone(), await freshZone()];
    const zones = [
      { name: one, set: [rrset('www', 'A', '192.0.2.1')] },
      { name: two, set: [rrset('www', 'A', '192.0.2.2')] },
    ];
    const events = service.events();
    const plan = await change(zones, { dry_run: true });
    expect(plan).toMatchObject({ applied: false, dry_run: true });
    expect(await change(zones, { dry_run: true })).toEqual(plan);
    expect(service.events()).toBe(events);
    // Another change than the one that was looked at.
    const others = [zones[0]!, { name: two, set: [rrset('www', 'A', '192.0.2.3')] }];
    await refused(others, 'PLAN_STALE', '', { plan_hash: plan.plan_hash });
    await refused(zones, 'PLAN_STALE', '', { plan_hash: 'x' });
    const done = await change([...zones].reverse(), { plan_hash: plan.plan_hash });
    expect(done.plan_hash).toBe(plan.plan_hash);
    expect([await serialOf(one), await serialOf(two)]).toEqual([2, 2]);
    // By now nothing is left to do, which is another plan.
    const stale = await refused(zones, 'PLAN_STALE', 'changed since this plan was made', {
      plan_hash: plan.plan_hash,
    });
    expect(stale.status).toBe(409);
    const empty = { entries: [], summary: { added: 0, changed: 0, removed: 0 } };
    expect(stale.body.zones).toMatchObject([
      { serial: 2, diff: empty },
      { serial: 2, diff: empty },
    ]);
    const { plan_hash } = stale.body;
    await change(zones, { plan_hash });
    // Any other change of one of its zones makes it stale, also by who comes between.
    await change([{ name: two, set: [rrset('other', 'A', '192.0.2.3')] }]);
    await refused(zones, 'PLAN_STALE', '', { plan_hash });
    await refused(zones, 'PLAN_STALE', '', { plan_hash, dry_run: true });
  });

  it('that is stale is never applied, whoever races', async () => {
    const zone = await freshZone();
    for (let round = 0; round < 10; round++) {
      const plans = await Promise.all(
        Array.from({ length: 8 }, async (_, host) => {
          const zones = [{ name: zone, set: [rrset('www', 'A', `192.0.${round}.${host}`)] }];
          return { zones, plan: await change(zones, { dry_run: true }) };
        }),
      );
      const statuses = await Promise.all(
        plans.map(async ({ zones, plan }) => {
          const body = { zones, plan_hash: plan.plan_hash };
          return (await service.fetch('POST', '/changes', body, 'local')).status;
        }),
      );
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    }
    expect(await serialOf(zone)).toBe(11);
  });

  it('tells nothing of values that the caller may not read', async () => {
    const zone = await freshZone();
    const grant = { zone_name: zone, actions: ['record:create', 'record:update', 'record:delete'] };
    const blind = await service.tokenOf(`blind${made}`, [grant]);
    const hashes = new Set<string>();
    for (const value of ['192.0.2.1', '192.0.2.2']) {
      const fresh = await freshZone();
      await change([{ name: fresh, set: [rrset('www', 'A', value)] }]);
      const zones = [{ name: zone, set: [rrset('www', 'A', '192.0.2.3')] }];
      const plan = await change(zones, { dry_run: true }, blind);
      hashes.add(plan.plan_hash);
      expect(plan.zones[0].diff.entries).toMatchObject([{ change: 'added', from: [] }]);
    }
    expect(hashes.size).toBe(1);
  });
});

describe('32 clients with one entity tag', () => {
  it('have one winner each time', async () => {
    const zone = await freshZone();
    for (let round = 1; round <= 20; round++) {
      const tag = await tagOf(zone);
      const body = (client: number) => ({
        zones: [
          {
            name: zone,
            if_match: tag,
            set: [rrset('www', 'A', `192.0.2.${client}`), rrset('n', 'A', `10.0.0.${round}`)],
          },
        ],
      });
      const statuses = await Promise.all(
        Array.from({ length: 32 }, async (_, client) => {
          return (await service.fetch('POST', '/changes', body(client), 'local')).status;
        }),
      );
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 31 }, () => 412)]);
      expect(await serialOf(zone)).toBe(1 + round);
    }
  });
});

describe('rights', () => {
  const all = ['record:read', 'record:create', 'record:update', 'record:delete'];

  it.each([
    ['record:create', { add: [rrset('www', 'A', '192.0.2.2')] }],
    ['record:create', { set: [rrset('www', 'A', '192.0.2.1', '192.0.2.2')] }],
    ['record:delete', { set: [rrset('www', 'A', '192.0.2.5')] }],
    ['record:update', { set: [{ ...rrset('www', 'A', '192.0.2.1'), ttl: 7 }] }],
    ['record:update', { add: [{ ...rrset('www', 'A', '192.0.2.1'), ttl: 7 }] }],
    ['record:delete', { delete: [{ name: 'www' }] }],
    ['record:delete', { delete: [{ name: 'none' }] }],
    ['record:read', {}],
  ])('%s is needed for %j', async (action, changes) => {
    const zone = await freshZone();
    await change([{ name: zone, set: [rrset('www', 'A', '192.0.2.1')] }]);
    const lacking = { zone_name: zone, actions: all.filter((one) => one !== action) };
    const token = await service.tokenOf(`lacks${made}`, [lacking]);
    const zones = [{ name: zone, ...changes }];
    if (action === 'record:read') await change(zones, {}, token);
    else await refused(zones, 'FORBIDDEN', `'${action}'`, {}, token);
    expect(await serialOf(zone)).toBe(2);
    await service.tokenOf(`has${made}`, [{ zone_name: zone, actions: all }]);
  });

  it('are those of all zones, or nothing is done; who may not read needs all that set can do', async () => {
    const [own, other, hidden] = [await freshZone(), await freshZone(), await freshZone()];
    const token = await service.tokenOf(`own${made}`, [
      { zone_name: own, actions: all },
      { zone_name: other, actions: ['record:create', 'record:delete'] },
    ]);
    const set = [rrset('www', 'A', '192.0.2.1')];
    await refused(
      [
        { name: own, set },
        { name: other, set },
      ],
      'FORBIDDEN',
      "'record:update'",
      {},
      token,
    );
    await refused(
      [
        { name: own, set },
        { name: hidden, set },
      ],
      'ZONE_NOT_FOUND',
      hidden,
      {},
      token,
    );
    expect(await serialOf(own)).toBe(1);
    await change(
      [
        { name: own, set },
        { name: other, add: set },
      ],
      {},
      token,
    );
  });
});

describe('a history of random changes', () => {
  /** A zone as a plain map from name and type to TTL and values. */
  type Model = Map<string, { ttl: number; values: Set<string> }>;
  const name = fc.constantFrom('a', 'b', 'x.b');
  const type = fc.constantFrom('A', 'TXT');
  const textOf = (of: string, number: number) => (of === 'A' ? `192.0.2.${number}` : `t${number}`);
  const asked = fc.tuple(
    name,
    type,
    fc.option(fc.constantFrom(60, 300), { nil: undefined }),
    fc.uniqueArray(fc.nat(3), { minLength: 1 }),
  );
  const zoneChanges = fc.record({
    set: fc.uniqueArray(asked, { maxLength: 2, selector: ([owner, of]) => `${owner} ${of}` }),
    add: fc.array(asked, { maxLength: 2 }),
    delete: fc.array(
      fc.tuple(name, fc.option(type, { nil: undefined }), fc.option(fc.nat(3), { nil: undefined })),
      { maxLength: 2 },
    ),
  });

  function play(model: Model, changes: Json): void {
    for (const [owner, of, number] of changes.delete) {
      for (const [key, { values }] of model) {
        const [itsOwner, itsType] = key.split(' ');
        if (itsOwner !== owner || (of !== undefined && of !== itsType)) continue;
        if (of === undefined || number === undefined) values.clear();
        else values.delete(textOf(of, number));
        if (values.size === 0) model.delete(key);
      }
    }
    for (const kind of ['set', 'add'] as const) {
      for (const [owner, of, ttl, numbers] of changes[kind]) {
        const key = `${owner} ${of}`;
        const before = model.get(key);
        const values = new Set(kind === 'add' ? before?.values : []);
        for (const number of numbers) values.add(textOf(of, number));
        model.set(key, { ttl: ttl ?? before?.ttl ?? 3600, values });
      }
    }
  }

  const linesOf = (model: Model) =>
    [...model]
      .flatMap(([key, { ttl, values }]) => [...values].map((value) => `${key} ${ttl} ${value}`))
      .sort();

  const bodyOf = (zone: string, changes: Json) => {
    const rrsets = (list: Json[]) =>
      list.map(([owner, of, ttl, numbers]) => ({
        name: owner,
        type: of,
        ttl,
        values: numbers.map((number: number) => textOf(of, number)),
      }));
    return {
      name: zone,
      set: rrsets(changes.set),
      add: rrsets(changes.add),
      delete: changes.delete.map(([owner, of, number]: Json) => ({
        name: owner,
        type: of,
        value: of === undefined || number === undefined ? undefined : textOf(of, number),
      })),
    };
  };

  it('ends as a plain map does, each serial one further where something differs', async () => {
    const history = fc.array(fc.tuple(zoneChanges, zoneChanges), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const names = [await freshZone(), await freshZone()];
        const models: Model[] = [new Map(), new Map()];
        for (const step of steps) {
          const before = models.map(linesOf);
          const serials = await Promise.all(names.map(serialOf));
          for (const [index, model] of models.entries()) play(model, step[index]);
          const zones = names.map((zone, index) => bodyOf(zone, step[index]));
          const plan = await change(zones, { dry_run: true });
          const done = await change(zones, { plan_hash: plan.plan_hash });
          expect(done).toEqual({ ...plan, applied: true, dry_run: false });
          for (const [index, zone] of names.entries()) {
            const lines = linesOf(models[index]!);
            expect(await held(zone)).toEqual(lines);
            const moved = JSON.stringify(lines) === JSON.stringify(before[index]) ? 0 : 1;
            expect(done.zones[index].serial).toBe(serials[index]! + moved);
          }
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 25) },
    );
    expect(await service.verify()).toEqual([]);
  });
});
