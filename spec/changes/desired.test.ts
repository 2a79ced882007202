/** Desired state: a team says what it wants of a zone, and sees what others changed of it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;
let made = 0;

beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
  service.writer.configure({
    guardDefaults: { maxDeletePercent: 100, maxDeletes: 1000, minRecords: 20 },
  });
});
afterAll(() => service.close());

const freshZone = async () => (await service.createZone(`d${++made}.example`)).name as string;
const pathOf = (zone: string, owner: string) => `/zones/${zone}/desired?owner=${owner}`;
const apply = (
  zone: string,
  owner: string,
  lines: readonly string[],
  more: object = {},
  as = 'local',
): Promise<Json> => {
  const content = lines.map((line) => `${line}\n`).join('');
  return service.call('POST', pathOf(zone, owner), { content, ...more }, 200, as);
};
const refused = (
  zone: string,
  owner: string,
  lines: readonly string[],
  code: string,
  says = '',
  more: object = {},
  as = 'local',
): Promise<Json> => {
  const body = { content: lines.map((line) => `${line}\n`).join(''), ...more };
  return service.refused('POST', pathOf(zone, owner), body, code, says, as);
};
const driftOf = (zone: string, owner: string, as = 'local'): Promise<Json> =>
  service.call('GET', `/zones/${zone}/desired/drift?owner=${owner}`, undefined, 200, as);
const changeByHand = (zone: string, change: object): Promise<Json> =>
  service.call('POST', '/changes', { zones: [{ name: zone, ...change }] }, 200, 'local');

const serialOf = async (zone: string): Promise<number> =>
  (await service.call('GET', `/zones/${zone}`, undefined, 200, 'local')).zone.serial;

async function held(zone: string): Promise<string[]> {
  const path = `/records?zone_name=${zone}&limit=1000`;
  const { items } = await service.call('GET', path, undefined, 200, 'local');
  return items
    .map(({ name, type, ttl, value }: Json) => `${name.split('.')[0]} ${ttl} ${type} ${value}`)
    .filter((line: string) => !/ (NS|SOA) /.test(line))
    .sort();
}

describe('what a team wants', () => {
  it('is made, changed and deleted, and leaves all others', async () => {
    const zone = await freshZone();
    await changeByHand(zone, {
      set: [{ name: 'hand', type: 'A', ttl: 60, values: ['192.0.2.9'] }],
    });
    const first = await apply(zone, 'shop', ['www 300 A 192.0.2.1', 'api 300 A 192.0.2.2']);
    expect(first).toMatchObject({ applied: true, zone_name: zone, owner: 'shop', owned: 2 });
    expect(first.serial).toBe(await serialOf(zone));
    await apply(zone, 'shop', ['www 60 A 192.0.2.1', 'www 60 AAAA 2001:db8::1']);
    expect(await held(zone)).toEqual([
      'hand 60 A 192.0.2.9',
      'www 60 A 192.0.2.1',
      'www 60 AAAA 2001:db8::1',
    ]);
    await apply(zone, 'shop', []);
    expect(await held(zone)).toEqual(['hand 60 A 192.0.2.9']);
    expect(await service.verify()).toEqual([]);
  });

  it('moves nothing where it is so already', async () => {
    const zone = await freshZone();
    await apply(zone, 'shop', ['www 300 A 192.0.2.1']);
    const [serial, events] = [await serialOf(zone), service.events()];
    const again = await apply(zone, 'shop', ['www 300 IN A 192.0.2.1', 'www 300 A 192.0.2.1']);
    expect(again.diff.entries).toEqual([]);
    expect([await serialOf(zone), service.events()]).toEqual([serial, events]);
  });

  it('takes what nobody owns, without a serial where the records are so', async () => {
    const zone = await freshZone();
    await changeByHand(zone, { set: [{ name: 'www', type: 'A', ttl: 60, values: ['192.0.2.9'] }] });
    const [serial, events] = [await serialOf(zone), service.events()];
    const taken = { taken_over: [{ name: `www.${zone}.`, type: 'A' }], released: [] };
    const moved = { serial, owned: 1, ...taken, unchanged: false, diff: { entries: [] } };
    const lines = ['www 60 A 192.0.2.9'];
    expect(await apply(zone, 'shop', lines, { dry_run: true })).toMatchObject(moved);
    expect(await apply(zone, 'shop', lines)).toMatchObject(moved);
    const nothing = { taken_over: [], released: [], unchanged: true };
    expect(await apply(zone, 'shop', lines, { dry_run: true })).toMatchObject(nothing);
    expect([await serialOf(zone), service.events()]).toEqual([serial, events + 1]);
    await refused(
      zone,
      'mail',
      ['www 60 A 192.0.2.9'],
      'OWNED',
      `www.${zone}. A belongs to 'shop'`,
    );
    // It owns an RRset whose records others deleted, until it releases that.
    await changeByHand(zone, { delete: [{ name: 'www' }] });
    const freed = { taken_over: [], released: taken.taken_over, unchanged: false };
    expect(await apply(zone, 'shop', [], { dry_run: true })).toMatchObject(freed);
    expect(await apply(zone, 'shop', [])).toMatchObject(freed);
    await apply(zone, 'shop', lines);
    // What it lets go of is deleted, and free then.
    await apply(zone, 'shop', []);
    await apply(zone, 'mail', ['www 60 A 192.0.2.9']);
    expect(await service.verify()).toEqual([]);
  });

  it('is applied as it was looked at, or not', async () => {
    const zone = await freshZone();
    const lines = ['www 300 A 192.0.2.1'];
    const tried = await apply(zone, 'shop', lines, { dry_run: true });
    expect(tried).toMatchObject({ applied: false, dry_run: true });
    expect(await held(zone)).toEqual([]);
    await changeByHand(zone, { add: [{ name: 'new', type: 'A', values: ['192.0.2.3'] }] });
    const { plan_hash } = tried;
    const stale = await refused(
      zone,
      'shop',
      lines,
      'PLAN_STALE',
      'changed since this plan was made',
      { plan_hash },
    );
    expect(stale.body.diff.summary).toEqual({ added: 1, changed: 0, removed: 0 });
    await apply(zone, 'shop', lines, { plan_hash: stale.body.plan_hash });
    expect(await held(zone)).toContain('www 300 A 192.0.2.1');
  });

  it('is held to the guard of the zone', async () => {
    const zone = await freshZone();
    await apply(zone, 'shop', ['www 300 A 192.0.2.1', 'api 300 A 192.0.2.2']);
    const guard = { protect: [{ name: 'www', type: 'A' }] };
    await service.call('PUT', `/zones/${zone}`, { guard }, 200, 'local');
    await refused(zone, 'shop', ['api 300 A 192.0.2.2'], 'GUARDED');
  });

  it('is refused where the file or the owner is wrong', async () => {
    const zone = await freshZone();
    await refused(zone, 'shop', ['www A 192.0.2'], 'INVALID_INPUT', 'content: line 1: A value');
    await refused(zone, 'shop', ['a 1 A 192.0.2.1', 'a 2 A 192.0.2.2'], 'INVALID_INPUT', 'one TTL');
    await refused(zone, 'no!', ['a 1 A 192.0.2.1'], 'INVALID_INPUT', 'owner: ');
    await refused(zone, 'shop', ['a 1 A 192.0.2.1', 'a 1 CNAME b'], 'RECORD_CONFLICT');
    const many = Array.from({ length: 3001 }, (_, index) => `h${index} A 192.0.2.1`);
    await refused(zone, 'shop', many, 'PAYLOAD_TOO_LARGE', 'at most 3000 records');
  });
});

describe('drift', () => {
  it('shows what was changed by hand, undone and rolled back', async () => {
    const zone = await freshZone();
    await apply(zone, 'shop', ['www 300 A 192.0.2.1', 'api 300 A 192.0.2.2']);
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 2, drifted: 0 });
    const serial = await serialOf(zone);
    await changeByHand(zone, {
      set: [{ name: 'www', type: 'A', ttl: 300, values: ['192.0.2.7'] }],
      delete: [{ name: 'api' }],
    });
    const drift = await driftOf(zone, 'shop');
    expect(drift).toMatchObject({ owned: 2, drifted: 2 });
    expect(drift.diff.entries.map(({ change, name }: Json) => [change, name])).toEqual([
      ['removed', `api.${zone}.`],
      ['changed', `www.${zone}.`],
    ]);
    await service.call('POST', `/zones/${zone}/rollback`, { serial }, 200, 'local');
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 2, drifted: 0 });
    await changeByHand(zone, { delete: [{ name: 'api' }] });
    // Applied again, the drift is gone.
    await apply(zone, 'shop', ['www 300 A 192.0.2.1', 'api 300 A 192.0.2.2']);
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 2, drifted: 0 });
  });

  it('shows an event of the team that was undone', async () => {
    const zone = await freshZone();
    await apply(zone, 'shop', ['www 300 A 192.0.2.1']);
    const { items } = await service.call(
      'GET',
      '/events?order=desc&limit=1',
      undefined,
      200,
      'local',
    );
    expect(items[0].kind).toBe('zone.desired');
    await service.call('POST', `/events/${items[0].seq}/revert`, {}, 200, 'local');
    expect(await held(zone)).toEqual([]);
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 1, drifted: 1 });
  });

  it('survives a deletion of the zone, and not its purge', async () => {
    const zone = await freshZone();
    await apply(zone, 'shop', ['www 300 A 192.0.2.1']);
    await service.call('DELETE', `/zones/${zone}`, undefined, 200, 'local');
    await service.call('POST', `/zones/${zone}/restore`, {}, undefined, 'local');
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 1, drifted: 0 });
    await service.call('DELETE', `/zones/${zone}`, undefined, 200, 'local');
    await service.createZone(zone);
    expect(await driftOf(zone, 'shop')).toMatchObject({ owned: 0 });
    expect(await service.verify()).toEqual([]);
  });
});

it('is kept when what came before a checkpoint is deleted, until the zone is purged', async () => {
  const own = new InProcessService({ authenticationRequired: false });
  const { name: zone } = await own.createZone('kept.example');
  const content = 'www 300 A 192.0.2.1\n@ 300 TXT apex\n\\000\\.x.y 300 A 192.0.2.2\n';
  await own.call('POST', pathOf(zone, 'shop'), { content });
  await own.call('DELETE', `/records?zone_name=${zone}&name=www`);
  own.pass(60_000);
  const before = new Date(own.now()).toISOString();
  await own.call('POST', `/zones/${zone}/forget-history`, { before });
  const drift = () => own.call('GET', `/zones/${zone}/desired/drift?owner=shop`);
  expect(await drift()).toMatchObject({ owned: 3, drifted: 1 });
  expect(await own.verify()).toEqual([]);
  await own.call('POST', pathOf(zone, 'shop'), { content: 'www 300 A 192.0.2.3\n' });
  expect(await drift()).toMatchObject({ owned: 1, drifted: 0 });
  expect(await own.verify()).toEqual([]);
  await own.call('DELETE', `/zones/${zone}`);
  await own.call('POST', `/zones/${zone}/purge`);
  expect(await own.verify()).toEqual([]);
  await own.close();
});

describe('rights', () => {
  it('are those of each RRset', async () => {
    const zone = await freshZone();
    const grant = (actions: string[], pattern: string) => ({
      zone_name: zone,
      actions,
      record_name_pattern: pattern,
      record_types: '*',
    });
    await apply(zone, 'shop', ['x.a 300 A 192.0.2.1', 'x.b 300 A 192.0.2.2']);
    const all = ['record:read', 'record:create', 'record:update', 'record:delete'];
    const as = await service.tokenOf(`a-of-${zone}`, [grant(all, '*.a')]);
    // It would let go of what the token may not know of.
    const body = ['x.a 300 A 192.0.2.1'];
    const { body: told } = await refused(zone, 'shop', body, 'FORBIDDEN', 'may not read', {}, as);
    expect(told.error).not.toContain('x.b');
    expect(await driftOf(zone, 'shop', as)).toMatchObject({ owned: 1, drifted: 0 });
    await refused(zone, 'other', ['x.b 300 A 192.0.2.2'], 'FORBIDDEN', 'record:create', {}, as);
    await refused(zone, 'other', ['x.a 300 A 192.0.2.1'], 'OWNED', "'shop'", {}, as);
    await apply(zone, 'other', ['y.a 300 A 192.0.2.5'], {}, as);
    const some = [grant(['record:read', 'record:create'], '*.c')];
    const reader = await service.tokenOf(`c-of-${zone}`, some);
    await changeByHand(zone, { add: [{ name: 'x.c', type: 'A', ttl: 60, values: ['192.0.2.3'] }] });
    await refused(zone, 'c', ['x.c 60 A 192.0.2.3'], 'FORBIDDEN', 'record:update', {}, reader);
    await apply(zone, 'c', ['y.c 60 A 192.0.2.3'], {}, reader);
    await refused(zone, 'c', [], 'FORBIDDEN', 'record:delete', {}, reader);
  });
});

/** What a zone holds and who owns it, as plain maps: RRsets by their name. */
interface Model {
  readonly records: Map<string, string>;
  readonly owners: Map<string, { team: string; value: string }>;
}

