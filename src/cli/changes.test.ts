import { describe, expect, it } from 'vitest';
import { diffLines } from './changes.ts';
import { createPaint } from './terminal.ts';

const whole = { paint: createPaint(false, {}), maxLines: Number.POSITIVE_INFINITY };
const value = (text: string, ttl: number, priority: number | null = null) => {
  return { value: text, ttl, priority };
};

describe('lines of a diff', () => {
  it('tell what came, what went, and what only has another TTL or priority', () => {
    const entries = [
      { change: 'added', name: 'a.', type: 'A', from: [], to: [value('192.0.2.1', 60)] },
      {
        change: 'changed',
        name: 'b.',
        type: 'A',
        from: [value('192.0.2.1', 60), value('192.0.2.2', 60), value('192.0.2.3', 60)],
        to: [value('192.0.2.1', 60), value('192.0.2.2', 90), value('192.0.2.4', 60)],
      },
      {
        change: 'changed',
        name: 'c.',
        type: 'MX',
        from: [value('m.', 60, 10)],
        to: [value('m.', 60, 20)],
      },
      { change: 'removed', name: 'd.', type: 'A', from: [value('192.0.2.9', 5)], to: [] },
    ] as const;
    const lines = diffLines(
      { entries: entries.map((each) => ({ ...each, from: [...each.from], to: [...each.to] })) },
      whole,
    );
    expect(lines).toEqual([
      '+ a. 60 A 192.0.2.1',
      '~ b. 60 -> 90 A 192.0.2.2',
      '- b. 60 A 192.0.2.3',
      '+ b. 60 A 192.0.2.4',
      '~ c. 60 MX 10 -> 20 m.',
      '- d. 5 A 192.0.2.9',
    ]);
  });

  it('keep two records of one target apart by priority', () => {
    const from = [value('m.', 60, 10), value('m.', 60, 20)];
    const to = [value('m.', 60, 20), value('m.', 60, 30)];
    const entry = { change: 'changed' as const, name: 'c.', type: 'MX', from, to };
    expect(diffLines({ entries: [entry] }, whole)).toEqual(['~ c. 60 MX 10 -> 30 m.']);
  });

  it('end with what is left out, of the last RRset and of all', () => {
    const added = (name: string, values: readonly string[]) => ({
      ...{ change: 'added' as const, name, type: 'A', from: [] },
      to: values.map((text) => value(text, 60)),
    });
    const entries = [added('a.', ['192.0.2.1']), added('b.', ['192.0.2.2', '192.0.2.3'])];
    const lines = (maxLines: number) => diffLines({ entries }, { ...whole, maxLines });
    expect(lines(3)).toEqual(lines(4));
    expect(lines(2)).toEqual([
      '+ a. 60 A 192.0.2.1',
      '+ b. 60 A 192.0.2.2',
      '… 1 more of b. A; --all shows everything',
    ]);
    expect(lines(1)).toEqual(['+ a. 60 A 192.0.2.1', '… 1 more RRsets; --all shows everything']);
    expect(lines(0)).toEqual(['… 2 more RRsets; --all shows everything']);
    const uncounted = diffLines({ entries, total: null }, whole);
    expect(uncounted.slice(-2)).toEqual([
      '+ b. 60 A 192.0.2.3',
      '… more RRsets; --all shows everything',
    ]);
  });

  it('of 300,000 changes are made only as far as they are presented', () => {
    let looked = 0;
    const entry = { change: 'added' as const, name: 'a.', type: 'A', from: [] };
    const entries = Array.from({ length: 300_000 }, () => ({
      ...entry,
      get to() {
        looked++;
        return [value('192.0.2.1', 60)];
      },
    }));
    const lines = diffLines({ entries }, { ...whole, maxLines: 100 });
    expect([lines.length, looked, lines.at(-1)]).toEqual([
      101,
      100,
      '… 299,900 more RRsets; --all shows everything',
    ]);
  });
});
