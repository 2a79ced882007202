import { describe, expect, it } from 'vitest';
import { Law, recordLines } from '../../spec/support/memory-state.ts';
import { record } from '../../spec/support/stored-zones.ts';
import type { NameKey } from '../dns/name.ts';
import type { Action } from '../base/action.ts';
import { Rights } from './access/rights.ts';
import type { Command, CommandOf, NodeVersion } from './command.ts';
import { settingsOf, type ZoneSettings } from './zone.ts';
import { countDiff } from './diff.ts';
import type { ZoneEvent } from './event.ts';
import type { RecordInput, ZoneRecord } from './record.ts';

type RollbackZone = CommandOf<'rollback-zone'>;
type UpdateZone = CommandOf<'update-zone'>;

/** A zone that remembers what it was at each serial. */
class Remembered {
  readonly law = new Law();
  readonly #versions = new Map<number, { settings: ZoneSettings; records: ZoneRecord[] }>();

  constructor(...records: RecordInput[]) {
    this.law.zone('example.com');
    this.#remember();
    if (records.length > 0) this.add(...records);
  }

  get zone() {
    return this.law.state.zoneById(1)!;
  }
  get lines() {
    return recordLines(this.law.state.recordsOf(1));
  }

  run(command: Command): void {
    this.law.given(command);
    this.#remember();
  }
  add(...records: RecordInput[]): void {
    this.run({ kind: 'create-records', zoneName: this.zone.name, records });
  }
  update(fields: Omit<UpdateZone, 'kind' | 'zoneName'>): void {
    this.run({ kind: 'update-zone', zoneName: this.zone.name, ...fields });
  }
  delete(id: number): void {
    this.run({ kind: 'delete-record', id });
  }

  #remember(): void {
    const version = { settings: settingsOf(this.zone), records: this.law.state.recordsOf(1) };
    this.#versions.set(this.zone.serial, version);
  }

  /** The command of a caller who has read the version now. */
  to(targetSerial: number): RollbackZone {
    const { settings, records } = this.#versions.get(targetSerial)!;
    const now = this.law.state.recordsOf(1);
    const owners = [...new Set([...now, ...records].map(({ owner }) => owner))].sort();
    const at = (all: readonly ZoneRecord[], owner: NameKey) =>
      all.filter((one) => one.owner === owner);
    const nodes: NodeVersion[] = [];
    for (const owner of owners) {
      const then = at(records, owner);
      if (recordLines(then).join() === recordLines(at(now, owner)).join()) continue;
      nodes.push({ owner, records: then });
    }
    const { name: zoneName, id: zoneId, serial: atSerial } = this.zone;
    return { kind: 'rollback-zone', zoneName, zoneId, targetSerial, atSerial, settings, nodes };
  }
}

const www = (last: number, more: Partial<RecordInput> = {}) =>
  record('www', 'A', `192.0.2.${last}`, more);

