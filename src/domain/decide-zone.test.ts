import { limits } from '../base/limits.ts';
import { describe, expect, it } from 'vitest';
import { createZone, Law } from '../../spec/support/memory-state.ts';
import { record, zoneDefaults } from '../../spec/support/stored-zones.ts';
import { nameToWire, parseAbsoluteName, printAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { CommandOf, CreateZone } from './command.ts';
import type { ZoneEvent } from './event.ts';
import { responsibleKey, soaRdata } from './zone.ts';

type UpdateZone = CommandOf<'update-zone'>;

const greatestSerial = 2_147_483_647;

function eventOf(law: Law, command: Parameters<Law['when']>[0]): ZoneEvent {
  return law.when(command).event as ZoneEvent;
}

function update(zoneName: string, fields: Partial<UpdateZone>): UpdateZone {
  return { kind: 'update-zone', zoneName, ...fields };
}

describe('create a zone', () => {
  it('decisions 6: takes the defaults, serial 1, enabled, with an NS of its mname at the apex', () => {
    const law = new Law();
    const event = eventOf(law, createZone('example.com'));
    expect(event).toMatchObject({ kind: 'zone.created', zoneId: 1, before: null });
    expect(event.after).toEqual({
      name: 'example.com',
      mname: 'ns1.example.net',
      rname: 'hostmaster@example.net',
      ...zoneDefaults,
      serial: 1,
      description: null,
      enabled: true,
      guard: null,
    });
    const rdata = nameToWire(parseAbsoluteName('ns1.example.net'));
    const apexNs = { id: 1, owner: '', type: rrtype.NS, ttl: 3600, rdata, createdAt: law.now };
    expect(event.delta.added).toEqual([apexNs]);
    expect(event.delta.removed).toEqual([]);
  });

  it('interface 4.2: apex_ns false leaves all NS to the caller; the NS has the TTL of the zone', () => {
    const law = new Law();
    expect(eventOf(law, createZone('a', { apexNs: false })).delta.added).toEqual([]);
    const { delta } = eventOf(law, createZone('a', { apexNs: true, defaultTtl: 60 }));
    expect(delta.added[0]!.ttl).toBe(60);
  });

  it.each([
    ['Example.COM', 'example.com'],
    [' example.com. ', 'example.com'],
    ['xn--mller-kva.example', 'xn--mller-kva.example'],
    ['_tcp.a-b.example', '_tcp.a-b.example'],
    ['0/25.2.0.192.in-addr.arpa', '0/25.2.0.192.in-addr.arpa'],
    ['com', 'com'],
    [`${'a'.repeat(63)}.x`, `${'a'.repeat(63)}.x`],
    [Array(127).fill('a').join('.'), Array(127).fill('a').join('.')],
  ])('decisions 6: the name %j is stored as %j', (written, stored) => {
    expect(eventOf(new Law(), createZone(written)).after!.name).toBe(stored);
  });

  it.each([
    '',
    '.',
    ' ',
    '*.example',
    'a..b',
    '.a',
    'a.b..',
    'a b.example',
    'a\\.b',
    'ü.example',
    'a@b',
    `${'a'.repeat(64)}.x`,
    Array(128).fill('a').join('.'),
    `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(62)}`,
  ])('decisions 6: the name %j is refused', (name) => {
    expect(new Law().refusal(createZone(name))).toMatch(/^INVALID_ZONE_FIELD name: /);
  });

  it('decisions 6: parent and child zones may coexist; the same name may not, nor the catalog', () => {
    const law = new Law();
    law.zone('example.com');
    law.zone('sub.example.com');
    law.zone('com');
    expect(law.refusal(createZone('EXAMPLE.com.'))).toBe(
      "ZONE_CONFLICT zone 'example.com' already exists",
    );
    expect(law.refusal(createZone('Catalog.Invalid'))).toMatch(/^ZONE_CONFLICT .*catalog/);
  });

  const ranges: [keyof CreateZone, string, number, number][] = [
    ['defaultTtl', 'default_ttl', 60, 604_800],
    ['minimumTtl', 'minimum_ttl', 1, greatestSerial],
    ['refresh', 'refresh', 1, greatestSerial],
    ['retry', 'retry', 1, greatestSerial],
    ['expire', 'expire', 1, greatestSerial],
    ['serial', 'serial', 1, 2_137_483_647],
  ];
  it.each(ranges)('decisions 6: %s is %s, %d..%d', (key, field, least, most) => {
    const law = new Law();
    for (const value of [least, most]) {
      expect(eventOf(law, createZone('a', { [key]: value })).after).toMatchObject({ [key]: value });
    }
    for (const value of [least - 1, most + 1, -1, 0, 1.5, Number.NaN]) {
      if (value >= least && value <= most && Number.isInteger(value)) continue;
      expect(law.refusal(createZone('a', { [key]: value }))).toMatch(
        new RegExp(`^INVALID_ZONE_FIELD ${field}: `),
      );
    }
  });

  it('interface 8: a description has at most 255 characters, and an empty one is none', () => {
    const law = new Law();
    const description = '🦉'.repeat(255);
    expect(eventOf(law, createZone('a', { description })).after!.description).toBe(description);
    expect(law.refusal(createZone('a', { description: 'a'.repeat(256) }))).toMatch(
      /^INVALID_ZONE_FIELD description: 256 characters/,
    );
    expect(eventOf(law, createZone('a', { description: '' })).after!.description).toBeNull();
  });
});

describe('rname and mname (decisions 6)', () => {
  it.each([
    ['hostmaster@example.com', 'hostmaster@example.com', 'hostmaster.example.com.'],
    [' Host.Master@Example.COM. ', 'Host.Master@example.com', 'host\\.master.example.com.'],
    ['a+b=c@x', 'a+b=c@x', 'a+b=c.x.'],
    [`${'l'.repeat(63)}@x`, `${'l'.repeat(63)}@x`, `${'l'.repeat(63)}.x.`],
  ])('rname %j is stored as %j and is %j on the wire', (written, stored, wire) => {
    const after = eventOf(new Law(), createZone('a', { rname: written })).after!;
    expect(after.rname).toBe(stored);
    expect(printAbsoluteName(responsibleKey(after.rname))).toBe(wire);
    expect(soaRdata(after).includes(nameToWire(responsibleKey(stored)))).toBe(true);
  });

  it.each([
    '',
    'example.com',
    'a@b@c',
    '@example.com',
    'a@',
    'a.@x',
    '.a@x',
    'a..b@x',
    'a b@x',
    'ü@x',
    'a@x..y',
    'a@x..',
    'a@-y z',
    `${'l'.repeat(65)}@x`,
    `a@${'x.'.repeat(127)}`,
  ])('rname %j is refused', (rname) => {
    expect(new Law().refusal(createZone('a', { rname }))).toMatch(/^INVALID_ZONE_FIELD rname: /);
  });

  it.each([
    ['NS1.Example.Net.', 'ns1.example.net'],
    ['localhost', 'localhost'],
    ['_x.a-b', '_x.a-b'],
  ])('mname %j is stored as %j', (mname, stored) => {
    expect(eventOf(new Law(), createZone('a', { mname })).after!.mname).toBe(stored);
  });

  it.each(['', '.', 'a..b', 'a..', 'ns 1', '*.x', 'a@b', 'ü.x', `${'a'.repeat(64)}.x`])(
    'mname %j is refused',
    (mname) => {
      expect(new Law().refusal(createZone('a', { mname }))).toMatch(/^INVALID_ZONE_FIELD mname: /);
    },
  );

  it('RFC 1035 3.3.13: both stand in the SOA before five numbers', () => {
    const { after } = eventOf(new Law(), createZone('a', { serial: 7, rname: 'x.y@z' }));
    const soa = soaRdata(after!);
    const names = '036e7331076578616d706c65036e657400' + '03782e79017a00';
    expect(soa.subarray(0, -20).toString('hex')).toBe(names);
    const numbers = [0, 4, 8, 12, 16].map((at) => soa.readUInt32BE(soa.length - 20 + at));
    expect(numbers).toEqual([7, 300, 60, 3_600_000, 86_400]);
  });
});

describe('serials (decisions 6)', () => {
  it('invariant 4: a name used before starts above its last serial, unless the caller gives one', () => {
    const law = new Law();
    law.zone('a', { serial: 40 });
    law.given({ kind: 'bump-serial', zoneName: 'a' });
    law.given({ kind: 'delete-zone', zoneName: 'a' });
    expect(eventOf(law, createZone('A.')).after!.serial).toBe(42);
    expect(eventOf(law, createZone('a', { serial: 5 })).after!.serial).toBe(5);
    const isBehind = (serial: number) =>
      law
        .when(createZone('a', { serial }))
        .outcome.warnings.some(({ code }) => code === 'SERIAL_BEHIND');
    expect([5, 41, 42].map(isBehind)).toEqual([true, true, false]);
    expect(eventOf(law, createZone('b')).after!.serial).toBe(1);
    // A lower serial of the caller does not make the name forget the higher one.
    law.zone('a', { serial: 5 });
    law.given({ kind: 'delete-zone', zoneName: 'a' });
    expect(eventOf(law, createZone('a')).after!.serial).toBe(42);
  });

  it('invariant 4: a name left by a rename starts above its last serial too', () => {
    const law = new Law();
    law.zone('a', { serial: 9 });
    law.given(update('a', { name: 'b' }));
    expect(law.state.zoneByName('b')!.serial).toBe(10);
    expect(eventOf(law, createZone('a')).after!.serial).toBe(10);
  });

  it('invariant 4: a zone renamed to a name used before goes above both serials', () => {
    const law = new Law();
    law.zone('old', { serial: 500 });
    law.given({ kind: 'delete-zone', zoneName: 'old' });
    law.zone('new', { serial: 7 });
    expect(eventOf(law, update('new', { name: 'old' })).after!.serial).toBe(501);
    law.given(update('new', { name: 'other' }));
    expect(law.state.zoneByName('other')!.serial).toBe(8);
  });

  it('every change is one step, and a bump is a step without change', () => {
    const law = new Law();
    law.zone('a', { serial: 3 });
    const bump = eventOf(law, { kind: 'bump-serial', zoneName: 'a' });
    expect(bump).toMatchObject({ kind: 'zone.serial-bumped', after: { serial: 4 } });
    expect(eventOf(law, update('a', { description: 'x' })).after!.serial).toBe(4);
    expect(eventOf(law, update('a', { enabled: false, refresh: 9 })).after!.serial).toBe(4);
  });

  it('never wrap: the last million is for switching the zone off, not for changes', () => {
    const law = new Law();
    const { id } = law.zone('a');
    law.add('a', record('www', 'A', '192.0.2.1'));
    const at = (serial: number) => law.state.zones.set(id, { ...law.state.zones.get(id)!, serial });
    at(limits.maxSerial);
    const refused = /^ZONE_CONFLICT .*2146483647/;
    expect(law.refusal(update('a', { description: 'x' }))).toMatch(refused);
    expect(law.refusal(update('a', { name: 'b' }))).toMatch(refused);
    expect(law.refusal({ kind: 'bump-serial', zoneName: 'a' })).toMatch(refused);
    expect(law.refusal({ kind: 'delete-record', id: 1 })).toMatch(refused);
    const records = [record('x', 'A', '192.0.2.1')];
    expect(law.refusal({ kind: 'create-records', zoneName: 'a', records })).toMatch(refused);
    // What changes nothing takes no step and stays possible.
    expect(law.when(update('a', { serial: limits.maxSerial })).event).toBeUndefined();
    const disable = update('a', { enabled: false });
    expect(law.refusal(update('a', { enabled: false, description: 'x' }))).toMatch(refused);
    expect(eventOf(law, disable).after!.serial).toBe(limits.maxSerial + 1);
    at(limits.serial - 1);
    expect(eventOf(law, disable).after!.serial).toBe(limits.serial);
    at(limits.serial);
    expect(law.refusal(disable)).toMatch(/^ZONE_CONFLICT .*2147483647, the last one/);
    expect(eventOf(law, { kind: 'delete-zone', zoneName: 'a' }).after).toBeNull();
    at(limits.maxSerial - 1);
    const last = eventOf(law, { kind: 'delete-record', id: 1 });
    expect(last.after!.serial).toBe(limits.maxSerial);
  });
});

describe('update a zone', () => {
  it('decisions 16: without fields, or with what it has, nothing moves', () => {
    const law = new Law();
    const zone = law.zone('a');
    for (const fields of [
      {},
      { serial: 1 },
      { name: 'A.' },
      { mname: 'NS1.example.net.', enabled: true, description: '' },
      { ...zoneDefaults },
    ]) {
      const decision = law.when(update('a', fields));
      expect(decision.event).toBeUndefined();
      expect(decision.outcome.zone).toEqual(zone);
    }
  });

  it('decisions 6: another serial is INVALID_ZONE_FIELD', () => {
    const law = new Law();
    law.zone('a');
    for (const serial of [0, 2, 100]) {
      expect(law.refusal(update('a', { serial }))).toMatch(/^INVALID_ZONE_FIELD serial: /);
    }
  });

  it('changes only what is given; the empty description clears', () => {
    const law = new Law();
    const { id: _, createdAt: __, ...zone } = law.zone('a', { description: 'note' });
    const { before, after, kind } = eventOf(law, update('a', { retry: 61 }));
    expect(kind).toBe('zone.updated');
    expect(after).toEqual({ ...before, retry: 61, serial: 2 });
    expect(zone).toMatchObject(before!);
    expect(eventOf(law, update('a', { description: '' })).after!.description).toBeNull();
    expect(eventOf(law, update('a', { enabled: false })).after).toMatchObject({ enabled: false });
  });

  it('decisions 6: a disabled zone can still be edited, and enabled again', () => {
    const law = new Law();
    law.zone('a');
    law.given(update('a', { enabled: false }));
    law.add('a', record('www', 'A', '192.0.2.1'));
    expect(eventOf(law, update('a', { enabled: true })).after).toMatchObject({
      enabled: true,
      serial: 4,
    });
  });

  it('judges fields as creation does, and unknown zones are ZONE_NOT_FOUND', () => {
    const law = new Law();
    law.zone('a');
    for (const fields of [{ defaultTtl: 59 }, { mname: '*' }, { rname: 'x' }, { name: '*' }]) {
      expect(law.refusal(update('a', fields))).toMatch(/^INVALID_ZONE_FIELD /);
    }
    expect(law.refusal(update('No.Such.', {}))).toBe(
      "ZONE_NOT_FOUND zone 'no.such' does not exist",
    );
  });
});

describe('rename a zone (decisions 6)', () => {
  it('keeps id and records: one event without records in it', () => {
    const law = new Law();
    const zone = law.zone('a');
    law.add('a', record('www', 'A', '192.0.2.1'));
    const event = eventOf(law, update('a', { name: 'B.Example', retry: 9 }));
    expect(event).toMatchObject({
      kind: 'zone.renamed',
      zoneId: zone.id,
      before: { name: 'a', serial: 2 },
      after: { name: 'b.example', serial: 3, retry: 9 },
    });
    expect(event.delta.added).toEqual([]);
    expect(event.delta.removed).toEqual([]);
  });

  it('refuses names in use, the catalog and signed zones', () => {
    const law = new Law();
    const { id } = law.zone('a');
    law.zone('b');
    expect(law.refusal(update('a', { name: 'B' }))).toMatch(/^ZONE_CONFLICT zone 'b' already/);
    expect(law.refusal(update('a', { name: 'catalog.invalid' }))).toMatch(/^ZONE_CONFLICT /);
    law.state.zones.set(id, { ...law.state.zones.get(id)!, dnssecCount: 1 });
    expect(law.refusal(update('a', { name: 'c' }))).toMatch(/^ZONE_CONFLICT .*signed/);
    expect(law.when(update('a', { retry: 9 })).event).toBeDefined();
  });

  it('refuses when a record name would pass 255 bytes, and not before', () => {
    const law = new Law();
    law.zone('a');
    // 128 bytes of labels below the apex.
    const owner = `${'x'.repeat(63)}.${'y'.repeat(63)}`;
    law.add('a', record(owner, 'A', '192.0.2.1'));
    const fits = `${'z'.repeat(63)}.${'z'.repeat(61)}`;
    expect(law.when(update('a', { name: fits })).event).toBeDefined();
    expect(law.refusal(update('a', { name: `${fits}z` }))).toMatch(
      /^INVALID_ZONE_FIELD name: .* 256 bytes/,
    );
  });
});

describe('delete a zone', () => {
  it('takes no step, and counts records and versions', () => {
    const law = new Law();
    law.zone('a', { apexNs: true });
    law.add('a', record('www', 'A', '192.0.2.1'), record('www', 'A', '192.0.2.2'));
    const { event, outcome } = law.when({ kind: 'delete-zone', zoneName: 'A.' });
    expect(event).toMatchObject({ kind: 'zone.deleted', before: { serial: 2 }, after: null });
    expect(outcome).toMatchObject({ recordsDeleted: 3, versionsDeleted: 2, zone: { name: 'a' } });
    expect(law.refusal({ kind: 'delete-zone', zoneName: 'b' })).toMatch(/^ZONE_NOT_FOUND/);
  });

  it('says which roles lose their grants in it', () => {
    const law = new Law();
    const actions = ['zone:read'] as const;
    for (const name of ['a', 'b']) law.zone(name);
    for (const roleName of ['ops', 'ci', 'other'])
      law.given({ kind: 'create-role', name: roleName });
    for (const [roleName, zoneName] of [
      ['ops', 'a'],
      ['ops', 'a'],
      ['ci', 'a'],
      ['other', 'b'],
      ['other', undefined],
    ] as const) {
      law.given({ kind: 'create-grant', roleName, zoneName, actions });
    }
    const deletion = { kind: 'delete-zone', zoneName: 'a' } as const;
    expect(law.when(deletion).event).toMatchObject({ rolesLost: ['ci', 'ops'] });
    law.given(deletion);
    law.given({ kind: 'restore-zone', name: 'a' });
    expect(law.when(deletion).event).toMatchObject({ rolesLost: [] });
  });
});
