import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createZone, Law } from '../../spec/support/memory-state.ts';
import { limits } from '../base/limits.ts';
import { isNewerSerial } from '../dns/serial.ts';
import {
  type BeginEpoch,
  idBeyond,
  noneSeen,
  type SeenElsewhere,
  type ServiceRecovered,
  serialBeyond,
} from './epoch.ts';
import { isPassable, judgeSerials } from './seen-serials.ts';

let law: Law;
beforeEach(() => {
  law = new Law();
});

function begin(seen: Partial<SeenElsewhere> = {}): BeginEpoch {
  return { kind: 'begin-epoch', epoch: 2, reason: 'recover', seen: { ...noneSeen, ...seen } };
}

function eventOf(seen: Partial<SeenElsewhere> = {}): ServiceRecovered {
  return law.when(begin(seen)).event as ServiceRecovered;
}

/** Begins an epoch and takes the step of each zone. */
function recover(seen: Partial<SeenElsewhere> = {}): void {
  const { jump } = eventOf(seen);
  law.given(begin(seen));
  for (const { name } of [...law.state.zones.values()]) {
    law.given({ kind: 'recover-zone', zoneName: name, jump });
  }
}

/** A zone comes to another serial, as by as many changes. */
function force(name: string, serial: number): void {
  const zone = law.state.zoneByName(name)!;
  law.state.zones.set(zone.id, { ...zone, serial });
}

const serialOf = (name: string) => law.state.zoneByName(name)?.serial;

describe('how far serials go', () => {
  it.each([
    [1, 65_537],
    [51, 65_587],
    [limits.maxSerial - 200_000, limits.maxSerial - 200_000 + 65_536],
    // Near the end half of what is left, and among the last million one by one.
    [limits.maxSerial - 1000, limits.maxSerial - 500],
    [limits.maxSerial, limits.maxSerial + 1],
    [limits.serial - 1, limits.serial],
    [limits.serial, undefined],
  ])('after %i comes %s', (last, next) => {
    expect(serialBeyond(last)).toBe(next);
  });

  it('is always further and never past the last one, and keeps the order', () => {
    const serial = fc.integer({ min: 1, max: limits.serial - 1 });
    fc.assert(
      fc.property(serial, serial, (one, other) => {
        const next = serialBeyond(one)!;
        expect(next).toBeGreaterThan(one);
        expect(next).toBeLessThanOrEqual(limits.serial);
        if (one <= other) expect(next).toBeLessThanOrEqual(serialBeyond(other)!);
        expect(idBeyond(one)).toBeLessThanOrEqual(limits.id);
      }),
    );
  });
});

