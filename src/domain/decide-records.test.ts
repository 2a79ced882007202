import { describe, expect, it } from 'vitest';
import { Law } from '../../spec/support/memory-state.ts';
import { record } from '../../spec/support/stored-zones.ts';
import { printRelativeName } from '../dns/name.ts';
import { showRdata } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printType } from '../dns/rrtype.ts';
import type { CommandOf } from './command.ts';
import { countDiff } from './diff.ts';
import type { ZoneEvent } from './event.ts';
import type { RecordInput } from './record.ts';

type CreateRecords = CommandOf<'create-records'>;
type DeleteRecords = CommandOf<'delete-records'>;
type UpdateRecord = CommandOf<'update-record'>;

type Line = [name: string, type: string, value: string, more?: Partial<RecordInput>];

/** A law with the zone `example.com` (default TTL 3600) that holds these records, ids from 1. */
function zoneWith(...lines: Line[]): Law {
  const law = new Law();
  law.zone('example.com');
  if (lines.length > 0) law.add('example.com', ...lines.map((line) => record(...line)));
  return law;
}

function create(...lines: Line[]): CreateRecords {
  const records = lines.map((line) => record(...line));
  return { kind: 'create-records', zoneName: 'example.com', records };
}

function update(id: number, fields: Omit<UpdateRecord, 'kind' | 'id'>): UpdateRecord {
  return { kind: 'update-record', id, ...fields };
}

function remove(name: string, more: Partial<DeleteRecords> = {}): DeleteRecords {
  return { kind: 'delete-records', zoneName: 'example.com', name, ...more };
}

/** `www 3600 A 192.0.2.1`, with priority where the type has one. */
function line({ owner, ttl, type, rdata }: ResourceRecord): string {
  const { value, priority } = showRdata(type, rdata);
  const words = [printRelativeName(owner), ttl, printType(type), priority, value];
  return words.filter((word) => word !== null).join(' ');
}

/** What the event of a command removes and adds, and its ids; undefined when nothing moves. */
function effect(law: Law, command: Parameters<Law['when']>[0]) {
  const event = law.when(command).event as ZoneEvent | undefined;
  if (event === undefined) return undefined;
  expect(event.kind).toBe('records.changed');
  expect(event.after).toEqual({ ...event.before, serial: event.before!.serial + 1 });
  const { removed, added } = event.delta;
  return {
    removed: removed.map((one) => `#${one.id} ${line(one)}`).sort(),
    added: added.map((one) => `#${one.id} ${line(one)}`).sort(),
  };
}

const conflict = /^RECORD_CONFLICT /;
const badValue = /^(records\[\d+\]\.)?INVALID_RECORD_VALUE /;

