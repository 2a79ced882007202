import { expect, it } from 'vitest';
import type { DnssecStatus } from './api.ts';
import { durationText } from './duration.ts';
import { keysText, rollableRoles, successorsOf } from './key-groups.ts';

type Keys = Pick<DnssecStatus, 'keys'>;

/** `TAG ROLE STATE ALGORITHM`, each. */
const keysOf = (...texts: readonly string[]): Keys => {
  const keys = texts.map((text) => {
    const [tag, role, state, algorithm = 'ed25519'] = text.split(' ');
    return { key_tag: Number(tag), role, state, algorithm };
  });
  return { keys } as unknown as Keys;
};

const grouped = (given: Keys) =>
  successorsOf(given).map(({ keys, replaced }) => `${keysText(keys)} for ${keysText(replaced)}`);

it('takes keys of one algorithm role by role, the one with a DS first', () => {
  const keys = keysOf('1 ksk active', '2 zsk active', '3 zsk published', '4 ksk published');
  expect(grouped(keys)).toEqual(['key 4 for key 1', 'key 3 for key 2']);
  expect(rollableRoles(keys)).toEqual([]);
});

it('takes keys of a new algorithm together', () => {
  const fresh = ['3 ksk published ed448', '4 zsk published ed448'];
  const keys = keysOf('1 ksk active', '2 zsk active', ...fresh);
  expect(grouped(keys)).toEqual(['keys 3 and 4 for keys 1 and 2']);
  expect(rollableRoles(keys)).toEqual([]);
});

it('rolls a role of which nothing comes or goes', () => {
  expect(rollableRoles(keysOf('1 csk active'))).toEqual(['csk']);
  expect(rollableRoles(keysOf('1 csk active', '2 csk retired'))).toEqual([]);
  expect(rollableRoles(keysOf('1 ksk active', '2 zsk active', '3 zsk retired'))).toEqual(['ksk']);
});

it.each([
  [0, '0 s'],
  [59, '59 s'],
  [3900, '1 h 5 min'],
  [86_400, '1 d'],
  [90_061, '1 d 1 h'],
])('writes %i seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