describe('rollback', () => {
  it('decisions 16: records and SOA return, under a new serial; restored ids and times are the old', () => {
    const zone = new Remembered(www(1), www(2), record('a', 'TXT', 'x'));
    const [first] = zone.law.state.recordsAt(1, zone.law.state.recordById(1)!.record.owner);
    zone.delete(1);
    zone.update({ retry: 77, mname: 'ns2.example.net', defaultTtl: 60 });
    zone.add(record('new', 'A', '192.0.2.7'));
    const before = zone.lines;
    const { event, outcome } = zone.law.when(zone.to(2));
    const step = event as ZoneEvent;
    expect(step.kind).toBe('zone.rolled-back');
    expect(step.after).toEqual({
      ...step.before,
      mname: 'ns1.example.net',
      retry: 60,
      defaultTtl: 3600,
      serial: 6,
    });
    expect(step.delta.added).toEqual([first]);
    expect(recordLines(step.delta.removed)).toEqual(['#4 new 60 A 192.0.2.7']);
    expect(outcome).toMatchObject({ moved: false, targetSerial: 2, newSerial: 6 });
    expect(outcome.summary).toEqual({ added: 1, deleted: 1, unchanged: 2, soaChanged: true });
    expect(outcome.zone).toMatchObject({ serial: 6, recordCount: 3 });
    expect(countDiff(outcome.diff)).toEqual({ added: 0, changed: 1, removed: 1 });
    zone.run(zone.to(2));
    expect(zone.lines).toEqual([
      '#1 www 3600 A 192.0.2.1',
      '#2 www 3600 A 192.0.2.2',
      '#3 a 3600 TXT x',
    ]);
    // Case 94: the rollback is a step like any other, and can be rolled back.
    const back = zone.law.given(zone.to(5));
    expect(back.summary).toEqual({ added: 1, deleted: 1, unchanged: 2, soaChanged: true });
    expect(zone.lines).toEqual(before);
    expect(zone.zone).toMatchObject({ serial: 7, retry: 77, mname: 'ns2.example.net' });
  });

  it('case 94: TTLs return as they were, whatever the default is now', () => {
    const zone = new Remembered(www(1));
    zone.update({ defaultTtl: 60 });
    zone.run({ kind: 'update-record', id: 1, ttl: 60 });
    const { outcome, event } = zone.law.when(zone.to(2));
    expect(recordLines((event as ZoneEvent).delta.added)).toEqual(['#1 www 3600 A 192.0.2.1']);
    expect(outcome.zone.defaultTtl).toBe(3600);
    // Case 95.
    expect(countDiff(outcome.diff)).toEqual({ added: 0, changed: 1, removed: 0 });
  });

  it('decisions 16: case 94: name, description and enabled stay, across a rename too', () => {
    const zone = new Remembered(www(1));
    zone.update({ name: 'other.example', description: 'now', enabled: false });
    zone.delete(1);
    const { outcome } = zone.law.when(zone.to(2));
    expect(outcome.zone).toMatchObject({
      name: 'other.example',
      description: 'now',
      enabled: false,
      serial: 5,
      recordCount: 1,
    });
    expect(outcome.summary.soaChanged).toBe(false);
  });

  it('a record that moved goes back under its id', () => {
    const zone = new Remembered(www(1), record('b', 'TXT', 'x'));
    zone.run({ kind: 'update-record', id: 1, name: 'b' });
    zone.run(zone.to(2));
    expect(zone.lines).toEqual(['#1 www 3600 A 192.0.2.1', '#2 b 3600 TXT x']);
  });

  it('decisions 6: a record that stands there anyway keeps the id it has', () => {
    const zone = new Remembered(www(1), record('b', 'TXT', 'x'));
    zone.delete(1);
    zone.add(www(1));
    const again = zone.law.when(zone.to(2));
    expect(again.event).toBeUndefined();
    expect(again.outcome).toMatchObject({
      newSerial: 4,
      summary: { added: 0, deleted: 0, unchanged: 2, soaChanged: false },
    });
    zone.add(record('c', 'A', '192.0.2.3'));
    zone.run(zone.to(2));
    expect(zone.lines).toEqual(['#2 b 3600 TXT x', '#3 www 3600 A 192.0.2.1']);
  });

  it('invariant 8: no id stands twice where a record took the place of one that is wanted back', () => {
    const zone = new Remembered(www(1), record('b', 'A', '192.0.2.2'));
    zone.delete(1);
    zone.run({ kind: 'update-record', id: 2, name: 'www', value: '192.0.2.1' });
    zone.run(zone.to(2));
    expect(zone.lines).toEqual(['#1 www 3600 A 192.0.2.1', '#2 b 3600 A 192.0.2.2']);
  });

  it('decisions 16: nothing to do moves nothing, even at the last serial', () => {
    const zone = new Remembered(www(1));
    zone.update({ description: 'only this' });
    const { event, outcome } = zone.law.when(zone.to(2));
    expect(event).toBeUndefined();
    expect(outcome).toMatchObject({ moved: false, newSerial: 3, diff: { entries: [] } });
    expect(outcome.summary).toEqual({ added: 0, deleted: 0, unchanged: 1, soaChanged: false });
    zone.law.state.zones.set(1, { ...zone.zone, serial: 2_147_483_647 });
    expect(zone.law.refusal(zone.to(2))).toBe('not refused');
    expect(zone.law.refusal(zone.to(1))).toMatch(/^ZONE_CONFLICT /);
  });

  it('a zone that has moved since it was read is left alone', () => {
    const zone = new Remembered(www(1));
    zone.delete(1);
    const command = zone.to(2);
    zone.add(www(9));
    const { event, outcome } = zone.law.when(command);
    expect(event).toBeUndefined();
    expect(outcome).toMatchObject({ moved: true, newSerial: 4, diff: { entries: [] } });
    expect(outcome.zone).toEqual(zone.zone);
  });

  it('another zone that has the name by now is not found, wherever it is', () => {
    const zone = new Remembered(www(1));
    const { nodes: _, ...command } = zone.to(1);
    const counts = { partCount: 0, removed: 0, added: 0, greatestId: 0 };
    const staged = { number: 9, partsDigest: Buffer.alloc(32), ...counts };
    for (const targetSerial of [1, 2, 9]) {
      const other = { ...command, zoneId: 7, targetSerial };
      const small = zone.law.refusal({ ...other, nodes: [] });
      const large = zone.law.refusal({ ...other, kind: 'publish-rollback', staged });
      expect([small, large]).toEqual(Array(2).fill(expect.stringMatching(/^ZONE_NOT_FOUND /)));
    }
  });

  it('decisions 16: the target is older than the current serial', () => {
    const zone = new Remembered(www(1));
    for (const targetSerial of [0, -1, 2, 3]) {
      expect(zone.law.refusal({ ...zone.to(1), targetSerial })).toMatch(/^INVALID_INPUT serial: /);
    }
  });

  it('decisions 16: rules of today hold, and the first record that breaks one is named', () => {
    const zone = new Remembered(www(1));
    const command = zone.to(1);
    const cname = {
      ...zone.law.state.recordById(1)!.record,
      id: 8,
      type: 5,
      rdata: Buffer.from([0]),
    };
    const apex = { owner: '' as NameKey, records: [{ ...cname, owner: '' as NameKey }] };
    const refused = zone.law.refusal({ ...command, nodes: [apex] });
    expect(refused).toBe('RECORD_CONFLICT a CNAME can not stand at the apex example.com.');
    const twice = {
      owner: cname.owner,
      records: [cname, { ...cname, rdata: Buffer.from([1, 97, 0]) }],
    };
    expect(zone.law.refusal({ ...command, nodes: [twice, apex] })).toBe(
      'RECORD_CONFLICT only one CNAME can stand at www.example.com.',
    );
  });

  it('case 94: under a longer name a record may no longer fit', () => {
    const label = 'x'.repeat(63);
    const zone = new Remembered(record(`${label}.${label}.${label}`, 'A', '192.0.2.1'));
    zone.delete(1);
    zone.update({ name: `${'y'.repeat(60)}.example.com` });
    expect(zone.law.refusal(zone.to(2))).toMatch(
      /^RECORD_CONFLICT the name x+\.x+\.x+ would have /,
    );
  });

  it('decisions 3: needs zone:update and reading, creating and deleting all records', () => {
    const zone = new Remembered(www(1));
    const command = zone.to(1);
    const needed: Action[] = ['zone:update', 'record:read', 'record:create', 'record:delete'];
    const refusal = (zoneId: number, actions: Action[]) => {
      const grant = { names: { kind: 'any' as const }, types: undefined };
      zone.law.rights = new Rights([{ ...grant, zoneId, actions: new Set(actions) }]);
      return zone.law.refusal(command);
    };
    expect(refusal(7, needed)).toMatch(/^ZONE_NOT_FOUND /);
    expect(refusal(1, needed)).toBe('not refused');
    for (const missing of needed) {
      const rest = needed.filter((one) => one !== missing);
      expect(refusal(1, rest)).toContain(`FORBIDDEN action '${missing}' is needed `);
    }
    zone.law.rights = new Rights([]);
    expect(zone.law.refusal({ ...command, targetSerial: 9 })).toMatch(/^ZONE_NOT_FOUND /);
  });
});
