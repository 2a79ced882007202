/**
 * AXFR of the running service as dig and dnspython take it (RFC 5936, cases 35 to 43).
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const longName = `${'l'.repeat(63)}.${'m'.repeat(63)}.${'n'.repeat(63)}.${'o'.repeat(61)}`;

function axfr(port: number, name: string): string[] {
  const args = [
    '@127.0.0.1',
    '-p',
    String(port),
    name,
    'AXFR',
    '+noall',
    '+answer',
    '+tries=1',
    '+time=30',
  ];
  const text = execFileSync(peer('dig')!, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.split(/\s+/).join(' '));
}

needsPeers('dig', 'dnspython')('AXFR', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
    await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    await service.must('POST', '/zones', { ...zone, name: 'example.com' });
    await service.must('POST', '/zones', { ...zone, name: 'bare.test', apex_ns: false });
    await service.must('POST', '/zones', { ...zone, name: 'closed.test' });
    await service.must('POST', '/zones', { ...zone, name: longName });
    const records = Array.from({ length: 4000 }, (_, at) => ({
      name: `host-${at}`,
      type: 'TXT',
      value: `record number ${at} ${'x'.repeat(at % 60)}`,
    }));
    await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  it('holds every record once, between two SOAs', () => {
    const lines = axfr(service.dnsPort, 'example.com');
    expect(lines).toHaveLength(4000 + 1 + 2);
    expect(lines[0]).toMatch(/^example\.com\. 3600 IN SOA /);
    expect(lines.at(-1)).toBe(lines[0]);
    expect(new Set(lines).size).toBe(4002);
    expect(lines).toContain('host-61.example.com. 3600 IN TXT "record number 61 x"');
  });

  it('is the same zone in dnspython, and each message says what RFC 5936 wants', async () => {
    const { names, messages } = await dnspython<{
      names: number;
      messages: { flags: number; question: number; bytes: number; id: boolean }[];
    }>(
      service.dnsPort,
      `
zone = dns.zone.Zone('example.com', relativize=False)
dns.query.inbound_xfr('127.0.0.1', zone, port=port, lifetime=60)
query = dns.message.make_query('example.com', 'AXFR')
messages = []
soas = 0
with socket.create_connection(('127.0.0.1', port)) as tcp:
    dns.query.send_tcp(tcp, query)
    while soas < 2:
        head = tcp.recv(2, socket.MSG_WAITALL)
        wire = tcp.recv(struct.unpack('!H', head)[0], socket.MSG_WAITALL)
        message = dns.message.from_wire(wire, xfr=True, one_rr_per_rrset=True)
        soas += sum(1 for rrset in message.answer if rrset.rdtype == dns.rdatatype.SOA)
        messages.append({'flags': int(message.flags), 'question': len(message.question),
                         'bytes': len(wire), 'id': message.id == query.id})
result = {'names': len(zone.nodes), 'messages': messages}
`,
    );
    expect(names).toBe(4001);
    expect(messages.length).toBeGreaterThan(2);
    for (const { flags, question, id } of messages) {
      // QR, AA and the RD of the query; no TC, no RA.
      expect({ flags, question, id }).toEqual({ flags: 0x8500, question: 1, id: true });
    }
    for (const { bytes } of messages.slice(0, -1)) expect(bytes).toBeGreaterThan(65_000);
  });

  it('of a zone with nothing but its SOA, or the longest name, is whole (case 43)', () => {
    expect(axfr(service.dnsPort, 'bare.test')).toHaveLength(2);
    expect(axfr(service.dnsPort, longName)).toHaveLength(3);
  });

  it('keeps the capitals of the question and no others', async () => {
    const names = await dnspython<string[]>(
      service.dnsPort,
      `
query = dns.message.make_query('BARE.test', 'AXFR')
answer = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60)
result = [str(answer.question[0].name), str(answer.answer[0].name)]
`,
    );
    expect(names[0]).toBe('BARE.test.');
    expect(names[1]!.toLowerCase()).toBe('bare.test.');
  });

  it('over UDP is TC for who may have it (case 40)', async () => {
    const outcome = await dnspython<unknown>(
      service.dnsPort,
      `
answer = dns.query.udp(dns.message.make_query('bare.test', 'AXFR'), '127.0.0.1', port=port, timeout=60)
result = [dns.rcode.to_text(answer.rcode()), bool(answer.flags & dns.flags.TC), len(answer.answer)]
`,
    );
    expect(outcome).toEqual(['NOERROR', true, 0]);
  });

  it('is refused with EDE 18 once the secondary is disabled, from the next request (case 41)', async () => {
    const program = `
query = dns.message.make_query(given, 'AXFR', use_edns=0)
answer = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60)
result = [dns.rcode.to_text(answer.rcode())] + [int(o.code) for o in answer.options if o.otype == 15]
`;
    const ask = (name: string) => dnspython<unknown>(service.dnsPort, program, name);
    expect(await ask('closed.test')).toEqual(['NOERROR']);
    await service.must('PUT', '/secondaries/here', { enabled: false });
    expect(await ask('closed.test')).toEqual(['REFUSED', 18]);
    expect(await ask('unknown.test')).toEqual(['NOTAUTH', 20]);
    await service.must('PUT', '/secondaries/here', { enabled: true });
    await service.must('PUT', '/zones/closed.test', { enabled: false });
    expect(await ask('closed.test')).toEqual(['NOTAUTH', 20]);
    const metrics: string = await service.must('GET', '/metrics');
    expect(metrics).toMatch(/zonebook_xfr_total\{type="axfr",result="refused",transport="tcp"\} 3/);
  });
});
