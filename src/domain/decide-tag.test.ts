import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';

const zoneName = 'a';
let stored: StoredZones;

beforeEach(() => {
  stored = openStoredZones({ durable: false });
});
afterEach(() => stored.close());

const tag = (zoneId: number, serial: number | null) =>
  stored.run({ kind: 'tag-zone', zoneName, zoneId, name: 't', serial });
const idNow = () => stored.zones.byName(zoneName)!.id;

it('a tag is of the zone that was looked at, not of one made anew under its name', async () => {
  await stored.zone(zoneName);
  const old = idNow();
  await stored.add(zoneName, record('www', 'A', '192.0.2.1'));
  await stored.run({ kind: 'delete-zone', zoneName });
  await stored.zone(zoneName);
  const { id, serial } = stored.zones.byName(zoneName)!;
  expect(serial).toBeGreaterThan(2);
  for (const given of [2, null]) {
    await expect(tag(old, given)).rejects.toMatchObject({ code: 'ZONE_NOT_FOUND' });
  }
  // Nor of a version that the zone of now never had.
  await expect(tag(id, 2)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
  await tag(id, serial);
});

it('a tag names a version that is retained when it is written', async () => {
  await stored.zone(zoneName);
  await stored.add(zoneName, record('www', 'A', '192.0.2.1'));
  await tag(idNow(), 1);
  await expect(tag(idNow(), 0)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
  await expect(tag(idNow(), 3)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
});
