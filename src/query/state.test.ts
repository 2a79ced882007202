import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import type { StateView } from '../domain/decision.ts';
import { settingsOf } from '../domain/zone.ts';
import { Pending } from '../projection/pending.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import { stateOn } from './state.ts';

let stored: StoredZones;
let state: StateView;

beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  state = stateOn(stored.connection, new Pending(stored.connection));
  await stored.zone('a', { serial: 5 });
});
afterEach(() => stored.close());

describe('the state that decisions read', () => {
  it('measures the longest owner as the wire does, bytes 0 and 1 counted once', async () => {
    const { id } = stored.zones.byName('a')!;
    expect(state.longestOwnerBytes(id)).toBe(1);
    await stored.add('a', record('abcdef', 'A', '192.0.2.1'));
    expect(state.longestOwnerBytes(id)).toBe(8);
    // As long in bytes, twice as long as a key.
    await stored.add('a', record('\\000\\001\\000\\001\\000\\001', 'A', '192.0.2.1'));
    expect(state.longestOwnerBytes(id)).toBe(8);
    await stored.add('a', record('\\000.abcdef', 'A', '192.0.2.1'));
    expect(state.longestOwnerBytes(id)).toBe(10);
  });

  it('lets a zone be renamed to the very last byte that fits', async () => {
    const long = '\\000'.repeat(60);
    await stored.zone('b');
    await stored.add('b', record(`${long}.${long}`, 'A', '192.0.2.1'));
    // 122 bytes of owner: 133 remain for the apex with its root.
    const fits = `${'x'.repeat(63)}.${'y'.repeat(63)}.zzz`;
    const rename = (name: string) => stored.run({ kind: 'update-zone', zoneName: 'b', name });
    await expect(rename(`${fits}z`)).rejects.toMatchObject({ code: 'INVALID_ZONE_FIELD' });
    expect((await rename(fits)).zone.name).toBe(fits);
  });

  it('invariant 8: knows versions, former names, counters and secondaries', async () => {
    const { id } = stored.zones.byName('a')!;
    await stored.add('a', record('www', 'A', '192.0.2.1'));
    expect(state.versionCount(id)).toBe(2);
    expect(state.formerSerial('a')).toBeUndefined();
    await stored.run({ kind: 'update-zone', zoneName: 'a', name: 'c' });
    expect(state.formerSerial('a')).toBe(6);
    expect(state.zoneById(id)).toMatchObject({ name: 'c', serial: 7, historyFromSerial: 7 });
    expect(state.zoneByName('a')).toBeUndefined();
    expect(state.counter('secondary')).toBe(0);
    await stored.run({ kind: 'create-secondary', name: 'x', address: 'h' });
    expect(state.secondaryByAddress('h:53')).toEqual(state.secondaryByName('x'));
    await stored.run({ kind: 'delete-secondary', name: 'x' });
    expect(state.secondaryByName('x')).toBeUndefined();
    // The counter does not forget. What this state keeps in memory is its own commit's; a fresh one reads what
    // is stored.
    const fresh = stateOn(stored.connection, new Pending(stored.connection));
    expect([fresh.counter('secondary'), fresh.counter('zone')]).toEqual([1, 1]);
  });

  it('finds zones by any name below them, and the one above an apex', async () => {
    await stored.zone('example.com');
    await stored.zone('deep.sub.example.com');
    const find = (name: string) => stored.nodes.findZone(parseAbsoluteName(name))?.name;
    expect(find('example.com')).toBe('example.com');
    expect(find('x.sub.example.com')).toBe('example.com');
    expect(find('x.deep.sub.example.com')).toBe('deep.sub.example.com');
    expect(find('notexample.com')).toBeUndefined();
    expect(find('com')).toBeUndefined();
    const above = (name: string) => stored.nodes.findZoneAbove(parseAbsoluteName(name))?.name;
    expect(above('deep.sub.example.com')).toBe('example.com');
    expect(above('example.com')).toBeUndefined();
  });

  it('decisions 16: restores the deleted zone that is asked for, with its content and its ids', async () => {
    await stored.zone('gone.example');
    await stored.add('gone.example', record('www', 'A', '192.0.2.1'), record('b', 'TXT', 'x'));
    const { id, recordCount } = stored.zones.byName('gone.example')!;
    const fresh = () => stateOn(stored.connection, new Pending(stored.connection));
    const before = [...fresh().allRecords(id)];
    expect(before.map((one) => fresh().recordById(one.id)?.record)).toEqual(before);
    const remove = () => stored.run({ kind: 'delete-zone', zoneName: 'gone.example' });
    await remove();
    expect(fresh().recordById(before[0]!.id)).toBeUndefined();
    await stored.zone('gone.example');
    // These share a commit.
    const [, back] = await Promise.all([
      remove(),
      stored.run({ kind: 'restore-zone', name: 'gone.example', id }),
    ]);
    expect(back.zone).toMatchObject({ id, recordCount, serial: 4, historyFromSerial: 4 });
    expect(stored.zones.byName('gone.example')).toEqual(back.zone);
    expect([...fresh().allRecords(id)]).toEqual(before);
    expect(fresh().recordById(before[0]!.id)).toEqual({ zoneId: id, record: before[0] });
    expect(fresh().deletedZone('gone.example', id)).toBeUndefined();
    const newest = fresh().deletedZone('gone.example')!;
    expect(newest).toMatchObject({
      name: 'gone.example',
      recordCount: 0,
      serial: 3,
      enabled: true,
    });
    expect(newest.deletedAt).toBeGreaterThanOrEqual(newest.createdAt);
    expect(fresh().deletedZone('gone.example', newest.id)).toEqual(newest);
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });

  it('decisions 16: a rollback brings records back under their ids, moved ones included', async () => {
    const { id } = await stored.zone('back.example');
    const run = stored.run;
    const first = await stored.add('back.example', record('www', 'A', '192.0.2.1'));
    await stored.add('back.example', record('b', 'TXT', 'x'));
    const fresh = () => stateOn(stored.connection, new Pending(stored.connection));
    const then = [...fresh().allRecords(id)];
    const www = first.records[0]!;
    const settings = settingsOf(stored.zones.byName('back.example')!);
    const other = then.find((one) => one.id !== www.id)!;
    await run({ kind: 'delete-record', id: www.id });
    await run({ kind: 'update-record', id: other.id, name: 'elsewhere' });
    const elsewhere = fresh().recordById(other.id)!.record.owner;
    const { zone, summary } = await run({
      kind: 'rollback-zone',
      zoneName: 'back.example',
      zoneId: id,
      targetSerial: 3,
      atSerial: 5,
      settings,
      nodes: [
        { owner: other.owner, records: [other] },
        { owner: elsewhere, records: [] },
        { owner: www.owner, records: [www] },
      ],
    });
    expect(zone).toMatchObject({ serial: 6, recordCount: 2 });
    expect(summary).toEqual({ added: 2, deleted: 1, unchanged: 0, soaChanged: false });
    expect([...fresh().allRecords(id)]).toEqual(then);
    for (const one of then) expect(fresh().recordById(one.id)?.record).toEqual(one);
    expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  });
});
