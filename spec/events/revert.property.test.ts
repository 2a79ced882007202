/**
 * Any history of a zone, plain or signed, and any event of it. A model on maps of RRsets says what its inverse is; the
 * inverse of the inverse is the zone as it was.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

type Step =
  | { kind: 'create' | 'bulk'; name: string; type: string; value: number; ttl: number }
  | { kind: 'delete'; name: string; type: string | null }
  | { kind: 'update'; which: number; name: string; type: string | null; value: number; ttl: number }
  | { kind: 'settings'; refresh: number; description: string; enabled: boolean }
  | { kind: 'import'; mode: 'merge' | 'replace'; names: readonly string[]; value: number }
  | { kind: 'rollback' | 'revert'; which: number; types: readonly string[] | null }
  | { kind: 'sign' };

const name = fc.constantFrom('@', 'a', 'b', 'c.a');
const type = fc.constantFrom('A', 'TXT', 'CNAME');
const value = fc.integer({ min: 1, max: 3 });
const types = fc.option(fc.constantFrom(['A'], ['TXT'], ['A', 'CNAME']));
const ttl = fc.constantFrom(60, 300);
const which = fc.nat(1000);
const of = <Kind extends Step['kind']>(...kinds: Kind[]) => ({ kind: fc.constantFrom(...kinds) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...of('create', 'bulk'), name, type, value, ttl }) },
  { weight: 2, arbitrary: fc.record({ ...of('delete'), name, type: fc.option(type) }) },
  {
    weight: 3,
    arbitrary: fc.record({ ...of('update'), which, name, type: fc.option(type), value, ttl }),
  },
  fc.record({
    ...of('settings'),
    refresh: fc.constantFrom(600, 900),
    description: fc.constantFrom('', 'x'),
    enabled: fc.boolean(),
  }),
  fc.record({
    ...of('import'),
    mode: fc.constantFrom('merge', 'replace'),
    names: fc.array(name, { maxLength: 3 }),
    value,
  }),
  { weight: 2, arbitrary: fc.record({ ...of('rollback', 'revert'), which, types }) },
  fc.record(of('sign')),
);

const textOf = (type: string, value: number) =>
  type === 'A' ? `192.0.2.${value}` : type === 'TXT' ? `t${value}` : `target${value}.example.`;

async function ask(method: string, path: string, body?: object) {
  const response = await service.fetch(method, path, body);
  return { status: response.status, body: (await response.json()) as Json };
}

async function records(zone: string): Promise<Json[]> {
  const path = `/records?zone_name=${zone}&limit=1000&sort=name`;
  const { items } = await service.call('GET', path);
  const ids = items.map(({ id }: Json) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return items;
}

async function events(zone: string): Promise<Json[]> {
  const { items } = await service.call('GET', `/events?zone=${zone}&limit=1000&order=asc`);
  return items;
}

const partOf = ({ types }: { types: readonly string[] | null }) =>
  types === null ? {} : { types };

/** Refusals are part of the game: what they leave is judged too. */
async function play(zone: string, step: Step): Promise<void> {
  const inZone = `/zones/${zone}`;
  switch (step.kind) {
    case 'create':
    case 'bulk': {
      const record = { ...step, kind: undefined, value: textOf(step.type, step.value) };
      if (step.kind === 'create') await ask('POST', '/records', { zone_name: zone, ...record });
      else await ask('POST', `${inZone}/records/bulk`, { records: [record] });
      return;
    }
    case 'delete': {
      const type = step.type === null ? '' : `&type=${step.type}`;
      const name = encodeURIComponent(step.name);
      await ask('DELETE', `/records?zone_name=${zone}&name=${name}${type}`);
      return;
    }
    case 'update': {
      const all = await records(zone);
      const record = all[step.which % Math.max(1, all.length)];
      if (record === undefined || record.type === 'NS') return;
      const { name, ttl } = step;
      const type = step.type ?? record.type;
      const body = { name, type, ttl, value: textOf(type, step.value) };
      await ask('PUT', `/records/${record.id}`, body);
      return;
    }
    case 'settings':
      await ask('PUT', inZone, { ...step, kind: undefined });
      return;
    case 'import': {
      const { mode, names, value } = step;
      const lines = names.map((name) => `${name} 60 IN A 192.0.2.${value}`);
      const content = ['@ 60 IN NS ns1.example.', ...lines, ''].join('\n');
      await ask('POST', `${inZone}/import`, { mode, content });
      return;
    }
    case 'rollback': {
      const serial = 1 + (step.which % (await service.serialOf(zone)));
      await ask('POST', `${inZone}/rollback`, { serial, ...partOf(step) });
      return;
    }
    case 'revert': {
      const all = await events(zone);
      const { seq } = all[1 + (step.which % Math.max(1, all.length - 1))] ?? {};
      if (seq !== undefined) await ask('POST', `/events/${seq}/revert`, partOf(step));
      return;
    }
    case 'sign':
      await ask('POST', `${inZone}/dnssec`, { parent_ns_addrs: ['192.0.2.53'] });
  }
}

