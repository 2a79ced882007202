/** Steps that only re-signed a zone are let go of earlier than others. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  clear,
  closeKept,
  count,
  expectWhole,
  type Kept,
  kinds,
  msPerDay,
  openKept,
  page,
} from '../../../spec/support/kept-zones.ts';
import { createPolicies, makeKeys } from '../../../spec/support/signing-mutations.ts';
import { apiOptions, record } from '../../../spec/support/stored-zones.ts';
import { rebuildProjections } from '../../projection/rebuild.ts';
import { VersionQueries } from '../../query/version-queries.ts';

afterEach(closeKept);

describe('a run that keeps signatures for a shorter time', () => {
  const name = 'signed.example';

  /** Two records on two days, and between and after them a new set of signatures each day. */
  async function signedZone(kept = { days: 0, signerDays: 10 }, records = 1) {
    const all = openKept(kept);
    const { stored } = all;
    await createPolicies(stored);
    await stored.zone(name, { apexNs: true });
    const first = Array.from({ length: records }, (_, index) =>
      record(`a${index}`, 'A', '192.0.2.1'),
    );
    await stored.add(name, ...first);
    const [key] = await makeKeys(1);
    await stored.run({
      kind: 'enable-signing',
      zoneName: name,
      policyName: 'nsec',
      parentNsAddrs: ['192.0.2.53'],
      keys: [{ ...key!, id: 1 }],
    });
    await signDaily(all, 10);
    await stored.add(name, record('later', 'A', '192.0.2.2'));
    await signDaily(all, 10);
    return all;
  }

  async function signDaily(all: Kept, days: number): Promise<void> {
    for (let day = 1; day <= days; day++) {
      all.now += msPerDay;
      await all.stored.run({ kind: 'sign-zone', zoneName: name, reason: 're-signed' });
    }
  }

  const zoneOf = ({ stored }: Kept) => stored.zones.byName(name)!;
  const versionsOf = (all: Kept) => new VersionQueries(all.stored.connection);
  const serialsOf = (all: Kept, includeSignerSerials: boolean) =>
    versionsOf(all)
      .list(zoneOf(all), { includeSignerSerials }, page)
      .items.map(({ serial }) => serial);
  const stepsSince = (all: Kept, serial: number) => {
    const snapshot = all.stored.snapshots.open();
    const steps = snapshot.differences(zoneOf(all), serial);
    snapshot.close();
    return steps?.length;
  };

  it('case 33: lets go of steps that only signed, and tells every version of users as it was', async () => {
    const all = await signedZone();
    const { stored, retention } = all;
    // 1 and 2 are of a user, 3 signs, 4 to 13 sign anew, 14 is of a user, 15 to 24 sign anew.
    expect(zoneOf(all).serial).toBe(24);
    const versions = versionsOf(all);
    const pictures = [1, 2, 14].map((serial) => ({
      version: versions.get(zoneOf(all), serial),
      records: [...versions.records(zoneOf(all), serial)].flat(),
    }));
    const signatures = [...versions.dnssecRecords(zoneOf(all), 14)].flat();
    await retention.run();
    // 13 and 14 were made ten days ago to the millisecond, and 12 was in force until then.
    expect(serialsOf(all, true).slice(-5)).toEqual([14, 13, 12, 2, 1]);
    all.now += 1;
    await retention.run();
    expect(serialsOf(all, true)).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 2, 1]);
    expect(serialsOf(all, false)).toEqual([24, 14, 2, 1]);
    for (const [index, serial] of [1, 2, 14].entries()) {
      const records = [...versions.records(zoneOf(all), serial)].flat();
      expect({ version: versions.get(zoneOf(all), serial), records }).toEqual(pictures[index]);
    }
    expect([...versions.changedNodes(zoneOf(all), 1, 14)]).toHaveLength(2);
    expect([...versions.dnssecRecords(zoneOf(all), 14)].flat()).toEqual(signatures);
    for (const serial of [1, 2]) {
      expect(() => versions.dnssecRecords(zoneOf(all), serial)).toThrow(/no signatures of/);
    }
    expect(() => versions.records(zoneOf(all), 5)).toThrow(/no version/);
    // A secondary from before them gets the whole zone.
    expect([2, 5, 12, 13, 14, 24].map((serial) => stepsSince(all, serial))).toEqual([
      undefined,
      undefined,
      undefined,
      11,
      10,
      0,
    ]);
    expectWhole(all);
    const events = [...stored.journal.events()];
    const gone = events.filter(({ payload }) => payload === null);
    expect(gone.map(({ kind }) => kind)).toEqual(Array(11).fill('zone.signed'));
    expect(gone.flatMap((event) => stored.journal.parts(event))).toEqual([]);
    // The one checkpoint stands in for the steps of the next ten days too.
    const checkpoints = () => kinds(all).filter((kind) => kind.includes('checkpointed'));
    all.now += 9 * msPerDay;
    await retention.run();
    expect(serialsOf(all, true)).toEqual([24, 23, 14, 2, 1]);
    expect(checkpoints()).toEqual(['zone.checkpointed']);
    await signDaily(all, 1);
    all.now += 20 * msPerDay;
    await signDaily(all, 1);
    await retention.run();
    expect(serialsOf(all, true)).toEqual([26, 25, 14, 2, 1]);
    expect(checkpoints()).toHaveLength(1);
    all.now += 11 * msPerDay;
    await retention.run();
    expect(serialsOf(all, true)).toEqual([26, 14, 2, 1]);
    expect(checkpoints()).toEqual(['(zone.checkpointed)', 'zone.checkpointed']);
    expectWhole(all);
    const head = stored.journal.head();
    await retention.run();
    expect(stored.journal.head()).toEqual(head);
  });

  it('finds the version of users that was in force, where the step that signed it is gone', async () => {
    const all = await signedZone();
    const start = all.now - 20 * msPerDay;
    all.now += 1;
    await all.retention.run();
    const at = (days: number) => versionsOf(all).serialAt(zoneOf(all), start + days * msPerDay);
    expect([at(-1), at(0), at(5), at(10), at(15), at(20)]).toEqual([undefined, 2, 2, 14, 19, 24]);
  });

  it('goes back to a version from before them, and signs it', async () => {
    const all = await signedZone();
    const { stored, retention } = all;
    all.now += 1;
    await retention.run();
    const versions = versionsOf(all);
    const before = [...versions.records(zoneOf(all), 2)].flat();
    const { settings } = versions.get(zoneOf(all), 2)!;
    const atSerial = zoneOf(all).serial;
    const nodes = [...versions.changedNodes(zoneOf(all), atSerial, 2)].map(({ owner, after }) => ({
      owner,
      records: after,
    }));
    expect(nodes).toHaveLength(1);
    await stored.run({
      kind: 'rollback-zone',
      zoneName: name,
      zoneId: zoneOf(all).id,
      targetSerial: 2,
      atSerial,
      settings,
      nodes,
    });
    expect([...versions.records(zoneOf(all), 25)].flat()).toEqual(before);
    expect([...versions.dnssecRecords(zoneOf(all), 25)].flat().length).toBeGreaterThan(5);
    expectWhole(all);
  });

  it('leaves nothing of a zone that is purged, also when it was restored before', async () => {
    const all = await signedZone({ days: 0, signerDays: 3 }, 280);
    const { stored, retention, stages } = all;
    await retention.run();
    await clear(all);
    expect(serialsOf(all, true)).toEqual([24, 23, 22, 21, 20, 14, 2, 1]);
    expectWhole(all);
    await stored.run({ kind: 'delete-zone', zoneName: name });
    await stored.run({ kind: 'restore-zone', name });
    expect(zoneOf(all).serial).toBe(25);
    expectWhole(all);
    await stored.run({ kind: 'delete-zone', zoneName: name });
    await stored.run({ kind: 'purge-zone', name });
    await clear(all);
    expect(stages.isEmpty()).toBe(true);
    expect([count(all, 'event_delta'), count(all, 'block')]).toEqual([0, 0]);
    expectWhole(all);
  });

  it('keeps no signature longer than history is kept', async () => {
    for (const signerDays of [0, 30]) {
      const all = await signedZone({ days: 5, signerDays });
      await all.retention.run();
      expect(serialsOf(all, true)).toEqual([24, 23, 22, 21, 20, 19, 18, 14]);
      await all.stored.add(name, record('last', 'A', '192.0.2.3'));
      all.now += 6 * msPerDay;
      await all.retention.run();
      expect(serialsOf(all, true)).toEqual([25]);
      expectWhole(all);
    }
  });

  it('lets the steps of many re-signings go where those of users between them went before', async () => {
    const all = await signedZone({ days: 0, signerDays: 1 });
    await signDaily(all, 120);
    await all.stored.add(name, record('last', 'A', '192.0.2.3'));
    all.now += 2 * msPerDay;
    await all.retention.run();
    expect(serialsOf(all, true)).toEqual([145, 14, 2, 1]);
    await all.retention.forget(zoneOf(all), all.now, apiOptions);
    expect(serialsOf(all, true)).toEqual([145]);
    expectWhole(all);
  });

  it.each([false, true])(
    'lets all of it go where nothing came after the event (rebuilt: %s)',
    async (isRebuilt) => {
      const whole = await signedZone({ days: 0, signerDays: 0 });
      const all = await signedZone({ days: 0, signerDays: 0 });
      await whole.retention.forget(zoneOf(whole), whole.now, apiOptions);
      const { stored, retention, stages } = all;
      const { writer, connection, journal } = stored;
      vi.spyOn(writer, 'operate').mockRejectedValueOnce(new Error('killed'));
      await expect(retention.forget(zoneOf(all), all.now, apiOptions)).rejects.toThrow('killed');
      expect(kinds(all).at(-1)).toBe('zone.history-forgotten');
      expect(serialsOf(all, true).length).toBeGreaterThan(20);
      if (isRebuilt) {
        rebuildProjections(connection, journal);
        writer.forget();
      }
      await clear(all);
      expect(serialsOf(all, true)).toEqual(serialsOf(whole, true));
      expect(stepsSince(all, 0)).toBe(stepsSince(whole, 0));
      expect(stages.isEmpty()).toBe(true);
      expectWhole(all);
    },
  );

  it('does nothing when both are kept for ever', async () => {
    const all = await signedZone({ days: 0, signerDays: 0 });
    const head = all.stored.journal.head();
    await all.retention.run();
    expect(all.stored.journal.head()).toEqual(head);
  });
});
