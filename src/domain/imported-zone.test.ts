import { describe, expect, it } from 'vitest';
import { keyFromLabels, parseAbsoluteName } from '../dns/name.ts';
import type { FileSoa } from '../dns/zonefile/zone-file.ts';
import {
  givenOverrides,
  importedZoneOf,
  overrideFields,
  refusedValue,
  withOption,
} from './imported-zone.ts';
import { responsibleKey } from './zone.ts';

const soa: FileSoa = {
  line: 3,
  ttl: 60,
  rdata: Buffer.alloc(0),
  mname: parseAbsoluteName('ns1.example.com.'),
  rname: responsibleKey('dns.admin@example.com'),
  serial: 7,
  refresh: 1,
  retry: 2,
  expire: 3,
  minimum: 4,
};

describe('the SOA of a file as settings', () => {
  it('RFC 1035 3.3.13: the first label of rname is the part before the @, its dots unescaped', () => {
    expect(importedZoneOf(soa, 600)).toEqual({
      line: 3,
      mname: 'ns1.example.com',
      rname: 'dns.admin@example.com',
      defaultTtl: 600,
      soaTtl: 60,
      minimumTtl: 4,
      refresh: 1,
      retry: 2,
      expire: 3,
      serial: 7,
    });
  });

  it('has the serial after that of the SOA when records are left out', () => {
    const serialOf = (serial: number, leftOut: number) =>
      importedZoneOf({ ...soa, serial }, undefined, leftOut).serial;
    expect([serialOf(7, 0), serialOf(7, 1), serialOf(0, 1)]).toEqual([7, 8, 0]);
    expect(serialOf(2_137_483_646, 1)).toBe(2_137_483_647);
    expect(serialOf(2_137_483_647, 1)).toBe(2_137_483_647);
  });

  it('names that are no host or mailbox come out as text that is refused', () => {
    const root = keyFromLabels([]);
    const { mname, rname } = importedZoneOf({ ...soa, mname: root, rname: root }, undefined);
    expect([mname, rname]).toEqual(['.', '.']);
    const odd = keyFromLabels(['a b', 'com']);
    expect(importedZoneOf({ ...soa, mname: odd }, undefined).mname).toBe('a\\032b.com');
  });
});

it('a refused value ends in the field to give, on the command line in its option', () => {
  const keys = Object.keys(overrideFields) as (keyof typeof overrideFields)[];
  const lines = keys.map((key) => withOption(`line 3: ${refusedValue(key, 'why')}`));
  expect(lines).toEqual(
    ['mname', 'rname', 'serial', 'minimum-ttl', 'refresh', 'retry', 'expire'].map(
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