describe('create records', () => {
  it('one event and one step for one or many, ids in order, outcome as asked', () => {
    const law = zoneWith();
    const command = create(['b', 'A', '192.0.2.1'], ['a', 'TXT', 'x'], ['B', 'A', '192.0.2.2']);
    expect(effect(law, command)).toEqual({
      removed: [],
      added: ['#1 b 3600 A 192.0.2.1', '#2 a 3600 TXT x', '#3 b 3600 A 192.0.2.2'],
    });
    const { outcome } = law.when(command);
    expect(outcome.records.map((one) => one.id)).toEqual([1, 2, 3]);
    expect(outcome.zone).toMatchObject({ serial: 2, recordCount: 3 });
    expect(countDiff(outcome.diff)).toEqual({ added: 2, changed: 0, removed: 0 });
    const names = outcome.diff.entries.map((entry) => printRelativeName(entry.owner));
    expect(names).toEqual(['a', 'b']);
  });

  it('of nothing moves nothing', () => {
    expect(effect(zoneWith(), create())).toBeUndefined();
  });

  it('interface 2.3: an omitted TTL is fixed to that of the zone when the record is written', () => {
    const law = zoneWith(['www', 'A', '192.0.2.1']);
    law.given({ kind: 'update-zone', zoneName: 'example.com', defaultTtl: 60 });
    expect(effect(law, create(['x', 'A', '192.0.2.1']))!.added).toEqual(['#2 x 60 A 192.0.2.1']);
    expect(law.state.records.get(1)!.record.ttl).toBe(3600);
    // The default is judged like any other TTL: the RRset has another one.
    expect(law.refusal(create(['www', 'A', '192.0.2.2']))).toMatch(conflict);
    const given = create(['www', 'A', '192.0.2.2', { ttl: 3600 }]);
    expect(effect(law, given)!.added).toEqual(['#2 www 3600 A 192.0.2.2']);
  });

  it.each([-1, 2_147_483_648, 1.5])('a TTL of %d is refused', (ttl) => {
    const { refusal } = new Law();
    expect(refusal.call(zoneWith(), create(['a', 'A', '192.0.2.1', { ttl }]))).toMatch(badValue);
  });

  it('a TTL of 0 and of 2147483647 are taken', () => {
    for (const ttl of [0, 2_147_483_647]) {
      expect(law0().added(ttl)).toEqual([`#1 a ${ttl} A 192.0.2.1`]);
    }
  });

  function law0() {
    const law = zoneWith();
    return {
      added: (ttl: number) => effect(law, create(['a', 'A', '192.0.2.1', { ttl }]))!.added,
    };
  }

  it('decisions 6: priority belongs to MX and SRV, and is 10 when omitted', () => {
    const law = zoneWith(['@', 'MX', 'mx.example.net.']);
    expect(line(law.state.records.get(1)!.record)).toBe('@ 3600 MX 10 mx.example.net.');
    const ten = create(['@', 'MX', 'MX.example.net', { priority: 10 }]);
    expect(law.refusal(ten)).toMatch(/^RECORD_CONFLICT the same MX record/);
    const twenty = create(['@', 'MX', 'mx.example.net.', { priority: 20 }]);
    expect(effect(law, twenty)!.added).toEqual(['#2 @ 3600 MX 20 mx.example.net.']);
    expect(effect(law, create(['_x._tcp', 'SRV', '5 443 h.']))!.added).toEqual([
      '#2 _x._tcp 3600 SRV 10 5 443 h.',
    ]);
    for (const refused of [
      create(['a', 'A', '192.0.2.1', { priority: 10 }]),
      create(['a', 'TXT', 'x', { priority: 0 }]),
      create(['a', 'MX', 'mx.', { priority: 65_536 }]),
      create(['a', 'MX', 'mx.', { priority: -1 }]),
    ]) {
      expect(law.refusal(refused)).toMatch(badValue);
    }
  });

  it('decisions 6: types that can not be stored, or are none, are INVALID_RECORD_VALUE', () => {
    const law = zoneWith();
    const refused =
      'SOA RRSIG DNSKEY NSEC NSEC3 NSEC3PARAM CDS CDNSKEY ZONEMD OPT TSIG TKEY ANY AXFR';
    for (const type of [...refused.split(' '), 'FOO', '', 'TYPE0', 'TYPE250', 'TYPE65536']) {
      expect([type, law.refusal(create(['a', type, 'x']))]).toEqual([
        type,
        expect.stringMatching(/^INVALID_RECORD_VALUE type: /),
      ]);
    }
    expect(effect(law, create(['a', 'type65280', '\\# 2 abcd']))!.added).toEqual([
      '#1 a 3600 TYPE65280 \\# 2 ABCD',
    ]);
  });

  it('values, names and zones that are none are refused with their code', () => {
    const law = zoneWith();
    expect(law.refusal(create(['a', 'A', '192.0.2.256']))).toMatch(/^INVALID_RECORD_VALUE value: /);
    expect(law.refusal(create(['a..b', 'A', '192.0.2.1']))).toMatch(/^INVALID_RECORD_NAME name: /);
    const away = create(['www.example.org.', 'A', '192.0.2.1']);
    expect(law.refusal(away)).toMatch(/^INVALID_RECORD_NAME .*outside the zone example\.com\./);
    expect(law.refusal({ ...create(), zoneName: 'example.org' })).toMatch(/^ZONE_NOT_FOUND/);
    const array: CreateRecords = { ...create(), records: [record('a', 'A', ['192.0.2.1'])] };
    expect(law.refusal(array)).toMatch(badValue);
  });

  it('a bulk names the record that is wrong, and nothing of it happens', () => {
    const law = zoneWith();
    const command = create(['a', 'A', '192.0.2.1'], ['b', 'A', 'x'], ['c', 'A', 'y']);
    expect(law.refusal(command)).toMatch(/^INVALID_RECORD_VALUE records\[1\]\.value: /);
    const wrongName = create(['a', 'A', '192.0.2.1'], ['b..c', 'A', 'x']);
    expect(law.refusal(wrongName)).toMatch(/^INVALID_RECORD_NAME records\[1\]\.name: /);
  });

  it('decisions 6: duplicates are RECORD_CONFLICT, with what is stored and inside one bulk', () => {
    const law = zoneWith(['www', 'AAAA', '2001:db8::1'], ['t', 'NS', 'ns.Example.NET']);
    expect(law.refusal(create(['WWW', 'AAAA', '2001:DB8:0::0:1']))).toMatch(conflict);
    expect(law.refusal(create(['t', 'NS', 'NS.example.net.']))).toMatch(conflict);
    expect(law.refusal(create(['x', 'A', '192.0.2.1'], ['x', 'A', '192.0.2.1']))).toMatch(conflict);
    const generic = create(['x', 'A', '192.0.2.1'], ['x', 'TYPE1', '\\# 4 c0000201']);
    expect(law.refusal(generic)).toMatch(conflict);
    // TXT segments are data: their borders count.
    const texts = create(['x', 'TXT', '"ab"'], ['x', 'TXT', '"a" "b"'], ['x', 'TXT', '"AB"']);
    expect(effect(law, texts)!.added).toHaveLength(3);
  });

  it('decisions 6: a TTL other than that of the RRset is RECORD_CONFLICT, also inside a bulk', () => {
    const law = zoneWith(['www', 'A', '192.0.2.1', { ttl: 60 }]);
    expect(law.refusal(create(['www', 'A', '192.0.2.2']))).toMatch(/RECORD_CONFLICT .* one TTL/);
    expect(law.refusal(create(['www', 'A', '192.0.2.2', { ttl: 61 }]))).toMatch(conflict);
    expect(effect(law, create(['www', 'A', '192.0.2.2', { ttl: 60 }]))).toBeDefined();
    expect(effect(law, create(['www', 'AAAA', '::1', { ttl: 61 }]))).toBeDefined();
    const mixed = create(['x', 'A', '192.0.2.1', { ttl: 5 }], ['x', 'A', '192.0.2.2']);
    expect(law.refusal(mixed)).toMatch(conflict);
  });
});

