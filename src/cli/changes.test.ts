import { describe, expect, it } from 'vitest';
import { diffLines } from './changes.ts';
import { createPaint } from './terminal.ts';

const paint = createPaint(false, {});
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
      paint,
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
    expect(diffLines({ entries: [entry] }, paint)).toEqual(['~ c. 60 MX 10 -> 30 m.']);
  });
});
