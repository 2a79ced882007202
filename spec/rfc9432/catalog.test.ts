/**
 * The catalog zone of the running service, as dig and dnspython read it (RFC 9432, decisions 8, cases 84
 * to 90). How real consumers take it is in secondaries/catalog-consumers.test.ts.
 *
 * What does not apply to a producer without properties: groups, changes of ownership and custom
 * properties (4.3.1, 4.3.2, 4.5, case 87), and everything that is demanded of consumers (5, case 86).
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const catalog = 'catalog.invalid';
const soa = { mname: 'ns1.test', rname: 'root@test' };

let service: RunningService;
beforeAll(async () => {
  service = await start();
  // So many that one step is sent as a step.
  for (const name of ['public', 'a', 'b', 'c']) await create(`${name}.example`);
});
afterAll(() => service[Symbol.asyncDispose]());

async function start(): Promise<RunningService> {
  // Nobody listens at the secondary's port, and nothing has to wait for that.
  const started = await startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1',
  });
  await started.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  return started;
}

/** A test with a service of its own, which has no zone yet. */
async function withEmptyService(test: () => void | Promise<void>): Promise<void> {
  const shared = service;
  service = await start();
  try {
    await test();
  } finally {
    await service[Symbol.asyncDispose]();
    service = shared;
  }
}

async function create(name: string): Promise<number> {
  return (await service.must('POST', '/zones', { name, ...soa })).zone.id;
}

