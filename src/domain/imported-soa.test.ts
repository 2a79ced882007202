import { expect, it } from 'vitest';
import { givenOverrides, overrideFields, refusedValue, withOption } from './imported-soa.ts';

it('a refused value ends in the field to give, on the command line in its option', () => {
  const keys = Object.keys(overrideFields) as (keyof typeof overrideFields)[];
  const lines = keys.map((key) => withOption(`line 3: ${refusedValue(key, 'why')}`));
  expect(lines).toEqual(
    ['serial', 'mname', 'rname', 'minimum-ttl', 'refresh', 'retry', 'expire'].map(
      (option) => `line 3: SOA why; give --${option}`,
    ),
  );
});

it('other lines stay as they are', () => {
  for (const line of ['line 1: x', 'x; give name', 'x; give serial, please', '; give retry ']) {
    expect(withOption(line)).toBe(line);
  }
});

it('values of undefined are not given', () => {
  expect(givenOverrides(undefined)).toEqual([]);
  expect(givenOverrides({ mname: undefined, serial: 0, minimumTtl: 1 })).toEqual([
    'serial',
    'minimum_ttl',
  ]);
});