/** Whether a zone may hold all of these together, whatever the order they are added in. */
const together: [verdict: RegExp | 'fine', rule: string, ...lines: Line[]][] = [
  [badValue, 'CNAME at the apex', ['@', 'CNAME', 'x.']],
  [conflict, 'CNAME and A', ['a', 'CNAME', 'x.'], ['a', 'A', '192.0.2.1']],
  [conflict, 'CNAME and TXT', ['a', 'CNAME', 'x.'], ['a', 'TXT', 'x']],
  [conflict, 'two CNAMEs', ['a', 'CNAME', 'x.'], ['a', 'CNAME', 'y.']],
  [conflict, 'CNAME and DNAME', ['a', 'CNAME', 'x.'], ['a', 'DNAME', 'y.']],
  ['fine', 'CNAME alone, others beside and below', ['a', 'CNAME', 'x.'], ['b.a', 'A', '192.0.2.1']],
  ['fine', 'CNAME at a wildcard', ['*', 'CNAME', 'x.']],
  [badValue, 'NS at a wildcard', ['*.a', 'NS', 'ns.example.net.']],
  [conflict, 'two DNAMEs', ['a', 'DNAME', 'x.'], ['a', 'DNAME', 'y.']],
  [conflict, 'DNAME and NS below the apex', ['a', 'DNAME', 'x.'], ['a', 'NS', 'y.']],
  ['fine', 'DNAME and NS at the apex', ['@', 'DNAME', 'x.'], ['@', 'NS', 'y.']],
  ['fine', 'DNAME and A', ['a', 'DNAME', 'x.'], ['a', 'A', '192.0.2.1']],
  [conflict, 'null MX and another', ['a', 'MX', '.', { priority: 0 }], ['a', 'MX', 'x.']],
  ['fine', 'null MX alone', ['a', 'MX', '.', { priority: 0 }], ['a', 'A', '192.0.2.1']],
  ['fine', 'two MX of short names', ['a', 'MX', 'x.'], ['a', 'MX', 'y.']],
  [conflict, 'DS without delegation', ['a', 'DS', `1 13 2 ${'00'.repeat(32)}`]],
  [badValue, 'DS at the apex', ['@', 'DS', `1 13 2 ${'00'.repeat(32)}`], ['@', 'NS', 'x.']],
  ['fine', 'DS beside NS', ['a', 'NS', 'x.'], ['a', 'DS', `1 13 2 ${'00'.repeat(32)}`]],
  ['fine', 'glue below a delegation', ['a', 'NS', 'ns.a.example.com.'], ['ns.a', 'A', '192.0.2.1']],
];

