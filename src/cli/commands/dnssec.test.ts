/** How steps of keys are shown to people. */
import { expect, it } from 'vitest';
import { dnssecStatus } from '../../contract/dnssec-status.ts';
import type { DnssecStatus } from '../answers.ts';
import { Output } from '../output.ts';
import { statusText } from './dnssec.ts';

const output = new Output({ env: {}, isTerminal: { stdout: false } } as never, 'table');

const [step] = dnssecStatus.example.next_steps;
function linesOf(more: object): string {
  const status = { ...dnssecStatus.example, to_do: null, next_steps: [{ ...step, ...more }] };
  return statusText(status as DnssecStatus, output)
    .split('\n')
    .at(-1)!;
}

it('a step that waits for others says for whom, and since when', () => {
  const since = '2026-02-03T00:00:00.000Z';
  const promote = { action: 'promote', awaits: 'ds_at_all_parents' };
  expect(linesOf(promote)).toMatch(/^promote .* DS at all parents +-$/);
  expect(linesOf({ ...promote, waiting_since: since })).toContain(
    `DS at all parents since ${since}`,
  );
  const behind = { waiting_since: since, secondaries_behind: ['ns2', 'ns3'] };
  expect(linesOf({ ...promote, ...behind })).toContain(
    `DS at all parents and secondary ns2, ns3 since ${since}`,
  );
  expect(linesOf({ action: 'promote', ...behind })).toContain(` secondary ns2, ns3 since ${since}`);
  expect(linesOf({})).toMatch(/ - +-$/);
});
