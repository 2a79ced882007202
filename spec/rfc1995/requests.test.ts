/**
 * IXFR requests of every kind against the running service (RFC 1995 2 to 4, cases 23, 25, 26, 32
 * and 34): over UDP, malformed, and while the zone changes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printType, rrtype } from '../../src/dns/rrtype.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import {
  ixfrSoa,
  optRecord,
  readAnswer,
  requestMessage,
  wireRecord,
} from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { askByTcp, askByUdp } from '../support/exchanges.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

const add = (name: string, type: string, value: string, zone = 'example.com') =>
  service.must('POST', '/records', { zone_name: zone, name, type, value });

/** A zone at serial 2, with some records. */
async function createZone(name: string, count: number): Promise<void> {
  const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
  await service.must('POST', '/zones', { name, ...soa });
  await addMany(name, 'host', count);
}

async function addMany(zone: string, prefix: string, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, at) => ({
    name: `${prefix}-${at}`,
    type: 'TXT',
    value: 'x'.repeat(100),
  }));
  await service.must('POST', '/records/bulk', { zone_name: zone, records });
}

beforeAll(async () => {
  service = await startService({ ZONEBOOK_DNS_IXFR_CONDENSE: 'false' });
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  // Serial 2 has these, 3, 4 and 6 one record more each, 5 some forty at once.
  await createZone('example.com', 300);
  await add('small', 'A', '192.0.2.1');
  await add('other', 'TXT', 'serial 4');
  await addMany('example.com', 'more', 40);
  await add('after', 'A', '192.0.2.2');
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const ixfr = (serial: number, additional: Buffer[] = [], zone = 'example.com') =>
  requestMessage({
    name: zone,
    type: 'IXFR',
    authority: [ixfrSoa(zone, serial)],
    additional,
  });

/** The records of an answer by type; SOAs by their serial. */
function shape(answer: Buffer): (string | number)[] {
  return decodeMessage(answer).answers.map(({ type, rdata }) =>
    type === rrtype.SOA ? rdata.readUInt32BE(rdata.length - 20) : printType(type),
  );
}

describe('over UDP (RFC 1995 2, case 25)', () => {
  it('a delta that fits is sent whole', async () => {
    const answer = await askByUdp(service.dnsPort, ixfr(5));
    expect(shape(answer)).toEqual([6, 5, 6, 'A', 6]);
    expect(readAnswer(answer)).toMatchObject({ rcode: 'NOERROR', aa: true, tc: false });
  });

  it('else the answer is the SOA of now alone, and the delta comes over TCP', async () => {
    for (const additional of [[], [optRecord({ payload: 65_535 })]]) {
      expect(shape(await askByUdp(service.dnsPort, ixfr(4, additional)))).toEqual([6]);
    }
    const whole = shape(await askByTcp(service.dnsPort, ixfr(4)));
    expect(whole.slice(0, 3)).toEqual([6, 4, 5]);
    expect(whole.slice(-4)).toEqual([5, 6, 'A', 6]);
    expect(whole).toHaveLength(3 + 40 + 4);
    // Unknown serials get the zone over TCP, the SOA over UDP.
    expect(shape(await askByUdp(service.dnsPort, ixfr(0)))).toEqual([6]);
    expect(shape(await askByTcp(service.dnsPort, ixfr(0)))).toHaveLength(346);
  });

  it('a client as new as we are, or newer, gets one SOA by either way (case 23)', async () => {
    for (const serial of [6, 7, 100]) {
      expect(shape(await askByUdp(service.dnsPort, ixfr(serial)))).toEqual([6]);
      expect(shape(await askByTcp(service.dnsPort, ixfr(serial)))).toEqual([6]);
    }
  });
});

it('steps follow each other, removals before additions, SOAs chained (RFC 1995 4, case 26)', async () => {
  const zone = 'steps.test';
  await createZone(zone, 40);
  const { record } = await add('passing', 'A', '192.0.2.9', zone);
  await service.must('PUT', `/records/${record.id}`, { value: '192.0.2.10' });
  await service.must('DELETE', `/records/${record.id}`);
  expect(shape(await askByTcp(service.dnsPort, ixfr(2, [], zone)))).toEqual([
    ...[5, 2, 3, 'A'],
    ...[3, 'A', 4, 'A'],
    ...[4, 'A', 5],
    5,
  ]);
});

it('a request without the SOA of the zone in its authority section is FORMERR (case 32)', async () => {
  const soa = ixfrSoa('example.com', 2);
  const short = wireRecord('example.com', 'SOA', Buffer.alloc(10));
  const other = wireRecord('example.com', 'A', Buffer.from([192, 0, 2, 1]));
  for (const sections of [
    {},
    { authority: [ixfrSoa('example.net', 2)] },
    { authority: [ixfrSoa('www.example.com', 2)] },
    { authority: [ixfrSoa('example.com', 2, 3)] },
    { authority: [ixfrSoa('example.com', 2, 255)] },
    { authority: [soa, soa] },
    { authority: [soa, other] },
    { authority: [other] },
    { authority: [short] },
    { additional: [soa] },
    { authority: [soa], counts: [1, 1, 0, 0] as const },
  ]) {
    const request = requestMessage({ name: 'example.com', type: 'IXFR', ...sections });
    for (const answer of [
      await askByUdp(service.dnsPort, request),
      await askByTcp(service.dnsPort, request),
    ]) {
      expect(readAnswer(answer)).toMatchObject({ rcode: 'FORMERR', answers: [] });
    }
  }
});

needsPeers('dnspython')('while the zone changes', () => {
  it('each transfer shows one moment (RFC 5936 6, case 34)', async () => {
    const zone = 'changing.test';
    await createZone(zone, 300);
    const { record } = await add('counter', 'TXT', 'serial 3', zone);
    let stop = false;
    const changing = (async () => {
      while (!stop) {
        const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
        await service.must('PUT', `/records/${record.id}`, { value: `serial ${serial + 1}` });
      }
    })();
    const seen = await dnspython<[number, string][]>(
      service.dnsPort,
      `
result = []
first = dns.zone.Zone('changing.test', relativize=False)
dns.query.inbound_xfr('127.0.0.1', first, port=port, lifetime=60)
copy = first
serials = set()
# At least thirty times, and until it has changed under the eyes often enough.
while len(result) < 60 or len(serials) < 6:
    fresh = dns.zone.Zone('changing.test', relativize=False)
    dns.query.inbound_xfr('127.0.0.1', fresh, port=port, lifetime=60)
    query, serial = dns.xfr.make_query(copy)
    dns.query.inbound_xfr('127.0.0.1', copy, query=query, port=port, lifetime=60)
    for zone in (fresh, copy):
        soa = zone.get_rdataset('changing.test.', 'SOA')[0]
        text = zone.get_rdataset('counter.changing.test.', 'TXT')[0].strings[0].decode()
        result.append([soa.serial, text])
        serials.add(soa.serial)
`,
    ).finally(() => {
      stop = true;
    });
    await changing;
    expect(seen.length).toBeGreaterThanOrEqual(60);
    expect(new Set(seen.map(([serial]) => serial)).size).toBeGreaterThan(5);
    for (const [serial, text] of seen) expect(text).toBe(`serial ${serial}`);
  });
});
