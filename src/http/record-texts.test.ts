import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyFromLabels, type NameKey, printAbsoluteName } from '../dns/name.ts';
import { parseRdata, showRdata } from '../dns/rdata/rdata.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { compileGrant, fullRights, Rights } from '../domain/access/rights.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { recordWriter } from '../query/record-writer.ts';
import { diffJson } from './record-texts.ts';

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
  .map((bytes) => Buffer.from(bytes).latin1Slice());
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

/** As objects, which would take too long for answers of very many. */
const nameOf = (owner: ZoneRecord['owner']) => printAbsoluteName(`${apex}${owner}` as NameKey);

function recordOf({ id, owner, type, ttl, rdata }: ZoneRecord, actions: readonly string[]) {
  const { value, priority } = showRdata(type, rdata);
  const data = { name: nameOf(owner), type: printType(type), value, ttl, priority };
  return { id, ...data, zone_id: zone.id, zone_name: zone.name, actions };
}

function diffOf({ owner, type, ttl, rdata }: ZoneRecord) {
  const { value, priority } = showRdata(type, rdata);
  const shown = { value, ttl, priority };
  const from = [shown];
  const to = [shown, shown];
  const entry = { change: 'changed', name: nameOf(owner), type: printType(type), from, to };
  return { entries: [entry], summary: { added: 0, changed: 1, removed: 0 } };
}

it('writes the text that printing objects would give', () => {
  fc.assert(
    fc.property(record, fc.boolean(), ({ id, owner, data, ttl }, full) => {
      const one = { id, owner, ttl, ...data, createdAt: 0 };
      const held = ['record:read', 'record:delete'].filter(() => data.type === rrtype.TXT);
      const actions = full ? ['record:read', 'record:update', 'record:delete'] : held;
      const write = recordWriter(zone, full ? fullRights : some);
      expect(write(one)).toBe(JSON.stringify(recordOf(one, actions)));
      const { type } = one;
      const entry = { change: 'changed', owner, type, from: [one], to: [one, one] } as const;
      const { text } = diffJson({ apex, entries: [entry] });
      expect(text).toBe(JSON.stringify(diffOf(one)));
    }),
  );
});

it('writes DNSSEC records without an id, and without actions', () => {
  const rdata = parseRdata(rrtype.A, '192.0.2.1');
  const one = {
    id: 5,
    owner: keyFromLabels(['sub']),
    type: rrtype.DS,
    ttl: 60,
    rdata,
    createdAt: 0,
  };
  expect(JSON.parse(recordWriter(zone, fullRights)(one))).toHaveProperty('id', 5);
  const derived = { ...one, type: rrtype.NSEC3PARAM, rdata: Buffer.from([1, 0, 0, 0, 0]) };
  const written = JSON.parse(recordWriter(zone, fullRights)(derived));
  expect(written).toMatchObject({ name: 'sub.zone.example.', actions: [] });
  expect(written).not.toHaveProperty('id');
});
