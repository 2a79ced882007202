import { describe, expect, it } from 'vitest';
import { createZone, Law } from '../../spec/support/memory-state.ts';
import { catalogZoneName, record } from '../../spec/support/stored-zones.ts';
import { Rights } from './access/rights.ts';
import type { CommandOf } from './command.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';

type RestoreZone = CommandOf<'restore-zone'>;

function restore(name: string, id?: number): RestoreZone {
  return { kind: 'restore-zone', name, id };
}

function remove(law: Law, zoneName: string): void {
  law.given({ kind: 'delete-zone', zoneName });
}

/** `a` (1), deleted at serial 3 with one record, disabled. */
function deleted(): Law {
  const law = new Law();
  law.zone('a');
  law.add('a', record('www', 'A', '192.0.2.1'));
  law.given({ kind: 'update-zone', zoneName: 'a', description: 'old', enabled: false });
  remove(law, 'a');
  return law;
}

describe('restore a zone', () => {
  it('decisions 16: comes back as it was, under the next serial, which begins its history', () => {
    const law = deleted();
    const { event, outcome } = law.when(restore(' A. '));
    const { kind, zoneId, before, after, delta } = event as ZoneEvent;
    expect([kind, zoneId, delta]).toEqual(['zone.restored', 1, emptyDelta]);
    expect(before).toMatchObject({ serial: 3, enabled: false, description: 'old' });
    expect(after).toEqual({ ...before, serial: 4 });
    expect(outcome).toMatchObject({ recordsDeleted: 0, versionsDeleted: 0 });
    expect(outcome.zone).toEqual({
      ...after,
      id: 1,
      createdAt: expect.any(Number),
      recordCount: 1,
      dnssecCount: 0,
      historyFromSerial: 4,
    });
    law.given(restore('a'));
    expect(law.state.zoneByName('a')).toEqual(outcome.zone);
    expect(law.state.recordById(1)?.zoneId).toBe(1);
    expect(law.refusal(restore('a'))).toBe("ZONE_NOT_FOUND no deleted zone 'a' exists");
  });

  it('takes the one deleted last, or the one with the id', () => {
    const law = deleted();
    law.zone('a');
    remove(law, 'a');
    law.zone('b');
    remove(law, 'b');
    expect(law.when(restore('a')).outcome.zone.id).toBe(2);
    expect(law.when(restore('a', 1)).outcome.zone.id).toBe(1);
    expect(law.refusal(restore('a', 3))).toBe(
      "ZONE_NOT_FOUND no deleted zone 'a' with id 3 exists",
    );
  });

  it('invariant 4: the serial is above all that the name was served under', () => {
    const law = deleted();
    expect(law.zone('a').serial).toBe(4);
    law.given({ kind: 'bump-serial', zoneName: 'a' });
    expect(law.refusal(restore('a'))).toBe("ZONE_CONFLICT zone 'a' already exists");
    law.given({ kind: 'update-zone', zoneName: 'a', name: 'c' });
    expect(law.when(restore('a')).outcome.zone).toMatchObject({ serial: 6, historyFromSerial: 6 });
  });

  it('is refused at the last serial', () => {
    const law = deleted();
    law.state.formerSerials.set('a', 2_147_483_646);
    expect(law.when(restore('a')).outcome.zone.serial).toBe(2_147_483_647);
    law.state.formerSerials.set('a', 2_147_483_647);
    expect(law.refusal(restore('a'))).toMatch(/^ZONE_CONFLICT .*2147483647, the last one/);
  });

  it('is refused under the name that the catalog has by now', () => {
    const law = deleted();
    const { zone, records } = law.state.deleted.get(1)!;
    law.state.deleted.set(1, { zone: { ...zone, name: catalogZoneName }, records });
    expect(law.refusal(restore(catalogZoneName))).toMatch(/^ZONE_CONFLICT .*catalog zone/);
  });

  it('decisions 3: needs zone:create in all zones, and tells nothing without', () => {
    const law = deleted();
    law.rights = new Rights([
      { zoneId: null, actions: new Set(['zone:delete']), names: { kind: 'any' }, types: undefined },
    ]);
    for (const name of ['a', 'nothing']) {
      expect(law.refusal(restore(name))).toBe(
        "FORBIDDEN action 'zone:create' is needed in all zones",
      );
    }
  });

  it('a name that was never a zone is not found', () => {
    const law = new Law();
    law.given(createZone('here'));
    for (const name of ['here', 'never', '', '*.x']) {
      expect(law.refusal(restore(name))).toMatch(/^ZONE_NOT_FOUND /);
    }
  });
});