const names = ['a', 'b', 'c', 'd', 'e'];
const values = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
const rrsets = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values), { maxKeys: 4 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ team: fc.constantFrom('one', 'two'), wants: rrsets }) },
  {
    weight: 2,
    arbitrary: fc.record({
      hand: fc.constantFrom(...names),
      value: fc.option(fc.constantFrom(...values)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ back: fc.nat(20) }) },
);

class Played {
  readonly zone: string;
  readonly model: Model = { records: new Map(), owners: new Map() };
  /** What the zone held at each serial. */
  readonly versions = new Map<number, ReadonlyMap<string, string>>();

  constructor(zone: string) {
    this.zone = zone;
  }

  async apply(team: string, wants: Readonly<Record<string, string>>): Promise<void> {
    const { records, owners } = this.model;
    const lines = Object.entries(wants).map(([name, value]) => `${name} 60 A ${value}`);
    const foreign = Object.keys(wants).some((name) => (owners.get(name)?.team ?? team) !== team);
    if (foreign) {
      await refused(this.zone, team, lines, 'OWNED');
      return;
    }
    const { plan_hash } = await apply(this.zone, team, lines, { dry_run: true });
    await apply(this.zone, team, lines, { plan_hash });
    for (const [name, owned] of [...owners]) {
      if (owned.team !== team || name in wants) continue;
      owners.delete(name);
      records.delete(name);
    }
    for (const [name, value] of Object.entries(wants)) {
      owners.set(name, { team, value });
      records.set(name, value);
    }
  }

