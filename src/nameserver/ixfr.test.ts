import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, MemoryHistory, packedText } from '../../spec/support/memory-history.ts';
import { memoryZone } from '../../spec/support/memory-zones.ts';
import type { NameKey } from '../dns/name.ts';
import { printRelativeName } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { planIxfr } from './ixfr.ts';

const start = Array.from({ length: 50 }, (_, at) => `n${at} A 192.0.2.${at}`).join('\n');

function history(changes: readonly Change[], fields = {}): MemoryHistory {
  const made = new MemoryHistory(memoryZone('example.com', start, { serial: 10, ...fields }));
  for (const change of changes) made.change(change);
  return made;
}

/** The plan's form and records, one a line; an SOA is shown by its serial. */
function plan(from: MemoryHistory, serial: number, condense: boolean) {
  const { form, runs } = planIxfr(from.source(), serial, condense);
  const lines: string[] = [];
  for (const run of runs) {
    const before = lines.length;
    for (const record of unpackRecords(run.records)) lines.push(lineOf(record));
    expect(lines.length - before).toBe(run.count);
  }
  return { form, lines };
}

function lineOf({ owner, type, ttl, rdata }: ResourceRecord): string {
  if (type === rrtype.SOA) return `SOA ${rdata.readUInt32BE(rdata.length - 20)} ${ttl}`;
  return `${printRelativeName(owner)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`;
}

const steps: Change[] = [
  { added: ['x 60 A 192.0.2.201'] },
  { removed: ['x 60 A 192.0.2.201', 'n1 A 192.0.2.1'], added: ['y 60 A 192.0.2.202'] },
  { fields: { refresh: 999 } },
];

describe('the form of an IXFR (RFC 1995, decisions 8)', () => {
  it('is one SOA for a serial as new as ours or newer (case 23)', () => {
    const zone = history(steps);
    for (const serial of [13, 14, 18, 13 + 0x7fff_ffff]) {
      expect(plan(zone, serial, true)).toEqual({ form: 'current', lines: ['SOA 13 3600'] });
    }
  });

  it('is the full zone for a serial unknown, too old or undefined in RFC 1982 (cases 24, 33)', () => {
    const zone = history(steps, { historyFromSerial: 11 });
    for (const serial of [10, 9, 1, 0, 13 + 0x8000_0000, 13 + 0x8000_0001]) {
      const { form, lines } = plan(zone, serial, true);
      expect({ serial, form }).toEqual({ serial, form: 'full' });
      expect(lines).toHaveLength(zone.records.length + 2);
      expect([lines[0], lines.at(-1)]).toEqual(['SOA 13 3600', 'SOA 13 3600']);
    }
  });

  it('case 97: is the full zone when a record of a step fits no message', () => {
    const long = (bytes: number) => `z TYPE65280 \\# ${bytes} ${'00'.repeat(bytes)}`;
    const sizes = [62_488, 62_700, 63_000, 65_535];
    const forms = sizes.map((bytes) => {
      const zone = history([{ added: [long(bytes)] }, { removed: [long(bytes)] }]);
      return [11, 10].map((serial) => plan(zone, serial, false).form);
    });
    const delta = ['delta', 'delta'];
    expect(forms).toEqual([delta, delta, ['full', 'full'], ['full', 'full']]);
  });

  it('chains one section for each step when not condensed (case 26)', () => {
    expect(plan(history(steps), 10, false)).toEqual({
      form: 'delta',
      lines: [
        'SOA 13 3600',
        'SOA 10 3600',
        'SOA 11 3600',
        'x 60 A 192.0.2.201',
        'SOA 11 3600',
        'x 60 A 192.0.2.201',
        'n1 3600 A 192.0.2.1',
        'SOA 12 3600',
        'y 60 A 192.0.2.202',
        'SOA 12 3600',
        'SOA 13 3600',
        'SOA 13 3600',
      ],
    });
  });

  it('is one section when condensed; what came and went is not in it', () => {
    expect(plan(history(steps), 10, true)).toEqual({
      form: 'delta',
      lines: [
        'SOA 13 3600',
        'SOA 10 3600',
        'n1 3600 A 192.0.2.1',
        'SOA 13 3600',
        'y 60 A 192.0.2.202',
        'SOA 13 3600',
      ],
    });
  });

  it('may change the SOA alone, with its TTL as it was at each end (case 27)', () => {
    const zone = history([{ fields: { defaultTtl: 60 } }]);
    expect(plan(zone, 10, true)).toEqual({
      form: 'delta',
      lines: ['SOA 11 60', 'SOA 10 3600', 'SOA 11 60', 'SOA 11 60'],
    });
  });

  it('sends a change of TTL as removal and addition of every record (case 30)', () => {
    const removed = ['n1 A 192.0.2.1'];
    const zone = history([
      { removed, added: ['n1 60 A 192.0.2.1'] },
      { removed: ['n2 A 192.0.2.2'] },
      { added: ['n2 A 192.0.2.2'] },
    ]);
    expect(plan(zone, 10, true).lines).toEqual([
      'SOA 13 3600',
      'SOA 10 3600',
      'n1 3600 A 192.0.2.1',
      'SOA 13 3600',
      'n1 60 A 192.0.2.1',
      'SOA 13 3600',
    ]);
  });

  it('is the full zone when the steps hold as many records, and reads no step (case 29)', () => {
    const few = Array.from({ length: 24 }, (_, at) => `n${at} A 192.0.2.${at}`);
    const less = history([{ removed: few }]);
    expect(less.zone.recordCount).toBe(26);
    expect(plan(less, 10, true).form).toBe('delta');
    const equal = history([{ removed: [...few, 'n24 A 192.0.2.24'] }]);
    expect(equal.zone.recordCount).toBe(25);
    const source = { ...equal.source(), parts: () => expect.unreachable('no part is read') };
    expect(planIxfr(source, 10, true).form).toBe('full');
  });

  it('shows one moment, whatever happens meanwhile (case 34)', () => {
    const zone = history(steps);
    const { runs } = planIxfr(zone.source(), 10, false);
    zone.change({ added: ['later A 192.0.2.203'] });
    const lines = [...runs].flatMap(({ records }) => [...unpackRecords(records)].map(lineOf));
    expect(lines[0]).toBe('SOA 13 3600');
    expect(lines.join()).not.toContain('later');
  });
});

