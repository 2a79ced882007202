/**
 * IXFR of the running service as dnspython applies it (RFC 1995, cases 23 to 34): a copy that
 * follows every change stays equal to the zone.
 */
import { expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

async function prepared(condense: boolean): Promise<RunningService> {
  const service = await startService({ ZONEBOOK_DNS_IXFR_CONDENSE: String(condense) });
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
  const records = Array.from({ length: 300 }, (_, at) => ({
    name: `host-${at}`,
    type: 'A',
    value: `198.51.${at >> 8}.${at & 255}`,
  }));
  await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  return service;
}

needsPeers('dnspython')('IXFR', () => {
  for (const condense of [true, false]) {
    it(`keeps a copy equal, ${condense ? 'condensed' : 'step by step'}`, async () => {
      await using service = await prepared(condense);
      const add = (name: string, fields: object) =>
        service.must('POST', '/records', { zone_name: 'example.com', name, ...fields });
      const copies = await dnspython<Record<string, string>>(service.dnsPort, firstCopy);
      const { record } = await add('x', { type: 'TXT', value: 'first' });
      const { record: www } = await add('www', { type: 'A', value: '192.0.2.1' });
      await service.must('PUT', `/records/${record.id}`, { value: 'second' });
      await service.must('PUT', `/records/${www.id}`, { ttl: 77 });
      await service.must('PUT', `/records/${record.id}`, { value: 'first' });
      await service.must('PUT', '/zones/example.com', { refresh: 1234 });
      const passing = await add('passing', { type: 'AAAA', value: '2001:db8::1' });
      await service.must('DELETE', `/records/${passing.record.id}`);
      const { followed, fresh, sections, soas } = await dnspython<{
        followed: string[];
        fresh: string[];
        sections: number;
        soas: number[];
      }>(service.dnsPort, secondCopy, copies);
      expect(followed).toEqual(fresh);
      expect(fresh.some((line) => line.startsWith('www.example.com. 77 IN A'))).toBe(true);
      expect(sections).toBe(condense ? 1 : 8);
      expect(soas.at(0)).toBe(10);
      expect(soas.at(-1)).toBe(10);
    });
  }

  it('is one SOA when there is nothing new (case 23), the zone when history is missing (24)', async () => {
    await using service = await prepared(true);
    const counts = await dnspython<number[]>(
      service.dnsPort,
      `
import dns.rrset
result = []
for serial in given:
    query = dns.message.make_query('example.com', 'IXFR')
    soa = dns.rrset.from_text('example.com.', 0, 'IN', 'SOA', '. . %d 0 0 0 0' % serial)
    query.authority.append(soa)
    answer = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60, one_rr_per_rrset=True)
    result.append(len(answer.answer))
`,
      [2, 3, 9, 0, 4_000_000_000],
    );
    expect(counts).toEqual([1, 1, 1, 303, 303]);
  });
});

const helpers = `
import dns.rrset
def lines(zone):
    out = []
    for name, ttl, rdata in zone.iterate_rdatas():
        out.append('%s %d IN %s %s' % (name, ttl, dns.rdatatype.to_text(rdata.rdtype), rdata))
    return sorted(out)
`;

const firstCopy = `
zone = dns.zone.Zone('example.com', relativize=False)
dns.query.inbound_xfr('127.0.0.1', zone, port=port, lifetime=60)
result = {'text': zone.to_text(relativize=False)}
`;

const secondCopy = `${helpers}
zone = dns.zone.from_text(given['text'], 'example.com', relativize=False)
query, serial = dns.xfr.make_query(zone)
assert query.question[0].rdtype == dns.rdatatype.IXFR
answer = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60, one_rr_per_rrset=True)
soas = [r[0].serial for r in answer.answer if r.rdtype == dns.rdatatype.SOA]
dns.query.inbound_xfr('127.0.0.1', zone, query=query, port=port, lifetime=60)
fresh = dns.zone.Zone('example.com', relativize=False)
dns.query.inbound_xfr('127.0.0.1', fresh, port=port, lifetime=60)
result = {'followed': lines(zone), 'fresh': lines(fresh), 'sections': (len(soas) - 2) // 2, 'soas': soas}
`;
