/**
 * What other servers refuse to load is refused by the service as well, by every way in; what is accepted
 * they load, byte for byte. The judges are named, knotd and nsd.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { parseType } from '../../src/dns/rrtype.ts';
import { CannedPrimary } from '../support/canned-primary.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { ownerIn, textOf, type ValueText } from '../support/record-values.ts';
import type { Reply } from '../support/service.ts';
import type { UpdateChange } from '../support/transfer-client.ts';
import { judgeNames, pathOf, TransferJudges } from '../support/transfer-judges.ts';

const soa = { mname: 'ns1.other.test', rname: 'hostmaster@other.test' };

/** A zone that the judges follow, and what they have against it now. */
async function openZone(judges: TransferJudges, name: string, fields: object = {}) {
  await judges.follow(name);
  await judges.service.must('POST', '/zones', { name, ...soa, ...fields });
  const mark = judges.mark();
  return {
    name,
    records: (body: object) =>
      judges.service.call('POST', '/records', { zone_name: name, ...body }),
    bulk: (records: object[]) =>
      judges.service.call('POST', '/records/bulk', { zone_name: name, records }),
    judge: async () => judges.complaints(name, mark, await judges.hasServers(name)),
  };
}

function expectRefusal(reply: Reply, ...says: RegExp[]): void {
  expect(reply.body.code).toMatch(/^(INVALID_RECORD_VALUE|RECORD_CONFLICT)$/);
  for (const each of says) expect(reply.body.error).toMatch(each);
}

const sizes: ValueText[] = [
  ...[62_000, 64_000, 65_250].map((size): ValueText => ({ of: 'TXT', size })),
  ...[65_200, 65_300, 65_400, 65_460, 65_500, 65_535].flatMap((size): ValueText[] => [
    { of: 'TYPE65280', size },
    { of: 'OPENPGPKEY', size },
  ]),
];

for (const isSigned of [false, true]) {
  const how = isSigned ? 'signed with the longest key' : 'unsigned';
  needsPeers(...judgeNames)(`case 97: the largest records, ${how}`, () => {
    let judges: TransferJudges;
    beforeAll(async () => {
      judges = await TransferJudges.start(isSigned ? ['named', 'knotd', 'nsd'] : []);
    });
    afterAll(() => judges[Symbol.asyncDispose]());

    it('a record is refused by name and size, or all of them load it', async () => {
      for (const [index, value] of sampleOf([...sizes.entries()], 5)) {
        if (typeof value === 'string') continue;
        const zone = await openZone(judges, `size${index}.test`);
        for (const name of ['a', ownerIn('LONG', zone.name)]) {
          const reply = await zone.records({ name, type: value.of, value: textOf(value) });
          if (reply.status >= 300) {
            expectRefusal(reply, new RegExp(name.slice(-20)), /\d{5}|\d\d,\d{3}/);
          }
        }
        expect(await zone.judge(), JSON.stringify(value)).toEqual([]);
      }
    });

    it('the largest record that is accepted comes and goes by IXFR', async () => {
      const zone = await openZone(judges, 'largest.test');
      const body = (size: number) => ({
        name: 'a',
        type: 'TXT',
        value: textOf({ of: 'TXT', size }),
      });
      let accepted = 60_000;
      for (let refused = 65_536; refused - accepted > 1; ) {
        const size = Math.floor((accepted + refused) / 2);
        const { status } = await zone.records({ ...body(size), dry_run: true });
        if (status < 300) accepted = size;
        else refused = size;
      }
      // Others beside it, so that a delta is less than the zone.
      await zone.records({ name: 'b', type: 'TXT', value: textOf({ of: 'TXT', size: 60_000 }) });
      await zone.records({ name: 'c', type: 'TXT', value: textOf({ of: 'TXT', size: 60_000 }) });
      expect(await zone.judge()).toEqual([]);
      const { record } = await judges.service.must('POST', '/records', {
        zone_name: zone.name,
        ...body(accepted),
      });
      expect(await zone.judge()).toEqual([]);
      await judges.service.must('DELETE', `/records/${record.id}`);
      expect(await zone.judge()).toEqual([]);
    });

    it('an RRset of 64 KiB is refused, or all of them load and serve it', async () => {
      for (const count of sampleOf([14, 15, 16, 17, 40], 2)) {
        const zone = await openZone(judges, `rrset${count}.test`);
        const rows = Array.from({ length: count }, (_, index) => {
          const value = `"${index}" ${textOf({ of: 'TXT', size: 4096 })}`;
          return { name: 'a', type: 'TXT', value };
        });
        const reply = await zone.bulk(rows);
        if (reply.status >= 300) expectRefusal(reply, /a\.rrset\d+\.test/, /\d{5}/);
        expect(await zone.judge(), `${count} records`).toEqual([]);
      }
    });
  });
}

