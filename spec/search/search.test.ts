/**
 * What searches find, for any history of several zones. The judge is a list of what was there, kept by the test and
 * looked through word by word.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SearchIndexer } from '../../src/background/search/search-indexer.ts';
import { InProcessService } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';

let service: InProcessService;
beforeEach(() => {
  service = new InProcessService();
});
afterEach(() => service.close());

interface Row {
  readonly zone: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

const zones = ['alpha.example', 'beta.example', 'alpha-two.test'];
const names = ['www', 'mail', 'www.dept', 'host-12', 'host-123', '*.wild', '@'];
const values: readonly (readonly [type: string, value: string])[] = [
  ['A', '192.0.2.1'],
  ['A', '192.0.2.12'],
  ['A', '192.0.3.1'],
  ['A', '203.0.113.255'],
  ['AAAA', '2001:db8::1'],
  ['AAAA', '2001:db8:1::1'],
  ['MX', 'mail.alpha.example.'],
  ['TXT', 'v=spf1 ip4:192.0.2.1 include:_spf.beta.example -all'],
  ['TXT', 'Owner: Grüße an Team-Blue'],
  ['SRV', '5 5060 sip.beta.example.'],
];
const questions = [
  'www',
  'host-12',
  'ost-1',
  'dept',
  'wild',
  'mail.alpha',
  '192.0.2.1',
  '192.0.2.',
  '192.0',
  '203.0.113.25',
  '192.0.2.0/24',
  '192.0.2.0/23',
  '0.0.0.0/0',
  '2001:DB8:0::1',
  '2001:db8::/32',
  '_spf.beta',
  'SPF1',
  'grüße',
  'team-blue',
  '5060',
  'include:_spf',
  'nothing-like-it',
  '192.0.2.300',
];

const address4 = (text: string) =>
  text.split('.').reduce((number, part) => number * 256 + Number(part), 0);

/** The words of a value, as somebody reads them. */
const wordsOf = ({ type, value }: Row) =>
  type === 'A' || type === 'AAAA' ? [] : value.toLowerCase().match(/[^\s:=]+/g)!;

/** Whether the value is what a question is about. */
function hasValue(row: Row, question: string): boolean {
  const { type, value } = row;
  const folded = question.toLowerCase();
  if (type === 'A') {
    const [, prefix, bits] = /^([\d.]+)\/(\d+)$/.exec(folded) ?? [];
    if (prefix !== undefined) {
      const size = 2 ** (32 - Number(bits));
      return Math.floor(address4(value) / size) === Math.floor(address4(prefix) / size);
    }
    const isWhole = /^\d+\.\d+\.\d+\.\d+$/.test(folded);
    return isWhole ? value === folded : /^[\d.]+$/.test(folded) && value.startsWith(folded);
  }
  if (type === 'AAAA') {
    if (folded === '2001:db8::/32') return true;
    return folded === '2001:db8:0::1' && value === '2001:db8::1';
  }
  const isWord = wordsOf(row).some((word) => word.startsWith(folded));
  return isWord || (folded === 'include:_spf' && value.includes(folded));
}

const hasName = ({ zone, name }: Row, question: string) =>
  (name !== '@' && name.includes(question.toLowerCase())) ||
  (`${name}.${zone}`.startsWith(question) && question.length > name.length + 1);

const key = ({ zone, name, type, value }: Row) => [zone, name, type, value].join(' ');

/** Several zones as they are and were. */
class Model {
  readonly zones = new Set<string>();
  readonly now = new Map<string, Row>();
  /** The rows that were removed last, by owner and by row, and the serial. */
  readonly deletedAt = new Map<string, { rows: Row[]; serial: number }>();
  readonly deleted = new Map<string, { row: Row; serial: number }>();

  remove(rows: readonly Row[], serial: number): void {
    for (const row of rows) {
      this.now.delete(key(row));
      const owner = `${row.zone} ${row.name}`;
      const last = this.deletedAt.get(owner);
      if (last?.serial === serial) last.rows.push(row);
      else this.deletedAt.set(owner, { rows: [row], serial });
      this.deleted.set(key(row), { row, serial });
    }
  }

  /** Nothing is known of what a zone had earlier. */
  forget(zone: string): void {
    for (const [at, { row }] of this.deleted) if (row.zone === zone) this.deleted.delete(at);
    for (const [at, { rows }] of this.deletedAt)
      if (rows[0]!.zone === zone) this.deletedAt.delete(at);
  }

