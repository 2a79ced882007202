import { describe, expect, it } from 'vitest';
import { keyFromLabels, parseAbsoluteName } from '../dns/name.ts';
import type { FileSoa } from '../dns/zonefile/file-record.ts';
import { importedZoneOf } from './imported-zone.ts';
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
      minimumTtl: 4,
      refresh: 1,
      retry: 2,
      expire: 3,
      serial: 7,
    });
  });

  it('names that are no host or mailbox come out as text that is refused', () => {
    const root = keyFromLabels([]);
    const { mname, rname } = importedZoneOf({ ...soa, mname: root, rname: root }, undefined);
    expect([mname, rname]).toEqual(['.', '.']);
    const odd = keyFromLabels(['a b', 'com']);
    expect(importedZoneOf({ ...soa, mname: odd }, undefined).mname).toBe('a\\032b.com');
  });
});
