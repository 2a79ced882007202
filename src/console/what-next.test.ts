import { expect, it } from 'vitest';
import type { DnssecStatus } from './api.ts';
import { whatNextOf } from './what-next.ts';

type Planned = DnssecStatus['next_steps'][number];

const clock = { nowMs: Date.parse('2026-11-18T12:00:00Z'), textOf: (time: string) => time };
const soon = '2026-11-18T13:00:00Z';
const before = '2026-11-18T11:00:00Z';

const key = (tag: number, state: string) => ({ key_tag: tag, role: 'csk', state });
const quiet = {
  keys: [key(1, 'active')],
  expired_signatures: 0,
  foreign_ds_since: null,
  withdrawing: false,
  delegation: null,
};
const delegated = (...tags: readonly number[]) => ({
  ds_state: tags.length > 0 ? 'published' : 'hidden',
  keys: [1, 2].map((tag) => ({ key_tag: tag, ds_published: tags.includes(tag) })),
});
const planned = (action: string, at: string, more: object = {}) => ({
  action,
  at,
  key_tags: [2],
  awaits: 'nothing',
  waiting_since: null,
  secondaries_behind: [],
  blocked_by: null,
  ...more,
});
const atParents = { awaits: 'ds_at_all_parents' };
const freed = { awaits: 'parents_let_go', key_tags: [1] };
const late = { secondaries_behind: ['ns2'] };

const cases: readonly (readonly [string, object, readonly object[], RegExp, string?])[] = [
  ['signatures that have expired', { expired_signatures: 2 }, [], /^2 signatures.*expired/, 'sign'],
  ['a DS of no key', { foreign_ds_since: before }, [], /names no key.*bogus/, 'ask'],
  ['a removal of the DS', { withdrawing: true }, [], /is asked to remove the DS/, 'ask'],
  [
    'a DS that was removed',
    { withdrawing: true, delegation: delegated() },
    [],
    /^No server of the parent has a DS any more/,
  ],
  ['a zone just signed', {}, [planned('publish_cds', soon)], /^Nothing to do before .* unsigned/],
  [
    'a key of a new algorithm',
    { keys: [key(1, 'active'), key(2, 'published')] },
    [planned('publish_cds', soon), planned('promote', soon, atParents)],
    /^Nothing to do before .* without the signatures of key 2/,
  ],
  [
    'a ZSK that waits',
    {},
    [planned('promote', soon)],
    /^Nothing to do: key 2 takes over by itself, not/,
  ],
  ['a ZSK that is due', {}, [planned('promote', before, late)], /with the next run.*waits for ns2/],
  [
    'a published key',
    {},
    [planned('promote', soon, atParents)],
    /^Give the DS of key 2.*not before/,
    'ask',
  ],
  [
    'a published key whose DS is there',
    { delegation: delegated(1, 2) },
    [planned('promote', soon, atParents)],
    /^Nothing to do: every server.*has the DS of key 2/,
  ],
  [
    'a key that is due',
    {},
    [planned('promote', before, { ...atParents, waiting_since: before, blocked_by: 'no DS at a' })],
    /^Give the DS of key 2.*waits for it, since .*: no DS at a\./,
    'ask',
  ],
  [
    'a key that is due and whose DS is there',
    { delegation: delegated(1, 2) },
    [planned('promote', before, atParents)],
    /takes over with the next run/,
    'promote',
  ],
  ['a retired key', {}, [planned('remove', soon, freed)], /needs the DS of key 1 no more/, 'ask'],
  [
    'a retired key that is due',
    {},
    [planned('remove', before, freed)],
    /^Nothing to do: key 1 is removed/,
  ],
  [
    'a retired key that a parent relies on',
    {},
    [planned('remove', before, { ...freed, blocked_by: 'a names no active key' })],
    /have that of key 1 removed:.*a names no active key\./,
    'ask',
  ],
  ['rest', {}, [], /^Nothing to do, if every server/, 'ask'],
  ['rest, as the parent says', { delegation: delegated(1, 2) }, [], /^Nothing to do: every server/],
  ['a DS that is missing', { delegation: delegated(1) }, [], /^Give the DS to the parent/, 'ask'],
  [
    'a ZSK that will come',
    { delegation: delegated(1, 2) },
    [planned('start_zsk_roll', soon)],
    /^Nothing to do: .* A new ZSK is published by itself, not before/,
  ],
];

for (const [name, more, next, text, button] of cases) {
  it(`says what is next for ${name}`, () => {
    const status = { ...quiet, ...more } as unknown as DnssecStatus;
    const said = whatNextOf(status, next as unknown as readonly Planned[], clock);
    expect(said.text).toMatch(text);
    expect(said.button).toBe(button);
  });
}
