import { expect, it } from 'vitest';
import { fakeKey, fakeStatus } from '../../../spec/support/fake-dnssec.ts';
import { fakePolicy, fakeZone } from '../../../spec/support/fake-services.ts';
import { dsRdata } from '../../dnssec/dnskey.ts';
import type { ZoneKey } from '../../dnssec/zone-key.ts';
import { apexOf } from '../../domain/zone.ts';
import type { DnssecStatus } from './status.ts';
import { whatNextOf } from './what-next.ts';

const { at, signing, signatures } = fakeStatus(fakeZone, fakePolicy);
const soon = at + 3_600_000;
const before = at - 3_600_000;

const active = fakeKey;
const published: ZoneKey = {
  ...fakeKey,
  id: 2,
  keyTag: 2,
  dnskey: Buffer.concat([fakeKey.dnskey.subarray(0, 4), Buffer.alloc(64, 9)]),
  state: 'published',
  eligibleAt: soon,
};
const one = `key ${active.keyTag}`;

type Step = DnssecStatus['phases'][number];
const step = (
  kind: Step['action']['kind'],
  time: number,
  more: Partial<Step['action']> & Partial<Omit<Step, 'action'>> = {},
): Step => {
  const { blockedBy = null, secondariesBehind = [], ...action } = more;
  const keys = [published];
  return {
    action: { kind, at: time, keys, awaits: 'nothing', ...action },
    blockedBy,
    secondariesBehind,
  };
};
const atParents = { awaits: 'ds-at-all-parents' } as const;
const freed = { awaits: 'parents-let-go', keys: [active] } as const;
const late = { secondariesBehind: ['ns2'] };

/** One parent server that serves the DS of these. */
const delegated = (...keys: readonly ZoneKey[]) => {
  const ds = keys.map(({ dnskey }) => dsRdata(apexOf(fakeZone), dnskey));
  const delegation = { checkedAt: at, answers: [{ address: '192.0.2.1:53', ds, ttlSeconds: 900 }] };
  return { delegation };
};
const signed = (more: object) => ({ signing: { ...signing, ...more } });
const two = signed({ keys: [active, published] });

const cases: readonly (readonly [string, Partial<DnssecStatus>, RegExp, string?])[] = [
  [
    'signatures that have expired',
    { signatures: { ...signatures, expired: 2 } },
    /^2 signatures expired/,
    'sign',
  ],
  ['a DS of no key', signed({ foreignDsSince: before }), /names no key.*bogus/, 'ask-parent'],
  ['a removal of the DS', signed({ withdrawing: true }), /is asked to remove/, 'ask-parent'],
  [
    'a DS that was removed',
    { ...signed({ withdrawing: true }), ...delegated() },
    /^No server of the parent has a DS any more/,
  ],
  [
    'a zone just signed',
    { phases: [step('publish-cds', soon)] },
    /^Nothing to do before 2026-01-31T14:00:00.000Z: .* unsigned/,
  ],
  [
    'a key of a new algorithm',
    { ...two, phases: [step('publish-cds', soon), step('promote', soon, atParents)] },
    /^Nothing to do before .* without the signatures of key 2/,
  ],
  [
    'a ZSK that waits',
    { phases: [step('promote', soon)] },
    /^Nothing to do: key 2 takes over by itself, not/,
  ],
  [
    'a ZSK that is due',
    { phases: [step('promote', before, late)] },
    /with the next run.*waits for ns2/,
  ],
  [
    'a published key',
    { ...two, phases: [step('promote', soon, atParents)] },
    /^Give the DS of key 2.*not before/,
    'ask-parent',
  ],
  [
    'a published key whose DS is there',
    { ...two, ...delegated(active, published), phases: [step('promote', soon, atParents)] },
    /^Nothing to do: every server.*has the DS of key 2/,
  ],
  [
    'a key that is due',
    { ...two, phases: [step('promote', before, { ...atParents, blockedBy: 'no DS at a' })] },
    /^Give the DS of key 2.*waits for it, since .*: no DS at a\./,
    'ask-parent',
  ],
  [
    'a key that is due and whose DS is there',
    { ...two, ...delegated(active, published), phases: [step('promote', before, atParents)] },
    /takes over with the next run/,
    'promote',
  ],
  [
    'a retired key',
    { phases: [step('remove', soon, freed)] },
    new RegExp(`needs the DS of ${one} no more`),
    'ask-parent',
  ],
  [
    'a retired key that is due',
    { phases: [step('remove', before, freed)] },
    new RegExp(`^Nothing to do: ${one} is removed`),
  ],
  [
    'a retired key that a parent relies on',
    { phases: [step('remove', before, { ...freed, blockedBy: 'a names no active key' })] },
    new RegExp(`have that of ${one} removed:.*a names no active key\\.`),
    'ask-parent',
  ],
  ['rest', {}, /^Nothing to do, if every server/, 'ask-parent'],
  ['rest, as the parent says', delegated(active), /^Nothing to do: every server/],
  ['a DS that is missing', delegated(), /^Give the DS to the parent/, 'ask-parent'],
  [
    'a ZSK that will come',
    { ...delegated(active), phases: [step('start-zsk-roll', soon)] },
    /^Nothing to do: .* A new ZSK is published by itself, not before/,
  ],
];

for (const [name, more, text, action] of cases) {
  it(`says what is next for ${name}`, () => {
    const status = fakeStatus(fakeZone, fakePolicy, more);
    const said = whatNextOf(status, status.phases);
    expect(said?.text).toMatch(text);
    expect(said?.action).toBe(action ?? null);
  });
}

it('says nothing of a zone that is not signed', () => {
  expect(whatNextOf(fakeStatus(fakeZone, null), [])).toBeNull();
});
