import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordLines } from '../../spec/support/memory-state.ts';
import { makeRecord, makeZone } from '../../spec/support/memory-zones.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { ImportMode } from './command.ts';
import { importNode, planNode } from './file-node.ts';
import type { ZoneRecord } from './record.ts';
import { apexOf } from './zone.ts';

const zone = makeZone('example.com');

function fileOf(...lines: string[]): ResourceRecord[] {
  return lines.map((line) => makeRecord(zone, `www ${line}`));
}

function stored(...lines: string[]): ZoneRecord[] {
  return fileOf(...lines).map((record, index) => ({ ...record, id: index + 1, createdAt: 5 }));
}

/** New records get ids from 100. */
function plan(mode: ImportMode, current: readonly ZoneRecord[], file: readonly ResourceRecord[]) {
  let id = 100;
  const { after, counts } = planNode(mode, current, file, (one) => {
    return { ...one, id: id++, createdAt: 9 };
  });
  const { added, updated, unchanged, deleted } = counts;
  return {
    after,
    lines: recordLines(after),
    counts: `${added} added, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted`,
  };
}

describe('an import at one owner', () => {
  const current = stored('60 A 192.0.2.1', '60 A 192.0.2.2', '60 TXT kept', '300 MX 10 mx.');
  const file = fileOf('600 A 192.0.2.2', '600 A 192.0.2.3', '300 MX 10 mx.', '7 AAAA 2001:db8::1');

  it('decisions 7: append adds what is missing and keeps the TTL of an RRset that is there', () => {
    const { lines, counts, after } = plan('append', current, file);
    expect(lines).toEqual([
      '#1 www 60 A 192.0.2.1',
      '#2 www 60 A 192.0.2.2',
      '#3 www 60 TXT kept',
      '#4 www 300 MX 10 mx.',
      '#100 www 60 A 192.0.2.3',
      '#101 www 7 AAAA 2001:db8::1',
    ]);
    expect(counts).toBe('2 added, 0 updated, 2 unchanged, 0 deleted');
    expect(after.slice(0, 4).every((record, index) => record === current[index])).toBe(true);
  });

  it('decisions 7: upsert makes each RRset of the file equal to it, TTL included', () => {
    const { lines, counts } = plan('upsert', current, file);
    expect(lines).toEqual([
      '#2 www 600 A 192.0.2.2',
      '#3 www 60 TXT kept',
      '#4 www 300 MX 10 mx.',
      '#100 www 600 A 192.0.2.3',
      '#101 www 7 AAAA 2001:db8::1',
    ]);
    expect(counts).toBe('2 added, 1 updated, 1 unchanged, 1 deleted');
  });

  it('decisions 7: replace leaves nothing but the file', () => {
    const { lines, counts, after } = plan('replace', current, file);
    expect(lines).toEqual([
      '#2 www 600 A 192.0.2.2',
      '#4 www 300 MX 10 mx.',
      '#100 www 600 A 192.0.2.3',
      '#101 www 7 AAAA 2001:db8::1',
    ]);
    expect(counts).toBe('2 added, 1 updated, 1 unchanged, 2 deleted');
    expect(after.find(({ id }) => id === 2)!.createdAt).toBe(5);
    expect(plan('replace', current, [])).toMatchObject({
      lines: [],
      counts: '0 added, 0 updated, 0 unchanged, 4 deleted',
    });
  });

  it('case 95: a change of TTL alone is updated, once for each record, and not also unchanged', () => {
    const two = stored('60 A 192.0.2.1', '60 A 192.0.2.2');
    const same = fileOf('61 A 192.0.2.1', '61 A 192.0.2.2');
    for (const mode of ['upsert', 'replace'] as const) {
      expect(plan(mode, two, same).counts).toBe('0 added, 2 updated, 0 unchanged, 0 deleted');
    }
  });

  it('a new priority is another record', () => {
    const { lines } = plan('upsert', stored('60 MX 10 mx.'), fileOf('60 MX 20 mx.'));
    expect(lines).toEqual(['#100 www 60 MX 20 mx.']);
  });

  it('accounts for every record, keeps objects that stay, and does nothing the second time', () => {
    const types = ['A 192.0.2.', 'TXT t', 'MX 10 m'];
    const sets = fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 8 });
    const ttls = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 2 }), fc.nat({ max: 2 }));
    const side = fc
      .tuple(sets, ttls)
      .map(([picks, ttlOf]) =>
        picks.map((one) => `${ttlOf[one % 3]} ${types[one % 3]}${one}${one % 3 === 2 ? '.' : ''}`),
      );
    const mode = fc.constantFrom<ImportMode>('append', 'upsert', 'replace');
    fc.assert(
      fc.property(mode, side, side, (how, here, there) => {
        const now = stored(...here);
        const wanted = fileOf(...there);
        const make = (one: ResourceRecord): ZoneRecord => ({ ...one, id: 100, createdAt: 9 });
        const { after, counts } = planNode(how, now, wanted, make);
        expect(counts.added + counts.updated + counts.unchanged).toBe(wanted.length);
        expect(after.length).toBe(now.length + counts.added - counts.deleted);
        const touched = now.filter((record) => !after.includes(record)).length;
        expect(touched).toBe(counts.deleted + counts.updated);
        const ttlOf = new Map(after.map(({ type, ttl }) => [type, ttl]));
        expect(after.every(({ type, ttl }) => ttlOf.get(type) === ttl)).toBe(true);
        const again = planNode(how, after, wanted, make);
        expect(again.counts).toMatchObject({ added: 0, updated: 0, deleted: 0 });
        expect(again.after.every((record, index) => record === after[index])).toBe(true);
      }),
    );
  });
});

describe('more than a name may have', () => {
  /** Together 130,078 bytes, of three types. */
  const values = Array.from({ length: 13 }, (_, index) => {
    return `60 TYPE${65_280 + (index % 3)} \\# 9994 ${index.toString(16).padStart(2, '0').repeat(9994)}`;
  });

  function faults(current: readonly ZoneRecord[], mode: ImportMode, file: ResourceRecord[]) {
    const lines = file.map((record, index) => ({ ...record, line: index + 1 }));
    const node = { apex: apexOf(zone), owner: lines[0]!.owner, current, file: lines };
    return importNode(mode, node, (one) => ({ ...one, id: 99, createdAt: 9 })).nodeErrors;
  }

  it('the line with which it becomes too much is to blame', () => {
    const fault = { line: 13, message: expect.stringMatching(/www\.example\.com\. .* 125000 /) };
    expect(faults([], 'append', fileOf(...values))).toEqual([fault]);
    expect(faults([], 'append', fileOf(...values.slice(0, 12)))).toEqual([]);
  });

  it('what is stored may stay and become less, but not more', () => {
    const current = stored(...values);
    expect(faults(current, 'replace', fileOf(...values))).toEqual([]);
    expect(faults(current, 'replace', fileOf('60 A 192.0.2.1', ...values.slice(1)))).toEqual([]);
    expect(faults(current, 'append', fileOf('60 A 192.0.2.1'))).toMatchObject([{ line: 1 }]);
  });
});