describe('what may stand at one name (decisions 6; RFC 1034 3.6.2, 6672 2.4, 7505 3)', () => {
  it.each(together)('%s: %s', (verdict, _, ...lines) => {
    for (const order of [lines, lines.toReversed()]) {
      const bulk = create(...order);
      if (verdict === 'fine') expect(effect(zoneWith(), bulk)!.added).toHaveLength(lines.length);
      else expect(zoneWith().refusal(bulk)).toMatch(verdict);
    }
  });

  it('judges the final state of an update, not its way there', () => {
    const law = zoneWith(['a', 'A', '192.0.2.1'], ['b', 'CNAME', 'x.']);
    // The only record at the name becomes a CNAME, and a CNAME becomes data.
    expect(effect(law, update(1, { type: 'CNAME', value: 'x.' }))).toEqual({
      removed: ['#1 a 3600 A 192.0.2.1'],
      added: ['#1 a 3600 CNAME x.'],
    });
    expect(effect(law, update(2, { type: 'TXT', value: 't' }))).toBeDefined();
    expect(law.refusal(update(1, { name: 'b' }))).toMatch(conflict);
    expect(law.refusal(update(2, { name: '@' }))).toMatch(badValue);
    const two = zoneWith(['a', 'A', '192.0.2.1'], ['a', 'TXT', 't']);
    expect(two.refusal(update(1, { type: 'CNAME', value: 'x.' }))).toMatch(conflict);
  });

  it('deleting or moving the last delegation NS while DS stays is RECORD_CONFLICT', () => {
    const ds = `1 13 2 ${'00'.repeat(32)}`;
    const law = zoneWith(['a', 'NS', 'x.'], ['a', 'NS', 'y.'], ['a', 'DS', ds]);
    expect(effect(law, { kind: 'delete-record', id: 1 })).toBeDefined();
    expect(law.refusal(remove('a', { type: 'NS' }))).toMatch(conflict);
    law.given({ kind: 'delete-record', id: 1 });
    expect(law.refusal({ kind: 'delete-record', id: 2 })).toMatch(conflict);
    expect(law.refusal(update(2, { name: 'b' }))).toMatch(conflict);
    expect(law.refusal(update(2, { type: 'A', value: '192.0.2.1' }))).toMatch(conflict);
    expect(effect(law, update(2, { value: 'z.' }))).toBeDefined();
    expect(effect(law, remove('a'))!.removed).toHaveLength(2);
  });

  it('the apex keeps an NS record, whichever way it is asked for', () => {
    const law = zoneWith(['@', 'NS', 'x.'], ['@', 'NS', 'y.'], ['@', 'A', '192.0.2.1']);
    const refused = /^RECORD_CONFLICT .*no NS record at its apex/;
    expect(law.refusal(remove('@'))).toMatch(refused);
    expect(law.refusal(remove('@', { type: 'NS' }))).toMatch(refused);
    law.given(remove('@', { type: 'NS', value: 'x.' }));
    expect(law.refusal({ kind: 'delete-record', id: 2 })).toMatch(refused);
    expect(law.refusal(update(2, { name: 'sub' }))).toMatch(refused);
    expect(law.refusal(update(2, { type: 'A', value: '192.0.2.2' }))).toMatch(refused);
    expect(effect(law, update(2, { value: 'z.' }))!.added).toEqual(['#2 @ 3600 NS z.']);
  });

  it('a zone that has no NS record need not get one', () => {
    const law = zoneWith(['www', 'A', '192.0.2.1']);
    expect(effect(law, remove('www'))!.added).toEqual([]);
  });

  it('nothing stands below a DNAME, in whatever order it comes', () => {
    const law = zoneWith(
      ['d', 'DNAME', 'x.'],
      ['a.b.c', 'A', '192.0.2.1'],
      ['d', 'A', '192.0.2.1'],
    );
    const refused = /^RECORD_CONFLICT .* is below the DNAME at /;
    for (const name of ['a.d', '*.d', 'c.b.a.d']) {
      expect(law.refusal(create([name, 'A', '192.0.2.1']))).toMatch(refused);
    }
    expect(law.refusal(create(['c', 'DNAME', 'x.']))).toMatch(refused);
    expect(law.refusal(create(['b.c', 'DNAME', 'x.']))).toMatch(refused);
    expect(law.refusal(create(['@', 'DNAME', 'x.']))).toMatch(refused);
    expect(law.refusal(create(['e', 'DNAME', 'x.'], ['f.e', 'TXT', 'x']))).toMatch(refused);
    expect(law.refusal(create(['f.e', 'TXT', 'x'], ['e', 'DNAME', 'x.']))).toMatch(refused);
    expect(law.refusal(update(2, { name: 'g.d' }))).toMatch(refused);
    law.given(update(2, { name: 'dd' }));
    law.given(create(['c', 'DNAME', 'x.']));
  });

  it('an RRset fits one message', () => {
    const law = zoneWith();
    const long = (bytes: number) => `\\# ${bytes} ${'00'.repeat(bytes)}`;
    const most = 62_500 - 12;
    expect(law.refusal(create(['x', 'TYPE65280', long(most + 1)]))).toMatch(
      /^INVALID_RECORD_VALUE value: the TYPE65280 records at x.example.com. have 62501 bytes/,
    );
    law.given(create(['x', 'TYPE65280', long(most - 13)]));
    expect(law.refusal(create(['x', 'TYPE65280', long(2)]))).toMatch(/^INVALID_RECORD_VALUE/);
    law.given(create(['x', 'TYPE65280', long(1)], ['x', 'TYPE65281', long(most)]));
  });

  it('all types at one name have two RRsets of the greatest size together', () => {
    const law = zoneWith();
    const most = `\\# ${62_500 - 12} ${'00'.repeat(62_500 - 12)}`;
    law.given(create(['x', 'TYPE65280', most], ['x', 'TYPE65281', most]));
    expect(law.refusal(create(['x', 'A', '192.0.2.1']))).toBe(
      'INVALID_RECORD_VALUE value: the records at x.example.com. would have more than 125000 bytes, ' +
        'which is the most of all types at one name together',
    );
    law.given(create(['y', 'A', '192.0.2.1']));
    law.given(remove('x', { type: 'TYPE65281' }));
    law.given(create(['x', 'A', '192.0.2.1']));
  });
});

