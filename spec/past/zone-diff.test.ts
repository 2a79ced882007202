/** Zones compared with master files and with each other: what the import of the difference would do. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';
import { runs } from '../support/stored-zones.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'compared.example';
let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await makeHistory(service, name, 'local');
});
afterAll(() => service.close());

const path = `/zones/${name}/diff`;
const compare = (body: object, as = 'local') => service.call('POST', path, body, 200, as);
interface Entry {
  readonly change: string;
  readonly name: string;
  readonly type: string;
}
const changes = ({ diff }: { diff: { entries: readonly Entry[] } }) =>
  diff.entries.map((entry) => `${entry.change} ${entry.name.split('.')[0]} ${entry.type}`);
const file = `@ 3600 NS ns1.${name}.\ntext 60 TXT a b\nnew A 192.0.2.9\nnew A 192.0.2.9\n`;

it('compares with a file, now and then, and changes nothing', async () => {
  const found = await compare({ content: file });
  expect(changes(found)).toEqual(['added new A', 'changed text TXT']);
  expect(found).toMatchObject({ from_serial: 6, to_serial: null, next_cursor: null });
  expect(found.diff.summary).toEqual({ added: 1, changed: 1, removed: 0 });
  expect(found.diff.entries[0].to).toHaveLength(1);
  const then = await compare({ content: file, at: '3' });
  expect(changes(then)).toEqual(['added new A', 'added text TXT', 'removed www A']);
  expect(then.from_serial).toBe(3);
  const { zone } = await service.call('GET', `/zones/${name}`, undefined, 200, 'local');
  expect(zone.serial).toBe(6);
});

it('answers parts of it', async () => {
  const first = await compare({ content: file, at: '3', limit: 2 });
  expect(changes(first)).toEqual(['added new A', 'added text TXT']);
  const rest = await compare({ content: file, limit: 2, cursor: first.next_cursor });
  expect(changes(rest)).toEqual(['removed www A']);
  expect(rest).toMatchObject({ from_serial: 3, next_cursor: null });
  expect(changes(await compare({ content: file, name: 'new' }))).toEqual(['added new A']);
  expect(changes(await compare({ content: file, type: 'TXT' }))).toEqual(['changed text TXT']);
  expect(changes(await compare({ content: file, value: '.2.9' }))).toEqual(['added new A']);
  expect(changes(await compare({ content: file, value: '"A" ' }))).toEqual(['changed text TXT']);
  expect(changes(await compare({ content: file, value: '198.51' }))).toEqual([]);
  const between = async (value: string) =>
    service.call(
      'GET',
      `/zones/${name}/versions/diff?from=3&to=6&value=${value}`,
      undefined,
      200,
      'local',
    );
  const all = changes(await between(''));
  const some = changes(await between('192.0.2'));
  expect(some.length).toBeGreaterThan(0);
  expect(some.length).toBeLessThan(all.length);
  expect(all).toEqual(expect.arrayContaining(some));
  expect((await compare({ content: file, summary: true })).diff).toEqual({
    entries: [],
    summary: { added: 1, changed: 1, removed: 0 },
  });
});

it('compares two zones by owners relative to them', async () => {
  const { id } = await service.createZone('other.example', { mname: `ns1.${name}` });
  expect(id).toBeGreaterThan(0);
  const record = { zone_name: 'other.example', name: 'www', type: 'A', value: '192.0.2.1' };
  await service.call('POST', '/records', record, 201, 'local');
  const found = await compare({ other: 'other.example' });
  expect(changes(found)).toEqual(['removed text TXT', 'added www A']);
  expect(found.diff.entries[1].name).toBe(`www.${name}.`);
  expect(found).toMatchObject({ from_serial: 6, to_serial: 2 });
  const then = await compare({ other: 'other.example', other_at: '1', at: '1' });
  expect(changes(then)).toEqual([]);
});

it('needs to read both as a whole, and a file that can be read', async () => {
  const grant = { zone_name: name, actions: ['record:read'] };
  const reader = await service.tokenOf('reader', [grant]);
  await service.createZone('unseen.example');
  expect(changes(await compare({ content: file }, reader))).toHaveLength(2);
  const refused = (body: object, code: string, says: string, as = reader) =>
    service.refused('POST', path, body, code, says, as);
  await refused({ other: 'unseen.example' }, 'ZONE_NOT_FOUND', "zone 'unseen.example'");
  const narrow = await service.tokenOf('narrow', [{ ...grant, record_types: 'A' }]);
  await refused({ content: file }, 'FORBIDDEN', 'record:read', narrow);
  await refused({}, 'INVALID_INPUT', "'content' or 'other'");
  await refused({ content: file, other: name }, 'INVALID_INPUT', 'not both');
  await refused({ content: 'www A 192.0.2\n' }, 'INVALID_INPUT', 'content: line 1: A value');
  await refused({ content: file, at: '9' }, 'VERSION_NOT_FOUND', '9');
  await refused({ content: file, at: 'x' }, 'INVALID_INPUT', 'at: must be');
  await refused({ content: file, cursor: 'x' }, 'INVALID_INPUT', 'next_cursor');
});

it('finds what an import of the file in its place would do, for any zones', async () => {
  const line = fc.record({
    owner: fc.constantFrom('a', 'b', 'B', 'a.b', '*.b', 'c'),
    ttl: fc.constantFrom(60, 300),
    data: fc.constantFrom('A 192.0.2.1', 'A 192.0.2.2', 'TXT x', 'TXT "x y"', 'MX 5 mail.example.'),
  });
  let made = 0;
  const property = fc.asyncProperty(fc.array(line), fc.array(line), async (one, other) => {
    const zone = `z${++made}.example`;
    await service.createZone(zone);
    // One TTL for each RRset, as a zone has it.
    const text = (lines: typeof one) => {
      const ttls = new Map<string, number>();
      const ttlOf = ({ owner, ttl, data }: (typeof one)[number]) => {
        const key = `${owner.toLowerCase()} ${data.split(' ')[0]}`;
        ttls.set(key, ttls.get(key) ?? ttl);
        return ttls.get(key);
      };
      const all = lines.map((each) => `${each.owner} ${ttlOf(each)} ${each.data}\n`);
      return `@ NS ns1.${zone}.\n${all.join('')}`;
    };
    const load = (content: string, dry: boolean) => {
      const body = { content, mode: 'replace', dry_run: dry };
      return service.call('POST', `/zones/${zone}/import`, body, 200, 'local');
    };
    await load(text(one), false);
    const { diff } = await load(text(other), true);
    const body = { content: text(other) };
    const found = await service.call('POST', `/zones/${zone}/diff`, body, 200, 'local');
    expect(found.diff).toEqual(diff);
  });
  await fc.assert(property, { numRuns: runs(25) });
});

it('of a file with errors takes the place of no answer that is still to be read', async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `slow${index} 60 A 192.0.2.1\n`);
  const slow = await service.fetch('POST', path, { content: lines.join(''), limit: 1000 }, 'local');
  for (let times = 0; times < 8; times++) {
    const bad = { content: 'www A none\n' };
    await service.refused('POST', path, bad, 'INVALID_INPUT', '', 'local');
  }
  expect((await jsonOf(slow)).diff.entries).toHaveLength(1000);
});