  found(question: string): { records: string[]; deleted: string[] } {
    const rows = [...this.now.values()];
    const records = rows.filter((row) => hasName(row, question) || hasValue(row, question));
    const deleted: string[] = [];
    for (const [owner, { rows: taken, serial }] of this.deletedAt) {
      const isEmpty = !rows.some(({ zone, name }) => `${zone} ${name}` === owner);
      if (!this.zones.has(taken[0]!.zone) || !hasName(taken[0]!, question) || !isEmpty) continue;
      deleted.push(...taken.map((row) => `${key(row)} ${serial}`));
    }
    for (const { row, serial } of this.deleted.values()) {
      const isThere = this.now.has(key(row)) || !this.zones.has(row.zone);
      if (isThere || hasName(row, question) || !hasValue(row, question)) continue;
      deleted.push(`${key(row)} ${serial}`);
    }
    return { records: records.map(key).sort(), deleted: deleted.sort() };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

const relative = (name: string, zone: string) =>
  name === `${zone}.` ? '@' : name.slice(0, -zone.length - 2);

const shown = ({ name, type, value, zone_name }: Json) => {
  const text = typeof value === 'string' ? value : value.join('');
  return key({ zone: zone_name, name: relative(name, zone_name), type, value: text });
};

/** All pages. */
async function search(q: string, more = ''): Promise<{ records: string[]; deleted: string[] }> {
  const records: string[] = [];
  const deleted: string[] = [];
  let cursor = '';
  const cursors = new Set<string>();
  do {
    expect(cursors).not.toContain(cursor);
    cursors.add(cursor);
    const asked = `q=${encodeURIComponent(q)}&limit=3${more}${cursor}`;
    const page = await service.call('GET', `/search?${asked}`);
    expect(page.records.length).toBeLessThanOrEqual(3);
    expect(page.deleted.length).toBeLessThanOrEqual(3);
    records.push(...page.records.map(shown));
    deleted.push(...page.deleted.map((row: Json) => `${shown(row)} ${row.until.serial}`));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  return { records: records.sort(), deleted: deleted.sort() };
}

const fieldsOf = ({ name, type, value }: Row) =>
  type === 'MX'
    ? { name, type, value, priority: 10 }
    : type === 'SRV'
      ? { name, type, value, priority: 1 }
      : { name, type, value };

type Step = {
  readonly kind: 'add' | 'delete' | 'empty' | 'delete-zone' | 'forget' | 'index';
  readonly zone: number;
  readonly name: number;
  readonly value: number;
};

const step = (weight: number, kind: Step['kind']) => ({
  weight,
  arbitrary: fc.record({
    kind: fc.constant(kind),
    zone: fc.nat(zones.length - 1),
    name: fc.nat(names.length - 1),
    value: fc.nat(values.length - 1),
  }),
});
const steps = fc.array(
  fc.oneof(
    step(10, 'add'),
    step(6, 'delete'),
    step(2, 'empty'),
    step(1, 'delete-zone'),
    step(1, 'forget'),
    step(1, 'index'),
  ),
  { minLength: 20, maxLength: isLong ? 200 : 60 },
);

async function play(model: Model, { kind, zone: zoneIndex, name: nameIndex, value: which }: Step) {
  const zone = zones[zoneIndex]!;
  const name = names[nameIndex]!;
  const [type, value] = values[which]!;
  const row = { zone, name, type, value };
  if (kind === 'index') return service.searchIndex.run();
  if (!model.zones.has(zone)) {
    if (kind === 'delete-zone' || kind === 'forget') return;
    await service.createZone(zone);
    model.zones.add(zone);
  }
  if (kind === 'add' && !model.now.has(key(row))) {
    await service.call('POST', '/records', { zone_name: zone, ...fieldsOf(row) }, 201);
    model.now.set(key(row), row);
  } else if (kind === 'delete' || kind === 'empty') {
    const rows = [...model.now.values()].filter(
      (other) =>
        other.zone === zone && other.name === name && (kind === 'empty' || other.type === type),
    );
    // The zone has an NS at its apex, which stays.
    if (rows.length === 0 || (kind === 'empty' && name === '@')) return;
    const query = kind === 'empty' ? '' : `&type=${type}`;
    await service.call(
      'DELETE',
      `/records?zone_name=${zone}&name=${encodeURIComponent(name)}${query}`,
    );
    model.remove(rows, await service.serialOf(zone));
  } else if (kind === 'delete-zone') {
    await service.call('DELETE', `/zones/${zone}`);
    model.zones.delete(zone);
    for (const row of [...model.now.values()]) if (row.zone === zone) model.now.delete(key(row));
    model.forget(zone);
  } else if (kind === 'forget') {
    service.pass(1000);
    const before = new Date(service.now()).toISOString();
    await service.call('POST', `/zones/${zone}/forget-history`, { before });
    model.forget(zone);
  }
}

describe('search', () => {
  it('finds what a list of all that was there has, whatever was done', async () => {
    await fc.assert(
      fc
        .asyncProperty(steps, async (all) => {
          const model = new Model();
          for (const one of all) await play(model, one);
          await service.searchIndex.run();
          for (const question of questions) {
            expect([question, await search(question)]).toEqual([question, model.found(question)]);
          }
        })
        .afterEach(async () => {
          await service.close();
          service = new InProcessService();
        }),
      { numRuns: isLong ? 60 : 4 },
    );
  });
});

it('is refused for a token that goes while it waits for the index', async () => {
  await service.close();
  service = new InProcessService({ authenticationRequired: true });
  const token = await service.tokenOf('leaving', 'admin');
  const waiting = vi.spyOn(SearchIndexer.prototype, 'reach').mockImplementationOnce(async () => {
    await service.call('DELETE', '/tokens/leaving', undefined, 200, 'local');
  });
  await service.refused('GET', '/search?q=www', undefined, 'INVALID_TOKEN', '', token);
  waiting.mockRestore();
});

it('has the actions of now where a grant goes while it waits for the index', async () => {
  await service.close();
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone('a.example');
  const record = { zone_name: 'a.example', name: 'www', type: 'A', value: '192.0.2.1' };
  await service.call('POST', '/records', record, 201, 'local');
  const grants = [['record:read'], ['record:update']].map((actions) => ({ actions }));
  const token = await service.tokenOf('writer', grants);
  const search = async () =>
    (await service.call('GET', '/search?q=www', undefined, 200, token)).records;
  expect(await search()).toMatchObject([{ actions: ['record:read', 'record:update'] }]);
  const held = await service.call('GET', '/roles/writer/grants', undefined, 200, 'local');
  const { id } = held.items.find(
    (grant: { actions: string[] }) => grant.actions[0] === 'record:update',
  );
  const waiting = vi.spyOn(SearchIndexer.prototype, 'reach').mockImplementationOnce(async () => {
    await service.call('DELETE', `/roles/writer/grants/${id}`, undefined, 200, 'local');
  });
  expect(await search()).toMatchObject([{ actions: ['record:read'] }]);
  waiting.mockRestore();
});