describe('any history', () => {
  /** Applies a delta as a secondary does; throws when it does not fit what the secondary has. */
  function apply(records: Map<string, ResourceRecord>, runs: Iterable<{ records: Buffer }>): void {
    let soas = 0;
    const all = [...runs].flatMap((run) => [...unpackRecords(run.records)]);
    for (const record of all.slice(0, -1)) {
      if (record.type === rrtype.SOA) {
        soas++;
        continue;
      }
      const key = `${record.owner} ${record.ttl} ${record.rdata.toString('hex')}`;
      // After the first SOA they alternate: old, new, old, new.
      const removing = soas % 2 === 0;
      expect(records.has(key)).toBe(removing);
      if (removing) records.delete(key);
      else records.set(key, record);
    }
  }

  const record = fc.record({
    owner: fc.constantFrom('a\0', 'b\0', '') as fc.Arbitrary<NameKey>,
    ttl: fc.constantFrom(60, 300),
    byte: fc.integer({ min: 0, max: 3 }),
  });

  it('leads a secondary to the zone, condensed and not (case 28)', () => {
    fc.assert(
      fc.property(fc.array(fc.array(record, { maxLength: 5 }), { maxLength: 8 }), (rounds) => {
        const zone = new MemoryHistory(memoryZone('example.com', start, { serial: 1 }));
        const before = new Map(
          zone.records.map((one) => [`${one.owner} ${one.ttl} ${one.rdata.toString('hex')}`, one]),
        );
        for (const round of rounds) {
          // Each round toggles records: present ones go, with the TTL they have.
          const removed: ResourceRecord[] = [];
          const added: ResourceRecord[] = [];
          const touched = new Set<string>();
          for (const { owner, ttl, byte } of round) {
            const rdata = Buffer.from([10, 0, 0, byte]);
            if (touched.has(`${owner} ${byte}`)) continue;
            touched.add(`${owner} ${byte}`);
            const known = zone.records.find(
              (one) => one.owner === owner && one.rdata.equals(rdata),
            );
            if (known !== undefined) removed.push(known);
            if (known === undefined || known.ttl !== ttl) {
              added.push({ owner, type: rrtype.A, ttl, rdata });
            }
          }
          zone.changeRecords(removed, added);
        }
        for (const condense of [true, false]) {
          const { form, runs } = planIxfr(zone.source(), 1, condense);
          if (form !== 'delta') continue;
          const secondary = new Map(before);
          apply(secondary, runs);
          expect(packedText([...secondary.values()])).toBe(packedText(zone.records));
        }
      }),
      { numRuns: 200 },
    );
  });
});
