import { expect, it } from 'vitest';
import type { DnssecStatus } from './api.ts';
import { drawnKeys } from './key-spans.ts';

const hourMs = 3_600_000;
const now = Date.parse('2026-11-23T12:00:00Z');
const time = (hours: number) => new Date(now + hours * hourMs).toISOString();

const key = (key_tag: number, role: string, state: string, since: number) => ({
  key_tag,
  role,
  state,
  state_changed_at: time(since),
});
const step = (action: string, hours: number, ...key_tags: number[]) => ({
  action,
  at: time(hours),
  key_tags,
});

function spansIn(keys: object[], steps: object[]) {
  const {
    from,
    to,
    marks,
    keys: all,
  } = drawnKeys(keys as DnssecStatus['keys'], steps as DnssecStatus['next_steps'], now);
  const hours = (ms: number) => Math.round(((ms - now) / hourMs) * 100) / 100;
  return {
    from: hours(from),
    to: hours(to),
    marks: marks.map(hours),
    keys: all.map(({ tag, spans }) => [
      tag,
      ...spans.map(({ state, from: start, to: end }) => `${state} ${hours(start)}..${hours(end)}`),
    ]),
  };
}

it('draws a roll: the new key comes, the old one goes', () => {
  const keys = [key(1, 'csk', 'active', -30), key(2, 'csk', 'published', -1)];
  const steps = [step('publish_cds', 1, 2), step('promote', 2, 2), step('remove', 4, 1)];
  expect(spansIn(keys, steps)).toEqual({
    from: -8,
    to: 4.6,
    marks: [1, 2, 4],
    keys: [
      [1, 'active -8..2', 'retired 2..4'],
      [2, 'published -1..2', 'active 2..4.6'],
    ],
  });
});

it('has what is late happen now, and leaves keys of another role alone', () => {
  const keys = [
    key(1, 'ksk', 'active', -3),
    key(2, 'zsk', 'active', -3),
    key(3, 'zsk', 'published', -2),
  ];
  const drawn = spansIn(keys, [step('promote', -1, 3)]);
  expect(drawn.marks).toEqual([0]);
  expect(drawn.keys).toEqual([
    [1, 'active -2..1.15'],
    [2, 'active -2..0', 'retired 0..1.15'],
    [3, 'published -2..0', 'active 0..1.15'],
  ]);
});

it('shows an hour around now where nothing is to come', () => {
  expect(spansIn([key(1, 'csk', 'active', -500)], [])).toEqual({
    from: -2,
    to: 1.15,
    marks: [],
    keys: [[1, 'active -2..1.15']],
  });
});
