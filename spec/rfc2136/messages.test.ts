/**
 * UPDATE messages as no well-behaved client sends them (RFC 2136 3.1 to 3.4.1, RFC 8945 5.2), made by
 * dnspython byte by byte, over UDP and TCP: malformed, replayed, racing, large.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, recordsOf, serialOf } from '../support/updaters.ts';

const zone = 'example.com';

const prelude = `
import dns.update, dns.tsig, threading
IN, CH, NONE, ANY = 1, 3, 254, 255
T = dns.rdatatype.from_text
ADDRESS = bytes([192, 0, 2, 1])

def name(text): return dns.name.from_text(text).to_wire()

def rr(owner, rtype, rclass, ttl=0, rdata=b''):
    number = rtype if isinstance(rtype, int) else T(rtype)
    return name(owner) + struct.pack('!HHIH', number, rclass, ttl, len(rdata)) + rdata

def message(prerequisites=(), updates=(), zones=None, counts=None):
    zones = [name('example.com') + struct.pack('!HH', 6, IN)] if zones is None else zones
    counts = counts or (len(zones), len(prerequisites), len(updates), 0)
    body = b''.join([*zones, *prerequisites, *updates])
    return struct.pack('!HHHHHH', 4711, 5 << 11, *counts) + body

def ask(wire, tcp=False):
    if tcp:
        with socket.create_connection(('127.0.0.1', port), timeout=60) as stream:
            stream.sendall(struct.pack('!H', len(wire)) + wire)
            head = stream.recv(2, socket.MSG_WAITALL)
            return stream.recv(struct.unpack('!H', head)[0], socket.MSG_WAITALL)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.settimeout(60)
        datagrams.sendto(wire, ('127.0.0.1', port))
        return datagrams.recv(65535)

def rcode(answer): return dns.rcode.to_text(answer[3] & 15)

def both(wire):
    by = {rcode(ask(wire, tcp)) for tcp in (False, True)}
    return by.pop() if len(by) == 1 else sorted(by)

def signer(key):
    name = dns.name.from_text(key['name'])
    return dns.tsig.Key(name, key['secret'], key['algorithm'])
GOOD = rr('good.example.com', 'A', IN, 60, ADDRESS)
`;

needsPeers('dnspython')('UPDATE messages', () => {
  let open: RunningService;
  let strict: RunningService;
  let key: PeerKey;

  beforeAll(async () => {
    open = await startService({ ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false' });
    strict = await startService();
    for (const service of [open, strict]) await makeZoneOf(service, zone, 'www 300 A 192.0.2.1');
    key = await makeUpdateKey(strict, 'key.example.com', zone);
  });
  afterAll(async () => {
    await open[Symbol.asyncDispose]();
    await strict[Symbol.asyncDispose]();
  });

  /** The RCODE of each message that a program makes, without any change of the zone. */
  async function rcodes(program: string): Promise<Record<string, string>> {
    const before = await serialOf(open, zone);
    const asks = `${prelude}\n${program}\nresult = {what: both(wire) for what, wire in wires.items()}`;
    const answers = await dnspython<Record<string, string>>(open.dnsPort, asks);
    expect(await serialOf(open, zone)).toBe(before);
    return answers;
  }

  const all = (answers: Record<string, string>, expected: string) => {
    expect(Object.keys(answers).length).toBeGreaterThan(0);
    expect(answers).toEqual(
      Object.fromEntries(Object.keys(answers).map((what) => [what, expected])),
    );
  };

  it('3.1, case 1: a zone section of anything but one SOA is FORMERR', async () => {
    const answers = await rcodes(`
soa = name('example.com') + struct.pack('!HH', 6, IN)
wires = {
  'no zone': message((), [GOOD], zones=[]),
  'two zones': message((), [GOOD], zones=[soa, soa]),
  'an A': message((), [GOOD], zones=[name('example.com') + struct.pack('!HH', 1, IN)]),
  'ANY': message((), [GOOD], zones=[name('example.com') + struct.pack('!HH', 255, IN)]),
}`);
    all(answers, 'FORMERR');
  });

  it('3.1.2, case 1: another zone or class is NOTAUTH', async () => {
    const answers = await rcodes(`
def zoned(text, rclass=IN): return [name(text) + struct.pack('!HH', 6, rclass)]
wires = {
  'other': message((), [], zones=zoned('example.org')),
  'below': message((), [], zones=zoned('www.example.com')),
  'root': message((), [], zones=zoned('.')),
  'CH': message((), [GOOD], zones=zoned('example.com', CH)),
  'ANY': message((), [GOOD], zones=zoned('example.com', ANY)),
  'other, malformed': message((), [rr('x.example.org', 'A', ANY, 5)], zones=zoned('example.org')),
}`);
    all(answers, 'NOTAUTH');
  });

  it('3.2, case 2: malformed prerequisites are FORMERR, others’ names NOTZONE', async () => {
    all(
      await rcodes(`
wires = {
  'ttl ANY': message([rr('www.example.com', 'A', ANY, 1)], [GOOD]),
  'ttl NONE': message([rr('www.example.com', 'A', NONE, 1)], [GOOD]),
  'ttl IN': message([rr('www.example.com', 'A', IN, 1, ADDRESS)], [GOOD]),
  'rdata ANY': message([rr('www.example.com', 'A', ANY, 0, ADDRESS)], [GOOD]),
  'rdata NONE': message([rr('www.example.com', 'A', NONE, 0, ADDRESS)], [GOOD]),
  'no rdata': message([rr('www.example.com', 'A', IN)], [GOOD]),
  'class CH': message([rr('www.example.com', 'A', CH, 0, ADDRESS)], [GOOD]),
  'type ANY, class IN': message([rr('www.example.com', 'ANY', IN, 0, ADDRESS)], [GOOD]),
  'type AXFR': message([rr('www.example.com', 'AXFR', ANY)], [GOOD]),
}`),
      'FORMERR',
    );
    all(
      await rcodes(`
wires = {
  'in use': message([rr('www.example.org', 'ANY', ANY)], [GOOD]),
  'exists': message([rr('com', 'A', ANY)], [GOOD]),
  'not in use': message([rr('xexample.com', 'ANY', NONE)], [GOOD]),
  'exactly': message([rr('www.example.org', 'A', IN, 0, ADDRESS)], [GOOD]),
}`),
      'NOTZONE',
    );
  });

  it('3.4.1, case 8: the prescan finds what is malformed before anything is done', async () => {
    all(
      await rcodes(`
GOOD = rr('prescan.example.com', 'A', IN, 60, ADDRESS)
bad = {
  'ANY with RDATA': rr('www.example.com', 'A', ANY, 0, ADDRESS),
  'ANY with TTL': rr('www.example.com', 'A', ANY, 1),
  'NONE with TTL': rr('www.example.com', 'A', NONE, 1, ADDRESS),
  'NONE without RDATA': rr('www.example.com', 'A', NONE),
  'NONE of type ANY': rr('www.example.com', 'ANY', NONE),
  'add of type ANY': rr('www.example.com', 'ANY', IN, 60, ADDRESS),
  'add of type AXFR': rr('www.example.com', 'AXFR', IN, 60, ADDRESS),
  'add of type MAILA': rr('www.example.com', 'MAILA', IN, 60, ADDRESS),
  'add of type MAILB': rr('www.example.com', 'MAILB', IN, 60, ADDRESS),
  'delete of type IXFR': rr('www.example.com', 'IXFR', ANY),
  'OPT': rr('.', 'OPT', IN, 60),
  'TSIG': rr('www.example.com', 'TSIG', ANY),
  'TKEY': rr('www.example.com', 'TKEY', IN, 60, ADDRESS),
  'type 0': rr('www.example.com', 0, IN, 60, ADDRESS),
  'class CH': rr('www.example.com', 'A', CH, 60, ADDRESS),
  'class 0': rr('www.example.com', 'A', 0, 60, ADDRESS),
  'short RDATA': rr('www.example.com', 'A', IN, 60, ADDRESS[:3]),
  'long RDATA': rr('www.example.com', 'A', IN, 60, ADDRESS + b'x'),
  'no RDATA': rr('www.example.com', 'A', IN, 60),
}
wires = {what: message((), [GOOD, record]) for what, record in bad.items()}
wires['more than is there'] = message((), [GOOD], counts=(1, 0, 2, 0))
wires['less than is there'] = message((), [GOOD, GOOD], counts=(1, 0, 1, 0))
`),
      'FORMERR',
    );
    all(
      await rcodes(`
GOOD = rr('prescan.example.com', 'A', IN, 60, ADDRESS)
wires = {
  'add': message((), [GOOD, rr('www.example.org', 'A', IN, 60, ADDRESS)]),
  'delete': message((), [GOOD, rr('example.net', 'ANY', ANY)]),
  'delete one': message((), [GOOD, rr('com', 'A', NONE, 0, ADDRESS)]),
}`),
      'NOTZONE',
    );
    expect(await recordsOf(open, zone)).not.toContain('prescan 60 A 192.0.2.1');
  });

  it('case 16, 19: NSEC and the like, and more records than we take: REFUSED', async () => {
    const answers = await rcodes(`
wires = {'NSEC': message((), [GOOD, rr('www.example.com', 'NSEC', IN, 60, name('a.example.com') + bytes([0, 1, 64]))]),
         'RRSIG': message((), [GOOD, rr('www.example.com', 'RRSIG', ANY)])}
many = [struct.pack('!HHHIH', 0xc00c, T('TXT'), ANY, 0, 0)] * 4097
wires['many'] = message((), many)
`);
    all(answers, 'REFUSED');
  });

  it('case 21: 64 KiB over TCP; EDNS over UDP is answered in kind', async () => {
    const serial = await serialOf(open, zone);
    const [large, opt] = await dnspython<[string, number]>(
      open.dnsPort,
      `${prelude}
records, size = [], 0
while size < 65300:
    label = b'large%d' % len(records)
    owner = bytes([len(label)]) + label + bytes([0xc0, 12])
    record = owner + struct.pack('!HHIH', 16, IN, 60, 101) + bytes([100]) + b'x' * 100
    records.append(record)
    size += len(record)
wire = message((), records)
assert 65300 < len(wire) < 65536
small = bytearray(message((), [GOOD]) + rr('.', 41, 4096))
small[11] = 1
result = [rcode(ask(wire, True)), struct.unpack('!H', ask(bytes(small))[10:12])[0]]
`,
    );
    expect([large, opt]).toEqual(['NOERROR', 1]);
    expect(await serialOf(open, zone)).toBe(serial + 2);
  });

  it('case 9: of many that race for a name, one gets it', async () => {
    const serial = await serialOf(strict, zone);
    const answers = await dnspython<string[]>(
      strict.dnsPort,
      `${prelude}
key = signer(given)
answers = []
def race(number):
    update = dns.update.UpdateMessage('example.com')
    update.absent('prize')
    update.add('prize', 60, 'TXT', str(number))
    update.use_tsig(key)
    answers.append(rcode(ask(update.to_wire(), number % 2 == 0)))
threads = [threading.Thread(target=race, args=(number,)) for number in range(24)]
for thread in threads: thread.start()
for thread in threads: thread.join()
result = sorted(answers)
`,
      key,
    );
    expect(answers).toEqual(['NOERROR', ...Array(23).fill('YXDOMAIN')]);
    expect(await serialOf(strict, zone)).toBe(serial + 1);
    const prizes = (await recordsOf(strict, zone)).filter((line) => line.startsWith('prize '));
    expect(prizes).toHaveLength(1);
  });

  it('a replay gets the answer of then, signed, and is not applied again', async () => {
    const serial = await serialOf(strict, zone);
    const answers = await dnspython<string[]>(
      strict.dnsPort,
      `${prelude}
key = signer(given)
def signed(change):
    update = dns.update.UpdateMessage('example.com')
    change(update)
    update.use_tsig(key)
    return update, update.to_wire()
def verified(update, wire, tcp=False):
    answer = dns.message.from_wire(ask(wire, tcp), keyring={key.name: key}, request_mac=update.mac)
    assert answer.had_tsig
    return dns.rcode.to_text(answer.rcode())
adding = signed(lambda update: update.add('replayed', 60, 'A', '192.0.2.1'))
deleting = signed(lambda update: update.delete('replayed'))
needing = signed(lambda update: (update.present('replayed'), update.add('other', 60, 'A', '192.0.2.1')))
result = [verified(*adding), verified(*adding), verified(*deleting), verified(*adding, True),
          verified(*needing), verified(*adding), verified(*needing, True)]
`,
      key,
    );
    expect(answers).toEqual([...Array(4).fill('NOERROR'), 'NXDOMAIN', 'NOERROR', 'NXDOMAIN']);
    expect(await serialOf(strict, zone)).toBe(serial + 2);
    const replayed = (await recordsOf(strict, zone)).filter((line) =>
      /^(replayed|other)/.test(line),
    );
    expect(replayed).toEqual([]);
  });

  it('a replay is known for one after a restart, too', async () => {
    await using service = await startService();
    await makeZoneOf(service, zone, 'www 300 A 192.0.2.1');
    const own = await makeUpdateKey(service, 'key.example.com', zone);
    // With the usual fudge, and with an hour's, whose signature is an hour old.
    const sent = await dnspython<string[]>(
      service.dnsPort,
      `${prelude}
import time
def signed(change, fudge=300, age=0):
    update = dns.update.UpdateMessage('example.com')
    change(update)
    update.use_tsig(signer(given), fudge=fudge)
    clock = time.time
    time.time = lambda: clock() - age
    try: return update.to_wire()
    finally: time.time = clock
def add(update): update.add('replayed', 60, 'A', '192.0.2.1')
adding = [signed(add), signed(add, 3600, 3000)]
for wire in adding:
    assert rcode(ask(wire)) == 'NOERROR'
    assert rcode(ask(signed(lambda update: update.delete('replayed')))) == 'NOERROR'
    assert rcode(ask(wire)) == 'NOERROR'
result = [wire.hex() for wire in adding]
`,
      own,
    );
    const serial = await serialOf(service, zone);
    await service.end('SIGKILL');
    await service.start();
    const again = `${prelude}\nresult = [rcode(ask(bytes.fromhex(wire))) for wire in given]`;
    expect(await dnspython(service.dnsPort, again, sent)).toEqual(['NOERROR', 'NOERROR']);
    expect((await recordsOf(service, zone)).join()).not.toContain('replayed');
    expect(await serialOf(service, zone)).toBe(serial);
  });

  it('RFC 8945 5.2.3: what was refused before a restart is BADTIME after it, until signed anew', async () => {
    await using service = await startService();
    await makeZoneOf(service, zone, 'www 300 A 192.0.2.1');
    const own = await makeUpdateKey(service, 'key.example.com', zone);
    const signing = `${prelude}
key = signer(given['key'])
def signed(change):
    update = dns.update.UpdateMessage('example.com')
    change(update)
    update.use_tsig(key)
    return update
def needing(update):
    update.present('gate')
    update.add('replayed', 60, 'A', '192.0.2.1')
`;
    const sent = await dnspython<{ wire: string; mac: string }>(
      service.dnsPort,
      `${signing}
update = signed(needing)
wire = update.to_wire()
assert rcode(ask(wire)) == 'NXDOMAIN'
result = {'wire': wire.hex(), 'mac': update.mac.hex()}
# A signature tells the second only: the service starts in a later one.
import time
time.sleep(1)
`,
      { key: own },
    );
    await service.end('SIGKILL');
    await service.start();
    const said = await dnspython<string[]>(
      service.dnsPort,
      `${signing}
opening = signed(lambda update: update.add('gate', 60, 'A', '192.0.2.1'))
result = [rcode(ask(opening.to_wire()))]
mac = bytes.fromhex(given['mac'])
for tcp in (False, True):
    answer = ask(bytes.fromhex(given['wire']), tcp)
    result.append(rcode(answer))
    try: dns.message.from_wire(answer, keyring={key.name: key}, request_mac=mac)
    except dns.tsig.PeerBadTime: result.append('BADTIME')
result.append(rcode(ask(signed(needing).to_wire())))
`,
      { key: own, ...sent },
    );
    expect(said).toEqual(['NOERROR', 'NOTAUTH', 'BADTIME', 'NOTAUTH', 'BADTIME', 'NOERROR']);
  });

  it('RFC 8945 5.2, cases 45 to 47: a signature that is changed, unknown or late does nothing', async () => {
    const serial = await serialOf(strict, zone);
    const answers = await dnspython<string[]>(
      strict.dnsPort,
      `${prelude}
import time
key = signer(given)
def wire(sign, apart=0):
    update = dns.update.UpdateMessage('example.com')
    update.add('forged', 60, 'A', '192.0.2.1')
    update.use_tsig(sign)
    clock = time.time
    time.time = lambda: clock() + apart
    try: return update.to_wire()
    finally: time.time = clock
changed = bytearray(wire(key))
changed[changed.index(bytes([192, 0, 2, 1]))] = 10
stranger = dns.tsig.Key('stranger', given['secret'], given['algorithm'])
result = [both(bytes(changed)), both(wire(stranger)), both(wire(key, -400)), both(wire(key, 400))]
`,
      key,
    );
    expect(answers).toEqual(Array(4).fill('NOTAUTH'));
    expect(await serialOf(strict, zone)).toBe(serial);
  });

  it('3.5: what was answered NOERROR outlives a kill', async () => {
    const add = `${prelude}
key = signer(given)
def add(number):
    update = dns.update.UpdateMessage('example.com')
    update.add('kept-%d' % number, 60, 'A', '192.0.2.1')
    update.use_tsig(key)
    return rcode(ask(update.to_wire()))
result = [add(number) for number in range(20)]
`;
    expect(await dnspython(strict.dnsPort, add, key)).toEqual(Array(20).fill('NOERROR'));
    await strict.end('SIGKILL');
    await strict.start();
    const kept = (await recordsOf(strict, zone)).filter((line) => line.startsWith('kept-'));
    expect(kept).toHaveLength(20);
  });
});
