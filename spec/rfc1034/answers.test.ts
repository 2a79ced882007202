/**
 * Answers of the running service as dig reads them: the algorithm of RFC 1034 4.3.2 over what came
 * in by HTTP, and the switch that turns public answers off.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const records = [
  ['@', 'MX', 'mail.example.com.'],
  ['mail', 'A', '192.0.2.25'],
  ['mail', 'AAAA', '2001:db8::25'],
  ['www', 'CNAME', 'web.example.com.'],
  ['web', 'A', '192.0.2.80'],
  ['*.wild', 'TXT', 'from the wildcard'],
  ['a.ent', 'A', '192.0.2.9'],
  ['sub', 'NS', 'ns.sub.example.com.'],
  ['ns.sub', 'A', '192.0.2.53'],
  ['old', 'DNAME', 'new.example.com.'],
  ['host.new', 'A', '192.0.2.70'],
  ...Array.from({ length: 90 }, (_, at) => ['many', 'A', `198.51.100.${at}`]),
] as const;

async function fill(service: RunningService): Promise<void> {
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
  for (const [name, type, value] of records) {
    await service.must('POST', '/records', { zone_name: 'example.com', name, type, value });
  }
}

interface Dug {
  readonly status: string;
  readonly flags: string[];
  readonly answer: string[];
  readonly authority: string[];
  readonly additional: string[];
  readonly text: string;
}

function digAt(port: number, ...query: string[]): Dug {
  const options = ['+tries=1', '+time=30', '+noedns', '+ignore'];
  const args = ['@127.0.0.1', '-p', String(port), ...options, ...query];
  const text = execFileSync(peer('dig')!, args, { encoding: 'utf8', maxBuffer: 1 << 24 });
  const section = (name: string) => {
    const found = new RegExp(`;; ${name} SECTION:\n([^]*?)\n\n`).exec(text);
    return (found?.[1] ?? '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';'))
      .map((line) => line.split(/\s+/).join(' '));
  };
  return {
    status: /status: (\w+)/.exec(text)?.[1] ?? '',
    flags: (/flags: ([a-z ]*);/.exec(text)?.[1] ?? '').split(' '),
    answer: section('ANSWER'),
    authority: section('AUTHORITY'),
    additional: section('ADDITIONAL'),
    text,
  };
}

needsPeers('dig')('answers as dig reads them', () => {
  let service: RunningService;
  const dig = (...query: string[]) => digAt(service.dnsPort, ...query);
  beforeAll(async () => {
    service = await startService();
    await fill(service);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  it('are authoritative, copy RD and offer no recursion', () => {
    const { status, flags, answer } = dig('web.example.com', 'A');
    expect(status).toBe('NOERROR');
    expect(flags.sort()).toEqual(['aa', 'qr', 'rd']);
    expect(answer).toEqual(['web.example.com. 3600 IN A 192.0.2.80']);
  });

  it('follow aliases, expand wildcards and substitute DNAMEs', () => {
    expect(dig('www.example.com', 'A').answer).toEqual([
      'www.example.com. 3600 IN CNAME web.example.com.',
      'web.example.com. 3600 IN A 192.0.2.80',
    ]);
    expect(dig('x.y.wild.example.com', 'TXT').answer).toEqual([
      'x.y.wild.example.com. 3600 IN TXT "from the wildcard"',
    ]);
    expect(dig('host.old.example.com', 'A').answer).toEqual([
      'old.example.com. 3600 IN DNAME new.example.com.',
      'host.old.example.com. 3600 IN CNAME host.new.example.com.',
      'host.new.example.com. 3600 IN A 192.0.2.70',
    ]);
  });

  it('carry the SOA when they are negative', () => {
    const missing = dig('nothing.example.com', 'A');
    expect(missing.status).toBe('NXDOMAIN');
    expect(missing.authority).toHaveLength(1);
    expect(missing.authority[0]).toMatch(/^example\.com\. 3600 IN SOA ns1\.example\.com\. /);
    const empty = dig('ent.example.com', 'A');
    expect(empty).toMatchObject({ status: 'NOERROR', answer: [] });
    expect(empty.authority).toHaveLength(1);
  });

  it('refer to the servers of a delegation, with glue', () => {
    const { flags, answer, authority, additional } = dig('www.sub.example.com', 'A');
    expect(flags).not.toContain('aa');
    expect(answer).toEqual([]);
    expect(authority).toEqual(['sub.example.com. 3600 IN NS ns.sub.example.com.']);
    expect(additional).toEqual(['ns.sub.example.com. 3600 IN A 192.0.2.53']);
  });

  it('send addresses of mail servers along', () => {
    expect(dig('example.com', 'MX')).toMatchObject({
      answer: ['example.com. 3600 IN MX 10 mail.example.com.'],
      additional: [
        'mail.example.com. 3600 IN A 192.0.2.25',
        'mail.example.com. 3600 IN AAAA 2001:db8::25',
      ],
    });
  });

  it('are cut over UDP and whole over TCP', () => {
    const cut = dig('many.example.com', 'A');
    expect(cut.flags).toContain('tc');
    expect(cut.answer).toEqual([]);
    expect(dig('many.example.com', 'A', '+tcp').answer).toHaveLength(90);
  });

  it('explain a refusal (RFC 8914)', () => {
    const { status, text } = dig('www.example.net', 'A', '+edns=0');
    expect(status).toBe('REFUSED');
    expect(text).toContain('EDE: 20');
    expect(dig('example.net', 'SOA').status).toBe('NOTAUTH');
    expect(dig('version.bind', 'TXT', 'CH').status).toBe('REFUSED');
    expect(dig('web.example.com', 'A', '+edns=1', '+noednsnegotiation').status).toBe('BADVERS');
  });

  it('change with the next query after a change', async () => {
    const zone = { zone_name: 'example.com', name: 'new-name', type: 'A', value: '192.0.2.77' };
    expect(dig('new-name.example.com', 'A').status).toBe('NXDOMAIN');
    const { record } = await service.must('POST', '/records', zone);
    expect(dig('new-name.example.com', 'A').answer).toHaveLength(1);
    await service.must('DELETE', `/records/${record.id}`);
    expect(dig('new-name.example.com', 'A').status).toBe('NXDOMAIN');
  });

  it('end when the zone is disabled, and come back', async () => {
    await service.must('PUT', '/zones/example.com', { enabled: false });
    expect(dig('web.example.com', 'A').status).toBe('REFUSED');
    expect(dig('example.com', 'SOA').status).toBe('NOTAUTH');
    await service.must('PUT', '/zones/example.com', { enabled: true });
    expect(dig('web.example.com', 'A').status).toBe('NOERROR');
  });

  it('refer to a disabled zone that the zone above delegates to; its SOA is NOTAUTH', async () => {
    const soa = { mname: 'ns.elsewhere.test', rname: 'hostmaster@example.com' };
    await service.must('POST', '/zones', { name: 'moved.example.com', ...soa });
    await service.must('PUT', '/zones/moved.example.com', { enabled: false });
    expect(dig('www.moved.example.com', 'A').status).toBe('REFUSED');
    const delegation = { name: 'moved', type: 'NS', value: 'ns.elsewhere.test' };
    await service.must('POST', '/records', { zone_name: 'example.com', ...delegation });
    for (const [name, type] of [
      ['www.moved.example.com', 'A'],
      ['www.moved.example.com', 'SOA'],
      ['moved.example.com', 'NS'],
    ] as const) {
      const { status, answer, text } = dig(name, type);
      expect([status, answer]).toEqual(['NOERROR', []]);
      expect(text).toMatch(/^moved\.example\.com\.\s+3600\s+IN\s+NS\s+ns\.elsewhere\.test\.$/m);
    }
    expect(dig('moved.example.com', 'SOA').status).toBe('NOTAUTH');
  });
});

needsPeers('dig')('with dns.answer_queries off', () => {
  it('this host may see the SOA, and nobody anything else', async () => {
    await using service = await startService({ ZONEBOOK_DNS_ANSWER_QUERIES: 'false' });
    await fill(service);
    expect(digAt(service.dnsPort, 'example.com', 'SOA').answer).toHaveLength(1);
    const refused = digAt(service.dnsPort, 'web.example.com', 'A', '+edns=0');
    expect(refused.status).toBe('REFUSED');
    expect(refused.text).toContain('EDE: 21');
  });
});
