import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyFromLabels } from '../../dns/name.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { compileGrant } from '../../domain/access/decide-grant.ts';
import { fullRights, Rights } from '../../domain/access/rights.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { Caller } from '../authenticate.ts';
import { presentDiff } from './diff.ts';
import { presentRecord } from './record.ts';
import { RecordTexts } from './record-text.ts';

const zone = { id: 7, name: 'zone.example' } as Zone;
const apex = apexOf(zone);
const some = new Rights([
  compileGrant({
    id: 1,
    roleId: 1,
    zoneId: 7,
    actions: ['record:read', 'record:delete'],
    recordNamePattern: '*',
    recordTypes: 'TXT',
    createdAt: 0,
  }),
]);

const octetString = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((octets) => Buffer.from(octets).latin1Slice());
const rdata = fc.oneof(
  fc
    .array(fc.string({ maxLength: 20, unit: 'binary' }), { minLength: 1, maxLength: 3 })
    .map((value) => ({
      type: rrtype.TXT,
      rdata: parseRdata(rrtype.TXT, value),
    })),
  fc.constantFrom(
    { type: rrtype.A, rdata: Buffer.from([192, 0, 2, 1]) },
    { type: rrtype.MX, rdata: parseRdata(rrtype.MX, 'mail.example.', 5) },
    { type: 65280, rdata: Buffer.from([1, 2, 3]) },
  ),
);
const record = fc.record({
  id: fc.nat(),
  owner: fc.array(octetString, { maxLength: 3 }).map(keyFromLabels),
  data: rdata,
  ttl: fc.nat({ max: 2147483647 }),
});

it('gives the text that the objects would give', () => {
  fc.assert(
    fc.property(record, fc.boolean(), ({ id, owner, data, ttl }, full) => {
      const caller = { rights: full ? fullRights : some } as Caller;
      const one = { id, owner, ttl, ...data, createdAt: 0 };
      const texts = new RecordTexts(zone, apex, caller);
      expect(texts.record(one)).toBe(JSON.stringify(presentRecord(zone, one, caller)));
      const entry = {
        change: 'changed',
        owner,
        type: one.type,
        from: [one],
        to: [one, one],
      } as const;
      const whole = presentDiff({ apex, entries: [entry] });
      expect(texts.diffEntry(entry)).toBe(JSON.stringify(whole.entries[0]));
    }),
  );
});