describe('update a record', () => {
  const base: Line[] = [
    ['www', 'A', '192.0.2.1', { ttl: 60 }],
    ['www', 'A', '192.0.2.2', { ttl: 60 }],
    ['mail', 'MX', 'mx.', { priority: 20 }],
  ];

  it('decisions 16: with {} or with what it has, nothing moves', () => {
    const law = zoneWith(...base);
    for (const fields of [
      {},
      { name: 'WWW.example.com.', type: 'a', value: '192.0.2.1', ttl: 60 },
    ]) {
      const { event, outcome } = law.when(update(1, fields));
      expect(event).toBeUndefined();
      expect(outcome.records.map(line)).toEqual(['www 60 A 192.0.2.1']);
      expect(outcome.diff.entries).toEqual([]);
    }
    expect(effect(law, update(3, { value: 'MX.' }))).toBeUndefined();
    expect(effect(law, update(3, { priority: 20 }))).toBeUndefined();
  });

  it('keeps id and creation time', () => {
    const law = zoneWith(...base);
    law.now = 5_000;
    const event = law.when(update(1, { value: '192.0.2.9' })).event as ZoneEvent;
    expect(event.delta.added[0]).toMatchObject({ id: 1, createdAt: 1_002 });
    expect(effect(law, update(1, { value: '192.0.2.9' }))).toEqual({
      removed: ['#1 www 60 A 192.0.2.1'],
      added: ['#1 www 60 A 192.0.2.9'],
    });
  });

  it('decisions 6: a new TTL moves the whole RRset, with all ids', () => {
    const law = zoneWith(...base);
    expect(effect(law, update(2, { ttl: 5 }))).toEqual({
      removed: ['#1 www 60 A 192.0.2.1', '#2 www 60 A 192.0.2.2'],
      added: ['#1 www 5 A 192.0.2.1', '#2 www 5 A 192.0.2.2'],
    });
    const { diff, records } = law.when(update(2, { ttl: 5 })).outcome;
    expect(records.map(line)).toEqual(['www 5 A 192.0.2.2']);
    // Case 95: one entry, and it is `changed`.
    expect(diff.entries.map((entry) => entry.change)).toEqual(['changed']);
    expect(diff.entries[0]!.to).toHaveLength(2);
    expect(law.refusal(update(1, { ttl: -1 }))).toMatch(badValue);
  });

  it('decisions 6: moving into another RRset takes its TTL, or moves it with `ttl`', () => {
    const law = zoneWith(...base, ['x', 'A', '192.0.2.3', { ttl: 300 }]);
    expect(effect(law, update(4, { name: 'www' }))).toEqual({
      removed: ['#4 x 300 A 192.0.2.3'],
      added: ['#4 www 60 A 192.0.2.3'],
    });
    expect(effect(law, update(4, { name: 'www', ttl: 7 }))).toEqual({
      removed: ['#1 www 60 A 192.0.2.1', '#2 www 60 A 192.0.2.2', '#4 x 300 A 192.0.2.3'],
      added: ['#1 www 7 A 192.0.2.1', '#2 www 7 A 192.0.2.2', '#4 www 7 A 192.0.2.3'],
    });
    // Into an RRset of its own it takes its TTL along.
    expect(effect(law, update(4, { name: 'y' }))!.added).toEqual(['#4 y 300 A 192.0.2.3']);
    expect(effect(law, update(4, { type: 'TXT', value: 't' }))!.added).toEqual(['#4 x 300 TXT t']);
    expect(law.refusal(update(1, { value: '192.0.2.2' }))).toMatch(conflict);
  });

  it('interface 4.3: value is required when the type changes', () => {
    const law = zoneWith(...base);
    expect(law.refusal(update(1, { type: 'TXT' }))).toMatch(/^INVALID_RECORD_VALUE value: /);
    expect(effect(law, update(1, { type: 'A' }))).toBeUndefined();
  });

  it('decisions 6: a change of type away from MX drops the priority, to it sets 10', () => {
    const law = zoneWith(...base);
    expect(effect(law, update(3, { type: 'TXT', value: 't' }))!.added).toEqual([
      '#3 mail 3600 TXT t',
    ]);
    expect(effect(law, update(1, { type: 'MX', value: 'h.' }))!.added).toEqual([
      '#1 www 60 MX 10 h.',
    ]);
    const srv = update(3, { type: 'SRV', value: '1 2 h.' });
    expect(effect(law, srv)!.added).toEqual(['#3 mail 3600 SRV 10 1 2 h.']);
    const both = update(1, { type: 'MX', value: 'h.', priority: 3 });
    expect(effect(law, both)!.added).toEqual(['#1 www 60 MX 3 h.']);
  });

  it('changes the priority alone, or the value alone', () => {
    const law = zoneWith(...base);
    expect(effect(law, update(3, { priority: 5 }))!.added).toEqual(['#3 mail 3600 MX 5 mx.']);
    expect(effect(law, update(3, { value: 'h.' }))!.added).toEqual(['#3 mail 3600 MX 20 h.']);
    const { diff } = law.when(update(3, { priority: 5 })).outcome;
    expect(diff.entries.map((entry) => entry.change)).toEqual(['changed']);
    expect(law.refusal(update(1, { priority: 5 }))).toMatch(badValue);
    expect(law.refusal(update(3, { type: 'TXT', value: 't', priority: 5 }))).toMatch(badValue);
  });

  it('unknown ids are RECORD_NOT_FOUND', () => {
    for (const command of [update(99, {}), { kind: 'delete-record', id: 99 } as const]) {
      expect(zoneWith().refusal(command)).toBe('RECORD_NOT_FOUND record 99 does not exist');
    }
    const law = zoneWith(...base);
    law.given({ kind: 'delete-zone', zoneName: 'example.com' });
    expect(law.refusal(update(1, {}))).toMatch(/^RECORD_NOT_FOUND/);
  });
});

