import { afterEach, expect, it, vi } from 'vitest';
import { lineOf, update } from '../../spec/support/dynamic-updates.ts';
import { Law } from '../../spec/support/memory-state.ts';

const count = 300;
const lines = Array.from(
  { length: count },
  (_, index) => `www 60 A 192.0.${index >> 8}.${index & 255}`,
);

afterEach(() => {
  vi.restoreAllMocks();
});

function lawWithRecords(): Law {
  const law = new Law();
  law.zone('example.com');
  law.given(
    update(
      'example.com',
      [],
      [...lines, '@ 60 NS ns.'].map((line) => `add ${line}`),
    ),
  );
  return law;
}

it.each([
  ['additions of what is there', lines.map((line) => `add ${line}`)],
  [
    'additions with another TTL',
    lines.map((line, index) => `add ${line.replace('60', `${60 + (index % 2)}`)}`),
  ],
  [
    'deletions of what is not there',
    lines.map((line) => `delete ${line.replace('60 ', '').replace('192', '198')}`),
  ],
  [
    'additions that may replace another',
    lines.map((line) => `add ${line.replace('A', 'WKS')} 6 25`),
  ],
])('%s look at their own records, not at all that stand at the name', (_, steps) => {
  const law = lawWithRecords();
  const compared = [vi.spyOn(Buffer.prototype, 'equals'), vi.spyOn(String.prototype, 'startsWith')];
  law.when(update('example.com', [], steps));
  for (const { mock } of compared) expect(mock.calls.length).toBeLessThan(10 * count);
});

it('prerequisites look at a name once', () => {
  const law = lawWithRecords();
  const read = vi.spyOn(law.state, 'generatedAt');
  const prerequisites = Array.from({ length: count }, () => 'nxrrset www RRSIG');
  expect(law.when(update('example.com', prerequisites, [])).outcome).toMatchObject({
    rcode: 'NOERROR',
  });
  expect(read).toHaveBeenCalledTimes(1);
});

it('a record that is deleted and comes again has the TTL that it comes with, and so has its RRset', () => {
  const law = lawWithRecords();
  const steps = [
    'delete www A',
    'add www 7 A 192.0.2.2',
    'add www 9 A 192.0.0.1',
    'add www 9 TXT a',
  ];
  law.given(update('example.com', [], steps));
  expect(law.state.recordsOf(1).map(lineOf).sort()).toEqual([
    '@ 60 NS ns.',
    'www 9 A 192.0.0.1',
    'www 9 A 192.0.2.2',
    'www 9 TXT "a"',
  ]);
});
