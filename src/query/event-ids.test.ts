import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { noneSeen } from '../domain/epoch.ts';
import { EventIds } from './event-ids.ts';

let stored: StoredZones;
beforeEach(() => {
  stored = openStoredZones({ durable: false });
});
afterEach(() => stored.close());

it('reads the events of administration once, however many streams begin', async () => {
  await stored.zone('example.com');
  const { connection } = stored;
  const before = Number(connection.prepare('SELECT max(seq) FROM event').pluck().get());
  await stored.run({ kind: 'begin-epoch', epoch: 2, reason: 'restore', seen: noneSeen });
  const ids = new EventIds(connection);
  expect(ids.behind(String(before + 5))).toBe(before);
  const prepare = vi.spyOn(connection, 'prepare');
  const idOf = ids.ofNumbers();
  expect([before, before + 1].map(idOf)).toEqual([`${before}`, `2-${before + 1}`]);
  expect(ids.behind(`2-${before + 5}`)).toBe(before + 5);
  expect(prepare).not.toHaveBeenCalled();
});