describe('delete records by filter (interface 4.3 rule 4)', () => {
  const base: Line[] = [
    ['a', 'A', '192.0.2.1'],
    ['a', 'A', '192.0.2.2'],
    ['a', 'TXT', '"x" "y"'],
    ['a', 'MX', 'm.', { priority: 10 }],
    ['a', 'MX', 'm.', { priority: 20 }],
    ['a', 'MX', 'n.', { priority: 20 }],
    ['b.a', 'A', '192.0.2.1'],
    ['@', 'A', '192.0.2.1'],
  ];

  const cases: [ids: string, name: string, more?: Partial<DeleteRecords>][] = [
    ['#1 #2 #3 #4 #5 #6', 'A.example.com.'],
    ['#1 #2', 'a', { type: 'a' }],
    ['#2', 'a', { type: 'A', value: '192.0.2.2' }],
    ['#3', 'a', { type: 'TXT', value: ['x', 'y'] }],
    ['#3', 'a', { type: 'TXT', value: '"x"  "y"' }],
    ['#4 #5', 'a', { type: 'MX', value: 'M' }],
    ['#4', 'a', { type: 'MX', value: 'm.', priority: 10 }],
    ['#5', 'a', { type: 'MX', value: '\\# 5 0014016D00' }],
    ['', 'a', { type: 'MX', value: 'n.', priority: 10 }],
    ['#5 #6', 'a', { type: 'MX', priority: 20 }],
    ['#5 #6', 'a', { priority: 20 }],
    ['#8', '@'],
    ['', 'a', { type: 'AAAA' }],
    ['', 'a', { type: 'A', value: '192.0.2.3' }],
    ['', 'a', { type: 'MX', priority: 30 }],
    ['', 'nothing'],
  ];
  it.each(cases)('deletes %j for %s %j', (ids, name, more) => {
    const law = zoneWith(...base);
    const removed = effect(law, remove(name, more))?.removed ?? [];
    expect(removed.map((text) => text.split(' ')[0]).join(' ')).toBe(ids);
    const { outcome } = law.when(remove(name, more));
    expect(outcome.records.map((one) => `#${one.id}`).join(' ')).toBe(ids);
  });

  it('refuses a value without type, bad values, types and names', () => {
    const law = zoneWith(...base);
    expect(law.refusal(remove('a', { value: 'x' }))).toMatch(/^INVALID_INPUT value: /);
    expect(law.refusal(remove('a', { type: 'A', value: 'x' }))).toMatch(badValue);
    expect(law.refusal(remove('a', { type: 'FOO' }))).toMatch(badValue);
    expect(law.refusal(remove('x.org.'))).toMatch(/^INVALID_RECORD_NAME/);
    expect(law.refusal({ ...remove('a'), zoneName: 'b' })).toMatch(/^ZONE_NOT_FOUND/);
  });

  it('shows the RRsets before and after in the diff', () => {
    const { diff } = zoneWith(...base).when(remove('a', { type: 'A', value: '192.0.2.2' })).outcome;
    expect(diff.entries).toHaveLength(1);
    const [entry] = diff.entries;
    expect(entry!.change).toBe('changed');
    expect(entry!.from.map(line)).toEqual(['a 3600 A 192.0.2.1', 'a 3600 A 192.0.2.2']);
    expect(entry!.to.map(line)).toEqual(['a 3600 A 192.0.2.1']);
  });
});
