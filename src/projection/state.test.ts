import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { Pending } from './pending.ts';
import { ProjectedState } from './state.ts';

let stored: StoredZones;
let state: ProjectedState;

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  state = new ProjectedState(stored.connection, new Pending(stored.connection));
  await stored.zone('a', { serial: 5 });
});
afterAll(() => stored.close());

describe('the state that decisions read', () => {
  it('measures the longest owner as the wire does, octets 0 and 1 counted once', async () => {
    const { id } = stored.zones.byName('a')!;
    expect(state.longestOwnerOctets(id)).toBe(1);
    await stored.add('a', record('abcdef', 'A', '192.0.2.1'));
    expect(state.longestOwnerOctets(id)).toBe(8);
    // As long in octets, twice as long as a key.
    await stored.add('a', record('\\000\\001\\000\\001\\000\\001', 'A', '192.0.2.1'));
    expect(state.longestOwnerOctets(id)).toBe(8);
    await stored.add('a', record('\\000.abcdef', 'A', '192.0.2.1'));
    expect(state.longestOwnerOctets(id)).toBe(10);
  });

  it('lets a zone be renamed to the very last octet that fits', async () => {
    const long = '\\000'.repeat(60);
    await stored.zone('b');
    await stored.add('b', record(`${long}.${long}`, 'A', '192.0.2.1'));
    // 122 octets of owner: 133 remain for the apex with its root.
    const fits = `${'x'.repeat(63)}.${'y'.repeat(63)}.zzz`;
    const rename = (name: string) => stored.run({ kind: 'update-zone', zoneName: 'b', name });
    await expect(rename(`${fits}z`)).rejects.toMatchObject({ code: 'INVALID_ZONE_FIELD' });
    expect((await rename(fits)).zone.name).toBe(fits);
    await stored.run({ kind: 'delete-zone', zoneName: fits });
  });

  it('invariant 8: knows versions, former names, counters and secondaries', async () => {
    const { id } = stored.zones.byName('a')!;
    expect(state.versionCount(id)).toBe(4);
    expect(state.formerSerial('a')).toBeUndefined();
    await stored.run({ kind: 'update-zone', zoneName: 'a', name: 'c' });
    expect(state.formerSerial('a')).toBe(8);
    expect(state.zoneById(id)).toMatchObject({ name: 'c', serial: 9, historyFromSerial: 9 });
    expect(state.zoneByName('a')).toBeUndefined();
    expect(state.counter('secondary')).toBe(0);
    await stored.run({ kind: 'create-secondary', name: 'x', address: 'h' });
    expect(state.secondaryByAddress('h:53')).toEqual(state.secondaryByName('x'));
    await stored.run({ kind: 'delete-secondary', name: 'x' });
    expect(state.secondaryByName('x')).toBeUndefined();
    // The counter does not forget.
    // What this state keeps in memory is its own commit's; a fresh one reads what is stored.
    const fresh = new ProjectedState(stored.connection, new Pending(stored.connection));
    expect([fresh.counter('secondary'), fresh.counter('zone')]).toEqual([1, 2]);
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
});
