import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePrefer } from './prefer.ts';

const parsed = (header: string | undefined) => Object.fromEntries(parsePrefer(header));

it('reads names, values and quoted values, and passes over parameters', () => {
  expect(parsed(undefined)).toEqual({});
  expect(parsed('')).toEqual({});
  expect(parsed('return=minimal')).toEqual({ return: 'minimal' });
  expect(parsed('Return="minimal"')).toEqual({ return: 'minimal' });
  expect(parsed('respond-async, WAIT = 30')).toEqual({ 'respond-async': '', wait: '30' });
  expect(parsed('return=minimal; foo="some, parameter", wait=1')).toEqual({
    return: 'minimal',
    wait: '1',
  });
  expect(parsed(String.raw`a="x\"y,z", b`)).toEqual({ a: 'x"y,z', b: '' });
});

it('lets the first of a name count', () => {
  expect(parsed('return=minimal, RETURN=representation')).toEqual({ return: 'minimal' });
});

it('passes over what is not well written', () => {
  expect(parsed(',, =x, a b, "return=minimal", return minimal, c="x')).toEqual({});
  expect(parsed('=, wait=2')).toEqual({ wait: '2' });
});

it('finds every preference among others, however it is quoted', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const value = fc.string({ unit: fc.constantFrom(...'ab,;="\\ ') });
  const given = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key });
  fc.assert(
    fc.property(given, (pairs) => {
      const quoted = pairs.map(([key, text]) => `${key}="${text.replaceAll(/["\\]/g, '\\$&')}"`);
      expect([...parsePrefer(quoted.join(' , '))]).toEqual(pairs);
    }),
  );
});