describe('a new epoch', () => {
  it('takes each zone past what it had and what was seen, and cuts its history', () => {
    law.zone('a', { serial: 51 });
    law.zone('b', { serial: 7 });
    law.given({ kind: 'update-zone', zoneName: 'b', enabled: false });
    recover({ serials: [{ name: 'a', serial: 56 }] });
    expect(serialOf('a')).toBe(56 + 65_536);
    // Secondaries may hold what is disabled now.
    expect(serialOf('b')).toBe(8 + 65_536);
    expect(law.state.zoneByName('a')).toMatchObject({ historyFromSerial: 56 + 65_536 });
  });

  it.each([40, 51, limits.startingSerial, limits.maxSerial - 1, limits.serial, 2 ** 32 - 1])(
    'does not mind %i of a zone at 51, nor of a name nobody knows',
    (serial) => {
      law.zone('a', { serial: 51 });
      recover({ serials: [{ name: 'a', serial }] });
      expect(serialOf('a')).toBe(51 + 65_536);
      if (serial > 51) expect(eventOf({ serials: [{ name: 'x', serial }] }).serials).toEqual([]);
    },
  );

  it.each([40, limits.startingSerial, limits.serial, 2 ** 32 - 1])(
    'does not mind %i of the catalog',
    (catalogSerial) => {
      law.state.catalog = 120;
      expect(eventOf({ catalogSerial }).catalogSerial).toBe(120 + 65_536);
    },
  );

  it('leads no zone into the last million by an earlier zone of its name', () => {
    law.zone('a');
    force('a', limits.maxSerial + 7);
    law.given({ kind: 'delete-zone', zoneName: 'a' });
    law.given(createZone('a', { serial: 5 }));
    recover({ serials: [{ name: 'a', serial: limits.serial - 1 }] });
    expect(serialOf('a')).toBe(5 + 65_536);
    expect(law.refusal({ kind: 'bump-serial', zoneName: 'a' })).toBe('not refused');
  });

  it.each([true, false])('goes on beyond all that is said and can be (judged: %s)', (isJudged) => {
    const { startingSerial, maxSerial, epochJump } = limits;
    const own = fc.oneof(
      fc.integer({ min: 1, max: maxSerial }),
      fc.integer({ min: startingSerial - 100_000, max: startingSerial + 100_000 }),
      fc.integer({ min: maxSerial - 100, max: limits.serial - 1 }),
    );
    const said = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.integer({ min: 0, max: 300_000 }),
        fc.integer({ min: startingSerial - 100_000, max: limits.serial + 10 }),
      ),
      { maxLength: 6 },
    );
    const property = fc.property(own, own, said, (zoneAt, catalogAt, serials) => {
      law = new Law();
      law.zone('a');
      force('a', zoneAt);
      law.state.catalog = catalogAt;
      const sources = serials.map((serial, at) => {
        const of = (name: string) => [name, serial] as const;
        return { name: `ns${at}`, serials: [of('a'), of('catalog')] };
      });
      const known = (name: string) => (name === 'a' ? zoneAt : catalogAt);
      // Where nobody judged them before, one that is ignored hides the others, and leads nowhere.
      const { greatest } = isJudged ? judgeSerials(sources, known) : { greatest: undefined };
      const said = (name: string) => (greatest ? greatest.get(name) : Math.max(0, ...serials)) ?? 0;
      recover({ serials: [{ name: 'a', serial: said('a') }], catalogSerial: said('catalog') });
      for (const [before, after] of [
        [zoneAt, serialOf('a')!],
        [catalogAt, law.state.catalogSerial()],
      ] as const) {
        const believed = serials.filter((each) => isJudged && isPassable(each, before));
        for (const seen of [before, ...believed]) {
          expect(isNewerSerial(after, seen)).toBe(true);
        }
        expect(after).toBeLessThanOrEqual(limits.serial);
        const quarter = Math.floor((maxSerial - before) / 4);
        const left = Math.min(quarter, maxSerial - startingSerial - epochJump);
        if (before < maxSerial) expect(maxSerial - after).toBeGreaterThanOrEqual(left);
      }
      const isRefused = law.refusal({ kind: 'bump-serial', zoneName: 'a' }) !== 'not refused';
      expect(isRefused).toBe(zoneAt >= maxSerial - 1);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('lets names that were left, and names nobody knows, go on further on', () => {
    law.zone('gone', { serial: 9 });
    law.given({ kind: 'delete-zone', zoneName: 'gone' });
    law.zone('kept', { serial: 3 });
    recover({ serials: [{ name: 'never-seen', serial: 12 }] });
    expect(law.given({ kind: 'restore-zone', name: 'gone' }).zone.serial).toBe(9 + 65_536 + 1);
    expect(law.given(createZone('never-seen')).zone.serial).toBe(12 + 65_536 + 1);
    expect(law.given(createZone('unknown')).zone.serial).toBe(65_536 + 1);
    const renamed = { kind: 'update-zone', zoneName: 'kept', name: 'other' } as const;
    expect(law.given(renamed).zone.serial).toBe(3 + 65_536 + 1);
    // Unless the one who makes it says otherwise.
    expect(law.given(createZone('told', { serial: 5 })).zone.serial).toBe(5);
  });

  it('moves every counter, past that of the database which is replaced', () => {
    law.state.counters.set('record', 700).set('zone', 2);
    const { counters } = eventOf({ counters: { record: 900, role: 4 } });
    expect(counters).toMatchObject({ record: 900 + 65_536, zone: 2 + 65_536, role: 4 + 65_536 });
    expect(Object.keys(counters)).toHaveLength(12);
  });

  it('goes further where events or whole epochs were lost', () => {
    expect(eventOf().jump).toBe(65_536);
    expect(eventOf({ lostEvents: 5000 }).jump).toBe(65_536);
    expect(eventOf({ lostEvents: 400_000 }).jump).toBe(465_536);
    expect(eventOf({ missedJumps: 65_536 }).jump).toBe(131_072);
    const { counters } = eventOf({
      missedJumps: 65_536,
      serials: [{ name: 'a', serial: 200_000 }],
    });
    expect(counters.jumped).toBe(265_536);
  });

  it('does not take everybody along with a zone that a secondary has from elsewhere', () => {
    law.zone('a', { serial: 5 });
    const { counters } = eventOf({ serials: [{ name: 'a', serial: 2_026_112_201 }] });
    expect(counters.jumped).toBe(65_536);
  });

  it('leaves a zone at the last serial where it is', () => {
    law.zone('a');
    force('a', limits.serial);
    const step = { kind: 'recover-zone', zoneName: 'a', jump: 65_536 } as const;
    expect(law.refusal(step)).toMatch(/^ZONE_CONFLICT .* the last one/);
  });
});

describe('a bump past a secondary that is ahead', () => {
  const bump = (seenSerial?: number) =>
    law.when({ kind: 'bump-serial', zoneName: 'a', ...(seenSerial && { seenSerial }) });

  it('goes past the serial that was seen, and no IXFR leads there', () => {
    law.zone('a', { serial: 51 });
    expect(bump(56).event).toMatchObject({ kind: 'zone.recovered', after: { serial: 57 } });
    expect(bump(56).outcome.zone.historyFromSerial).toBe(57);
    for (const seen of [undefined, 40, 51]) {
      expect(bump(seen).event).toMatchObject({ kind: 'zone.serial-bumped', after: { serial: 52 } });
    }
  });

  it('is no leap to the last serials, whatever a secondary says', () => {
    law.zone('a', { serial: 51 });
    const kinds = (...seen: number[]) => seen.map((each) => bump(each).event?.kind);
    const { startingSerial, maxSerial } = limits;
    expect(kinds(startingSerial - 1)).toEqual(['zone.recovered']);
    expect(kinds(startingSerial, maxSerial - 1, maxSerial, limits.serial)).toEqual(
      Array.from({ length: 4 }, () => 'zone.serial-bumped'),
    );
    // A zone that has come far passes what leaves it half of its serials.
    force('a', maxSerial - 100);
    expect(kinds(maxSerial - 51, maxSerial - 50)).toEqual(['zone.recovered', 'zone.serial-bumped']);
  });

  it('is of the zone that is meant, not of another that has its name by now', () => {
    const { id } = law.zone('a', { serial: 51 });
    const bumpOf = (zoneId: number) => ({ kind: 'bump-serial', zoneName: 'a', zoneId }) as const;
    expect(law.when(bumpOf(id)).event).toBeDefined();
    expect(law.refusal(bumpOf(id + 1))).toMatch(/^ZONE_NOT_FOUND/);
  });
});