/** The RCODE, and the lines of answer, of a question; from 127.0.0.1 unless told. */
function dig(query: string[], from = '127.0.0.1', dnsPort = service.dnsPort) {
  const args = [
    '@127.0.0.1',
    '-b',
    from,
    '-p',
    String(dnsPort),
    '+tries=1',
    '+time=30',
    '+norec',
    ...query,
  ];
  const text = execFileSync(peer('dig')!, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const lines = text.split('\n').filter((line) => /^[^;\s].*\sIN\s/.test(line));
  return {
    rcode: /status: (\w+)/.exec(text)?.[1] ?? '',
    explanation: /EDE: (\d+)/.exec(text)?.[1],
    lines: lines.map((line) => line.split(/\s+/).join(' ')),
    text,
  };
}

const axfr = (dnsPort?: number) => dig([catalog, 'AXFR', '+nocomments'], undefined, dnsPort).lines;

function members(lines: readonly string[]): Map<string, string> {
  const pattern = /^([0-9a-f]{32})\.zones\.\S+ 3600 IN PTR (\S+)\.$/;
  const found = lines.map((line) => pattern.exec(line)).filter((match) => match !== null);
  return new Map(found.map(([, id, name]) => [name!, id!]));
}

function serialOf(lines: readonly string[]): number {
  return Number(lines[0]!.split(' ')[6]);
}

function idOf(name: string, zoneId: number): string {
  return createHash('sha256').update(`${name}/${zoneId}`).digest('hex').slice(0, 32);
}

needsPeers('dig', 'dnspython')('RFC 9432', () => {
  it('4.1, 4.2.1, case 84: an empty catalog is SOA, NS invalid. and version 2', () =>
    withEmptyService(() => {
      const head = `${catalog}. 3600 IN SOA invalid. invalid. 1 3600 600 86400 60`;
      expect(axfr()).toEqual([
        head,
        `${catalog}. 3600 IN NS invalid.`,
        `version.${catalog}. 3600 IN TXT "2"`,
        head,
      ]);
    }));

  it('4.1, case 85: each enabled zone is one PTR, its id stable over changes', () =>
    withEmptyService(async () => {
      const one = await create('one.example');
      const two = await create('two.example');
      const expected = new Map([
        ['one.example', idOf('one.example', one)],
        ['two.example', idOf('two.example', two)],
      ]);
      expect(members(axfr())).toEqual(expected);
      const serial = serialOf(axfr());
      expect(serial).toBe(3);
      const record = { zone_name: 'one.example', name: 'www', type: 'A', value: '192.0.2.1' };
      await service.must('POST', '/records', record);
      await service.must('PUT', '/zones/one.example', { refresh: 777, description: 'x' });
      await service.call('POST', '/zones/one.example/notify?bump_serial=true');
      await service.must('POST', '/zones', { name: 'dry.example', ...soa, dry_run: true });
      expect(members(axfr())).toEqual(expected);
      expect(serialOf(axfr())).toBe(serial);
    }));

  it('4.3.1, 4.3.2, case 87: no member has a coo or a group, a renamed one neither', () =>
    withEmptyService(async () => {
      await create('moving.example');
      await service.must('PUT', '/zones/moving.example', { name: 'moved.example' });
      const lines = axfr().filter((line) => !/ IN (?:SOA|NS) /.test(line));
      expect(members(lines).has('moved.example')).toBe(true);
      const others = lines.filter((line) => !/^[0-9a-f]{32}\.zones\.\S+ 3600 IN PTR /.test(line));
      expect(others).toEqual([`version.${catalog}. 3600 IN TXT "2"`]);
    }));

  it('5.4, case 85: who is renamed or made anew is a new member; disabled is none', () =>
    withEmptyService(async () => {
      await create('one.example');
      await create('two.example');
      const before = members(axfr());
      let serial = serialOf(axfr());
      const step = () => {
        const lines = axfr();
        serial++;
        expect(serialOf(lines)).toBe(serial);
        return members(lines);
      };
      await service.must('PUT', '/zones/two.example', { name: 'renamed.example' });
      const renamed = step();
      expect([...renamed.keys()].sort()).toEqual(['one.example', 'renamed.example']);
      expect(renamed.get('renamed.example')).not.toBe(before.get('two.example'));

      await service.must('PUT', '/zones/one.example', { enabled: false });
      expect([...step().keys()]).toEqual(['renamed.example']);
      await service.must('PUT', '/zones/one.example', { enabled: false, description: 'still off' });
      await service.must('PUT', '/zones/one.example', { name: 'off.example' });
      expect(serialOf(axfr())).toBe(serial);
      await service.must('PUT', '/zones/off.example', { name: 'one.example', enabled: true });
      expect(step().get('one.example')).toBe(before.get('one.example'));

      await service.must('DELETE', '/zones/one.example');
      expect(step().has('one.example')).toBe(false);
      const anew = await create('one.example');
      expect(step().get('one.example')).toBe(idOf('one.example', anew));
      expect(members(axfr()).get('one.example')).not.toBe(before.get('one.example'));

      await service.must('DELETE', '/zones/one.example');
      step();
      await service.must('POST', '/zones/one.example/restore');
      expect(step().get('one.example')).toBe(idOf('one.example', anew));

      await service.must('POST', '/zones/imported.example/import', {
        create: true,
        content: '@ 3600 IN SOA ns1.test. root.test. 7 300 60 3600 60\n@ 3600 IN NS ns1.test.\n',
      });
      expect(step().has('imported.example')).toBe(true);
    }));

  it('the serial is durable, and so are the steps', async () => {
    await create('durable.example');
    const lines = axfr();
    await service.end('SIGKILL');
    await service.start();
    expect(axfr()).toEqual(lines);
    expect(dig([catalog, `IXFR=${serialOf(lines) - 1}`, '+nocomments']).lines).toHaveLength(5);
  });

  it('RFC 1995: the steps from every serial lead to the catalog of now', async () => {
    for (const condense of ['true', 'false']) {
      await using other = await startService({ ZONEBOOK_DNS_IXFR_CONDENSE: condense });
      await other.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
      const states: string[][] = [axfr(other.dnsPort)];
      const change = async (method: string, path: string, body?: unknown) => {
        await other.must(method, path, body);
        states.push(axfr(other.dnsPort));
      };
      // So many that a delta is smaller than the whole.
      for (let at = 0; at < 12; at++) {
        await change('POST', '/zones', { name: `z${at}.example`, ...soa });
      }
      await change('PUT', '/zones/z3.example', { name: 'y3.example' });
      await change('DELETE', '/zones/z4.example');
      await change('PUT', '/zones/z5.example', { enabled: false });
      await change('PUT', '/zones/z5.example', { enabled: true });
      await change('POST', '/zones', { name: 'z4.example', ...soa });
      const results = await dnspython<{ equal: boolean; incremental: boolean }[]>(
        other.dnsPort,
        `
result = []
def load(lines):
    text = '\\n'.join(lines[:-1])
    return dns.zone.from_text(text, origin='${catalog}.', relativize=False)
final = load(given[-1])
for state in given:
    zone = load(state)
    before = sum(len(rdataset) for _, rdataset in zone.iterate_rdatasets())
    query, serial = dns.xfr.make_query(zone)
    messages = list(dns.query.xfr('127.0.0.1', '${catalog}', rdtype='IXFR', serial=serial, port=port, relativize=False))
    soas = sum(len(r) for m in messages for r in m.answer if r.rdtype == dns.rdatatype.SOA)
    dns.query.inbound_xfr('127.0.0.1', zone, query, port=port)
    result.append({'equal': zone == final, 'incremental': soas > 2})
`,
        states,
      );
      expect(results).toHaveLength(states.length);
      expect(results.every(({ equal }) => equal)).toBe(true);
      expect(results.filter(({ incremental }) => incremental).length).toBeGreaterThan(4);
      // From the last member that came: it left and came back, which is nothing, or two steps.
      const lines = dig([catalog, 'IXFR=15', '+nocomments'], undefined, other.dnsPort).lines;
      expect(lines.filter((line) => / SOA /.test(line))).toHaveLength(condense === 'true' ? 4 : 8);
    }
  });

  it('RFC 1995 2: over UDP the delta when it fits, and one SOA for who is up to date', async () => {
    await create('over-udp.example');
    const serial = serialOf(axfr());
    const current = dig([catalog, `IXFR=${serial}`, '+notcp', '+nocomments']).lines;
    expect(current).toHaveLength(1);
    const delta = dig([catalog, `IXFR=${serial - 1}`, '+notcp', '+nocomments']).lines;
    expect(delta).toHaveLength(5);
    expect(dig([catalog, `IXFR=${serial + 7}`, '+nocomments']).lines).toHaveLength(1);
  });

  it('answers questions of those who may transfer it', () => {
    const [name, id] = [...members(axfr())][0]!;
    const member = `${id}.zones.${catalog}`;
    expect(dig([member, 'PTR']).lines).toEqual([`${member}. 3600 IN PTR ${name}.`]);
    expect(dig([`version.${catalog}`, 'TXT']).lines).toHaveLength(1);
    expect(dig([catalog, 'NS']).lines).toEqual([`${catalog}. 3600 IN NS invalid.`]);
    expect(dig([`zones.${catalog}`, 'PTR']).rcode).toBe('NOERROR');
    expect(dig([`${'0'.repeat(32)}.zones.${catalog}`, 'PTR']).rcode).toBe('NXDOMAIN');
    expect(dig([`nothing.${catalog}`, 'A']).rcode).toBe('NXDOMAIN');
  });

  describe('case 90: answers to no stranger', () => {
    const stranger = '127.0.0.2';

    it.each([
      [catalog, 'SOA'],
      [catalog, 'NS'],
      [catalog, 'ANY'],
      [`version.${catalog}`, 'TXT'],
      [`zones.${catalog}`, 'PTR'],
      [`nothing.${catalog}`, 'A'],
      [catalog, 'AXFR', '+comments'],
      [catalog, 'IXFR=1', '+comments'],
      [catalog, 'IXFR=1', '+notcp', '+comments'],
    ])('%s %s %s', (...query) => {
      const answer = dig(query, stranger);
      expect([answer.rcode || answer.text, answer.lines]).toEqual([
        expect.stringMatching(/REFUSED|Transfer failed/),
        [],
      ]);
      if (answer.rcode !== '') expect(answer.explanation).toBe('18');
    });

    it('but zones are public beside it, and may stand below its name', async () => {
      await create(`below.${catalog}`);
      expect(dig(['public.example', 'SOA'], stranger).rcode).toBe('NOERROR');
      expect(dig([`below.${catalog}`, 'SOA'], stranger).lines).toHaveLength(1);
      expect(dig([`x.below.${catalog}`, 'A'], stranger).rcode).toBe('NXDOMAIN');
      expect(members(axfr()).has(`below.${catalog}`)).toBe(true);
      // What encloses it has nothing to say about it.
      await create('invalid');
      expect(dig([catalog, 'SOA'], stranger).rcode).toBe('REFUSED');
      expect(dig(['other.invalid', 'A'], stranger).rcode).toBe('NXDOMAIN');
      await service.must('DELETE', '/zones/invalid');
    });

    it('by key only with zone:transfer in all zones; a signature never falls back', async () => {
      const narrow = await makeTransferKey(service, 'narrow', ['public.example']);
      const wide = await makeTransferKey(service, 'wide', [null]);
      const signed = (key: typeof narrow) => `${key.algorithm}:${key.name}:${key.secret}`;
      const refused = dig([catalog, 'AXFR', '+comments', '-y', signed(narrow)]);
      expect(refused.lines).toEqual([]);
      expect(dig(['public.example', 'AXFR', '-y', signed(narrow)]).lines.length).toBeGreaterThan(2);
      const taken = dig([catalog, 'AXFR', '-y', signed(wide)], stranger);
      expect(members(taken.lines).has('public.example')).toBe(true);
    });

    it('from a disabled secondary no more', async () => {
      await service.must('PUT', '/secondaries/here', { enabled: false });
      expect(dig([catalog, 'SOA']).rcode).toBe('REFUSED');
      await service.must('PUT', '/secondaries/here', { enabled: true });
      expect(dig([catalog, 'SOA']).rcode).toBe('NOERROR');
    });

    it('is not its own member, takes no zone of its name and no update', async () => {
      expect(members(axfr()).has(catalog)).toBe(false);
      const taken = await service.call('POST', '/zones', { name: `${catalog}.`, ...soa });
      expect(taken).toMatchObject({ status: 409, body: { code: 'ZONE_CONFLICT' } });
      const renamed = await service.call('PUT', '/zones/public.example', { name: catalog });
      expect(renamed).toMatchObject({ status: 409, body: { code: 'ZONE_CONFLICT' } });
      const rcode = await dnspython<string>(
        service.dnsPort,
        `
import dns.update
update = dns.update.Update('${catalog}')
update.add('x', 60, 'TXT', 'x')
result = dns.rcode.to_text(dns.query.udp(update, '127.0.0.1', port=port, timeout=60).rcode())
`,
      );
      expect(rcode).toBe('NOTAUTH');
    });
  });

  it('case 88: each change is one step, and a consumer takes any number of them in one', async () => {
    const before = axfr();
    await Promise.all(Array.from({ length: 300 }, (_, at) => create(`many-${at}.example`)));
    const after = axfr();
    expect(serialOf(after) - serialOf(before)).toBe(300);
    expect(members(after).size - members(before).size).toBe(300);
    // As many records as there are would be sent whole; the last 200 are one delta.
    const delta = dig([catalog, `IXFR=${serialOf(after) - 200}`, '+nocomments']).lines;
    expect(delta).toHaveLength(4 + 200);
    expect(members(delta).size).toBe(200);
  });
});

needsPeers(
  'dig',
  'dnspython',
  'named-checkzone',
)('case 89: long names', () => {
  it('fit, the catalog and its members at their longest', async () => {
    const label = (letter: string, bytes: number) => letter.repeat(bytes);
    // 216 bytes with the lengths and the root.
    const name = [label('a', 63), label('b', 63), label('c', 63), label('d', 22)].join('.');
    const longest = [label('w', 63), label('x', 63), label('y', 63), label('z', 61)].join('.');
    await using other = await startService({ ZONEBOOK_DNS_CATALOG_ZONE_NAME: name });
    await other.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    await other.must('POST', '/zones', { name: 'short.example', ...soa });
    await other.must('POST', '/zones', { name: longest, ...soa });
    const found = await dnspython<{ bytes: number; target: string }[]>(
      other.dnsPort,
      `
zone = dns.zone.Zone('${name}', relativize=False)
dns.query.inbound_xfr('127.0.0.1', zone, port=port)
result = [{'bytes': len(owner.to_wire()), 'target': rdata.target.to_text()}
          for owner, ttl, rdata in zone.iterate_rdatas('PTR')]
`,
    );
    expect(found.map(({ bytes }) => bytes)).toEqual([255, 255]);
    expect(found.map(({ target }) => target).sort()).toEqual(['short.example.', `${longest}.`]);
    const lines = dig([name, 'IXFR=2', '+nocomments'], undefined, other.dnsPort).lines;
    expect(members(lines).get(longest)).toBe(idOf(longest, 2));
  });
});

it('the service does not start while a zone has the name of the catalog', async () => {
  const name = 'mine.example';
  await create(name);
  await service.end();
  const { dataDir, apiPort, dnsPort } = service;
  const env = { ZONEBOOK_DNS_CATALOG_ZONE_NAME: name };
  const other = new RunningService(dataDir, apiPort, dnsPort, env);
  await expect(other.start()).rejects.toThrow(/dns\.catalog_zone_name: a zone of the name/);
  expect(await other.end()).toBe(6);
  await service.start();
});