type Rrsets = Map<string, string>;

/** RRsets by name and type, as text. */
function rrsets(items: readonly Json[], zone: string): Rrsets {
  const lines = new Map<string, string[]>();
  for (const { name, type, ttl, value } of items) {
    const owner = name.endsWith('.') ? name : name === '@' ? `${zone}.` : `${name}.${zone}.`;
    const key = `${owner} ${type}`;
    lines.set(key, [...(lines.get(key) ?? []), `${ttl} ${value}`]);
  }
  return new Map([...lines].map(([key, all]) => [key, all.sort().join('|')]));
}

async function rrsetsAt(zone: string, serial: number): Promise<Rrsets> {
  const version = await service.call('GET', `/zones/${zone}/versions/${serial}`);
  return rrsets(version.records, zone);
}

const settings = ['mname', 'refresh', 'description', 'enabled'] as const;

async function picture(zone: string) {
  const found = (await service.call('GET', `/zones/${zone}`)).zone;
  const items = await records(zone);
  const ids = items.map(
    ({ id, name, type, ttl, value }) => `${id} ${name} ${type} ${ttl} ${value}`,
  );
  return {
    serial: found.serial,
    rrsets: rrsets(items, zone),
    ids: ids.sort(),
    settings: settings.map((field) => found[field]),
  };
}

const sorted = (map: Rrsets) => [...map].sort();

let made = 0;

it('is what the model says, and undone gives back the zone', async () => {
  const seen = { done: 0, conflicts: 0, nothing: 0, signed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), which, async (steps, at) => {
      const zone = `p${++made}.example`;
      await service.createZone(zone);
      for (const each of steps) await play(zone, each);
      const all = (await events(zone)).filter(({ serial }) => serial !== null && serial > 1);
      const event = all[at % Math.max(1, all.length)];
      if (event === undefined) return;
      const { seq, serial, kind } = event;
      const before = await picture(zone);
      const [then, left] = [await rrsetsAt(zone, serial - 1), await rrsetsAt(zone, serial)];
      const touched = [...new Set([...then.keys(), ...left.keys()])].filter(
        (key) => then.get(key) !== left.get(key),
      );
      const now = (key: string) => before.rrsets.get(key);
      const taken = touched.filter(
        (key) => now(key) !== left.get(key) && now(key) !== then.get(key),
      );
      const { status, body } = await ask('POST', `/events/${seq}/revert`);
      const after = await picture(zone);
      if (status !== 200) {
        expect(after).toEqual(before);
        expect(['REVERT_CONFLICT', 'EVENT_NOT_REVERTIBLE', 'RECORD_CONFLICT']).toContain(body.code);
        if (body.code === 'EVENT_NOT_REVERTIBLE') expect(kind).toMatch(/^zone\.(signed|created)/);
        if (body.code === 'REVERT_CONFLICT') {
          seen.conflicts++;
          const listed = body.conflicts.map(({ name, type }: Json) => `${name} ${type}`);
          expect(listed.sort()).toEqual(taken.sort());
          expect(listed.length + body.settings.length).toBeGreaterThan(0);
        }
        return;
      }
      expect(taken).toEqual([]);
      const wanted = new Map(before.rrsets);
      for (const key of touched) {
        if (then.has(key)) wanted.set(key, then.get(key)!);
        else wanted.delete(key);
      }
      expect(sorted(after.rrsets)).toEqual(sorted(wanted));
      expect(after.serial).toBeLessThanOrEqual(before.serial + 1);
      if (after.serial === before.serial) {
        seen.nothing++;
        expect(after).toEqual(before);
        return;
      }
      seen.done++;
      if (all.some(({ kind }) => kind === 'zone.signed')) seen.signed++;
      const last = (await events(zone)).at(-1);
      expect(last).toMatchObject({ kind: 'zone.reverted', reason: `reverts event ${seq}` });
      expect((await ask('POST', `/events/${last.seq}/revert`)).status).toBe(200);
      const again = await picture(zone);
      expect({ ...again, serial: 0 }).toEqual({ ...before, serial: 0 });
    }),
    { numRuns: isLong ? 2000 : 80 },
  );
  expect(seen.done).toBeGreaterThan(0);
  expect(await service.verify()).toEqual([]);
  // In a sample the dice may leave one of them out.
  if (!isLong) return;
  expect(seen.conflicts).toBeGreaterThan(0);
  expect(seen.signed).toBeGreaterThan(0);
});