needsPeers(...judgeNames)('zones that stay what others load', () => {
  let judges: TransferJudges;
  let primary: CannedPrimary;
  beforeAll(async () => {
    judges = await TransferJudges.start();
    primary = await CannedPrimary.start();
  });
  afterAll(async () => {
    await judges[Symbol.asyncDispose]();
    await primary[Symbol.asyncDispose]();
  });

  const change = (action: 'add' | 'delete', owner: string, type: string, text?: string) => {
    const number = parseType(type)!;
    const hex = text === undefined ? null : parseRdataText(number, text).toString('hex');
    return [action, owner, 60, number, hex] as UpdateChange;
  };
  const send = (zone: string, ...changes: UpdateChange[]) =>
    judges.client.update({ port: judges.service.dnsPort, zone: `${zone}.`, key: null, changes });
  const importing = (zone: string, body: object) =>
    judges.service.call('POST', `${pathOf(zone)}/import`, body);

  describe('case 98: the last NS at the apex', () => {
    it('stays, whatever should take it away, and named keeps serving', async () => {
      const zone = await openZone(judges, 'servers.test', { apex_ns: false });
      const { name } = zone;
      await zone.records({ name: '@', type: 'NS', value: 'ns.other.test.' });
      await zone.records({ name: '@', type: 'TXT', value: '"beside"' });
      expect(await zone.judge()).toEqual([]);
      const { items } = await judges.service.must('GET', `/records?zone_name=${name}&type=NS`);
      const path = `/records/${items[0].id}`;
      const refused = (reply: Reply) => {
        expect([reply.status, reply.body.code]).toEqual([409, 'RECORD_CONFLICT']);
      };
      refused(await judges.service.call('DELETE', path));
      refused(await judges.service.call('PUT', path, { name: 'elsewhere' }));
      refused(await judges.service.call('PUT', path, { type: 'TXT', value: 'x' }));
      refused(await judges.service.call('DELETE', `/records?zone_name=${name}&name=@&type=NS`));
      refused(await judges.service.call('DELETE', `/records?zone_name=${name}&name=@`));
      const withoutNs = { mode: 'replace', content: '@ 60 IN A 192.0.2.1\n' };
      expect((await importing(name, withoutNs)).status).toBeGreaterThanOrEqual(400);
      refused(await judges.service.call('POST', `${pathOf(name)}/versions/1/rollback`));
      // RFC 2136 3.4.2.3 and 3.4.2.4: passed over, not refused.
      expect(await send(name, change('delete', '@', 'NS', 'ns.other.test.'))).toBe('NOERROR');
      expect(await send(name, change('delete', '@', 'NS'))).toBe('NOERROR');
      expect(await send(name, ['delete', '@', 0, null, null])).toBe('NOERROR');
      expect(await judges.hasServers(name)).toBe(true);
      expect(await zone.judge()).toEqual([]);
      expect(await judges.fileComplaints(name)).toEqual([]);
    });
  });

  describe('case 101: data below a DNAME', () => {
    it('is never stored, and all load and check what is', async () => {
      const below = { name: 'x.d', type: 'A', value: '192.0.2.1', ttl: 60 };
      const alias = { name: 'd', type: 'DNAME', value: 'x.other.test.', ttl: 60 };
      const line = ({ name, ttl, type, value }: typeof below) =>
        `${name} ${ttl} IN ${type} ${value}\n`;
      type Zone = Awaited<ReturnType<typeof openZone>>;
      const toServer = (zone: Zone, mode: string) => {
        const records = [
          ['@', 'SOA', 'ns1.other.test. root.other.test. 9 300 60 3600000 60'],
          ['@', 'NS', 'ns1.other.test.'],
          ['d', 'DNAME', alias.value],
          ['x.d', 'A', below.value],
        ].map(([name, type, text]) => {
          const number = parseType(type!)!;
          const owner = name === '@' ? `${zone.name}.` : `${name}.${zone.name}.`;
          return { owner, type: number, ttl: 60, rdata: parseRdataText(number, text!) };
        });
        primary.hold(zone.name, records);
        return importing(zone.name, { mode, from_server: primary.address });
      };
      const ways: ((zone: Zone) => Promise<unknown>)[] = [
        (zone) => zone.records(alias).then(() => zone.records(below)),
        (zone) => zone.records(below).then(() => zone.records(alias)),
        (zone) => zone.bulk([alias, below]),
        (zone) => zone.bulk([below, { ...alias, name: '@' }]),
        (zone) =>
          zone.bulk([
            { ...alias, name: '*.d' },
            { ...below, name: 'x.*.d' },
          ]),
        (zone) => zone.bulk([alias, { ...below, name: 'x.y.z.d', type: 'NS', value: 'ns.test.' }]),
        (zone) => importing(zone.name, { content: line(alias) + line(below) }),
        (zone) => importing(zone.name, { mode: 'upsert', content: line(below) + line(alias) }),
        (zone) =>
          importing(zone.name, {
            mode: 'replace',
            content: `${line(alias)}${line(below)}@ 60 NS ns.\n`,
          }),
        (zone) => toServer(zone, 'append'),
        (zone) => toServer(zone, 'replace'),
        async (zone) => {
          await send(zone.name, change('add', 'd', 'DNAME', alias.value));
          await send(zone.name, change('add', 'x.d', 'A', below.value));
        },
        (zone) =>
          send(
            zone.name,
            change('add', 'x.d', 'A', below.value),
            change('add', 'd', 'DNAME', alias.value),
          ),
        async (zone) => {
          await zone.records(alias);
          const creates = [{ name: `x.d.${zone.name}`, type: 'A', values: ['192.0.2.1'] }];
          await judges.service.call('POST', '/external-dns/changes', { creates });
        },
        async (zone) => {
          const { body } = await zone.records(below);
          await zone.records({ ...alias, name: 'e' });
          await judges.service.call('PUT', `/records/${body.record.id}`, { name: 'x.y.e' });
        },
      ];
      for (const index of sampleOf([...ways.keys()], 5)) {
        const way = ways[index]!;
        const zone = await openZone(judges, `alias${index}.test`);
        await way(zone);
        expect(await zone.judge(), String(way)).toEqual([]);
        expect(await judges.fileComplaints(zone.name), String(way)).toEqual([]);
      }
    });
  });

  describe('records that a secondary refuses, or writes and can not read again', () => {
    const refused = [
      ['KEY', '2 3 253 /////////////w==', '\\# 14 000203fd ffffffffffffffffffff'],
      ['RKEY', '0 3 253 /////////////w==', '\\# 14 000003fd ffffffffffffffffffff'],
      ['KEY', '2 3 254 AQID', '\\# 7 000203fe 010203'],
      ['SIG', 'A 5 2 60 20300101000000 20200101000000 1 a. AQID', '\\# 1 00'],
      ['NXT', 'a.', '\\# 3 016100'],
      ['CSYNC', '0 1 TYPE0 A NS', '\\# 9 00000000 0001 0001a0'],
      ['CSYNC', '0 1 TYPE10', '\\# 10 00000000 0001 00020020'],
      ['CSYNC', '0 1 TYPE24', '\\# 12 00000000 0001 000400000080'],
      ['MD', 'a.', '\\# 3 016100'],
      ['MF', 'a.', '\\# 3 016100'],
      ['TYPE10', '\\# 2 abcd', '\\# 0'],
      ['KEY', '49407 3 0', '\\# 4 c0ff0300'],
      ['KEY', '49152 3 8', '\\# 4 c0000308'],
      ['WKS', '192.0.2.1 93 25', '\\# 9 c0000201 5d 00000040'],
      ['WKS', '192.0.2.1 17', '\\# 5 c0000201 11'],
      ['IPSECKEY', '10 0 0 . AQID', '\\# 6 0a0000 010203'],
      ['IPSECKEY', '10 3 2 a\\.b. AQID', '\\# 11 0a030203 612e6200 010203'],
      ['SVCB', '1 . alpn="a,b"', '\\# 11 0001 00 0001 0004 01610162'],
      ['HTTPS', '1 . alpn="h(2"', '\\# 11 0001 00 0001 0004 03682832'],
      ['HTTPS', '1 . dohpath="/%zz{?dns}"', '\\# 17 0001 00 0007 000a 2f257a7a7b3f646e737d'],
    ] as const;
    const accepted = [
      ['KEY', '2 3 253 AWEAAQ=='],
      ['KEY', '2 3 254 BAYCKgMB'],
      ['NXT', 'a. A'],
      ['CSYNC', '0 1 A NS'],
      ['KEY', '512 3 8 AQID'],
      ['WKS', '192.0.2.1 17 53'],
      ['IPSECKEY', '10 0 2 . AQID'],
      ['SVCB', '1 . alpn="aa,bb"'],
      ['HTTPS', '1 . dohpath="/a%20b{?dns}"'],
    ] as const;

    it('are refused by every way in, and their like is loaded', async () => {
      const zone = await openZone(judges, 'unread.test');
      for (const [type, value, generic] of refused) {
        for (const text of [value, generic]) {
          const answer = await zone.records({ name: 'a', type, value: text });
          expect([type, text, answer.status]).toEqual([type, text, 400]);
          const content = `a 60 ${type} ${text}\n`;
          const imported = await importing(zone.name, { content });
          expect([type, text, imported.status]).toEqual([type, text, 422]);
        }
        const rdata = generic.split(' ').slice(2).join('');
        const update = ['add', 'a', 60, parseType(type)!, rdata] as UpdateChange;
        expect([type, await send(zone.name, update)]).not.toEqual([type, 'NOERROR']);
      }
      for (const [type, value] of accepted) {
        await judges.service.must('POST', '/records', {
          ...{ zone_name: zone.name, name: 'b', type, value },
        });
      }
      expect(await zone.judge()).toEqual([]);
      const { items } = await judges.service.must('GET', `/records?zone_name=${zone.name}`);
      const kept = items.filter(({ type }: { type: string }) => !/^(SOA|NS)$/.test(type));
      expect(kept).toHaveLength(accepted.length);
    });
  });
});
