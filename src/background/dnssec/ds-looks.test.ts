/** Whose DS is looked at in which run. */
import { expect, it } from 'vitest';
import { limits } from '../../base/limits.ts';
import { DsLooks } from './ds-looks.ts';

const hour = 3_600_000;

it('case 108: every zone is looked at once a day, spread over the runs of one', () => {
  let now = Date.UTC(2026, 0, 1);
  const looks = new DsLooks(() => now);
  const zones = Array.from({ length: 10_000 }, (_, id) => id);
  const share = Math.ceil(10_000 / 23);
  const lastLook = new Map<number, number>();
  for (let run = 0; run < 72; run++, now += hour) {
    const due = looks.due(zones, hour);
    expect(due.length).toBeLessThanOrEqual(share);
    for (const id of due) {
      looks.note(id);
      expect(now - (lastLook.get(id) ?? now - 24 * hour)).toBeGreaterThanOrEqual(23 * hour);
      lastLook.set(id, now);
    }
    if (run < 23) continue;
    expect(lastLook.size).toBe(10_000);
    expect(now - Math.min(...lastLook.values())).toBeLessThanOrEqual(24 * hour);
  }
});

it('few zones are looked at at once after a start, and again where the clock was set back', () => {
  let now = Date.UTC(2026, 0, 1);
  const looks = new DsLooks(() => now);
  expect(looks.due([1, 2], 0)).toEqual([1, 2]);
  looks.note(1);
  now += hour;
  expect(looks.due([1, 2], hour)).toEqual([2]);
  looks.note(2);
  now -= 30 * 24 * hour;
  expect(looks.due([1, 2], hour)).toEqual([1, 2]);
  // Zones that are gone are forgotten, and are new when they come back.
  now += 30 * 24 * hour;
  looks.due([1], hour);
  expect(looks.due([1, 2], hour)).toEqual([2]);
  const many = Array.from({ length: 1000 }, (_, id) => id + 10);
  expect(looks.due(many, 1000)).toHaveLength(limits.dsLooksPerRun);
});