  async byHand(name: string, value: string | null): Promise<void> {
    if (value === null) {
      this.model.records.delete(name);
      await changeByHand(this.zone, { delete: [{ name }] });
    } else {
      this.model.records.set(name, value);
      await changeByHand(this.zone, { set: [{ name, type: 'A', ttl: 60, values: [value] }] });
    }
  }

  async rollBack(which: number): Promise<void> {
    const [serial, records] = [...this.versions].at(which % this.versions.size)!;
    if (serial === (await serialOf(this.zone))) return;
    await service.call('POST', `/zones/${this.zone}/rollback`, { serial }, 200, 'local');
    this.model.records.clear();
    for (const [name, value] of records) this.model.records.set(name, value);
  }

  async compare(): Promise<void> {
    const { records, owners } = this.model;
    this.versions.set(await serialOf(this.zone), new Map(records));
    const lines = [...records].map(([name, value]) => `${name} 60 A ${value}`).sort();
    expect(await held(this.zone)).toEqual(lines);
    for (const team of ['one', 'two']) {
      const own = [...owners].filter(([, owned]) => owned.team === team);
      const drifted = own.filter(([name, { value }]) => records.get(name) !== value);
      const found = await driftOf(this.zone, team);
      expect(found).toMatchObject({ owned: own.length, drifted: drifted.length });
      const shown = found.diff.entries.map((entry: Json) => entry.name.split('.')[0]).sort();
      expect(shown).toEqual(drifted.map(([name]) => name).sort());
    }
  }
}

describe('two teams, changes by hand and rollbacks', () => {
  for (const isSigned of [false, true]) {
    it(`are as a model has them in a zone that is ${isSigned ? 'signed' : 'not signed'}`, async () => {
      const runs = isLong ? 200 : 5;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          const zone = await freshZone();
          service.parents = () => [{ address: '192.0.2.1:53', ds: [], ttlSeconds: null }];
          if (isSigned) {
            const body = { parent_ns_addrs: ['192.0.2.1'] };
            await service.call('POST', `/zones/${zone}/dnssec`, body, 201, 'local');
          }
          const played = new Played(zone);
          await played.compare();
          for (const each of steps) {
            if ('team' in each) await played.apply(each.team, each.wants);
            else if ('hand' in each) await played.byHand(each.hand, each.value);
            else await played.rollBack(each.back);
            await played.compare();
          }
        }),
        { numRuns: runs },
      );
      expect(await service.verify()).toEqual([]);
    });
  }
});
