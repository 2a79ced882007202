/**
 * Signatures that do not hold, as dnspython makes them against the running service (RFC 8945 5.2,
 * cases 44 to 54), over UDP and TCP.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

interface Refusal {
  readonly rcode: string;
  /** The TSIG of the answer: its error, bytes of MAC, and Other Data; null when there is none. */
  readonly tsig: { error: number; mac: number; other: string; apart: number } | null;
  readonly answers: number;
}

/** Signs by hand, so that every byte can be wrong; asks; tells what came. */
const prelude = `
import base64, hashlib, hmac, time
NAME = dns.name.from_text(given['key']['name']).to_digestable()
ALGORITHM = dns.name.from_text(given['key']['algorithm']).to_digestable()
SECRET = base64.b64decode(given['key']['secret'])
QUERY = dns.message.make_query('example.com', given.get('type', 'SOA'), use_edns=False).to_wire()

def mac_of(wire, when, fudge=300, name=NAME, algorithm=ALGORITHM, prefix=b''):
    times = struct.pack('!HIH', when >> 32, when & 0xffffffff, fudge)
    digested = prefix + wire + name + struct.pack('!HI', 255, 0) + algorithm + times + bytes(4)
    return hmac.new(SECRET, digested, getattr(hashlib, given['key']['algorithm'][5:])).digest()

def record(mac, when, fudge=300, name=NAME, algorithm=ALGORITHM, rclass=255, ttl=0, wire=QUERY):
    rdata = algorithm + struct.pack('!HIHH', when >> 32, when & 0xffffffff, fudge, len(mac))
    rdata += mac + wire[:2] + bytes(4)
    return name + struct.pack('!HHIH', 250, rclass, ttl, len(rdata)) + rdata

def behind(wire, *records):
    return wire[:10] + struct.pack('!H', len(records)) + wire[12:] + b''.join(records)

def signed(when=None, **fields):
    when = int(time.time()) if when is None else when
    return behind(QUERY, record(mac_of(QUERY, when), when, **fields))

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

def told(answer):
    counts = struct.unpack('!6H', answer[:12])
    tsig = None
    reader = dns.message.from_wire(answer[:10] + bytes(2) + answer[12:], ignore_trailing=True)
    if counts[5] == 1:
        at = answer.rindex(b'\\x00\\xfa\\x00\\xff\\x00\\x00\\x00\\x00') + 10
        rdata = dns.rdata.from_wire('ANY', 'TSIG', answer, at, len(answer) - at)
        tsig = {'error': int(rdata.error), 'mac': len(rdata.mac), 'other': rdata.other.hex(),
                'apart': int(time.time()) - rdata.time_signed}
    return {'rcode': dns.rcode.to_text(reader.rcode()), 'tsig': tsig, 'answers': counts[3]}
`;

let service: RunningService;
let key: PeerKey;

/** Runs a program that makes a list of messages; tells what each was answered, by UDP and TCP. */
async function told(program: string, more: object = {}): Promise<Refusal[]> {
  const asks = `
${prelude}
${program}
result = [told(ask(message, tcp)) for tcp in (False, True) for message in messages]
`;
  return dnspython<Refusal[]>(service.dnsPort, asks, { key, ...more });
}

/** Whole seconds since 1970, as the clocks of all programs here have them. */
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** That a time is of now, where `sinceSeconds` is a moment before it was taken. */
function expectNow(seconds: number, sinceSeconds: number): void {
  expect(seconds).toBeGreaterThanOrEqual(sinceSeconds);
  expect(seconds).toBeLessThanOrEqual(nowSeconds());
}

const unsigned = (error: number) => ({ error, mac: 0, other: '', apart: expect.any(Number) });
const formerr = { rcode: 'FORMERR', tsig: null, answers: 0 };

needsPeers('dnspython')('signatures that do not hold', () => {
  beforeAll(async () => {
    service = await startService();
    const zone = { name: 'example.com', mname: 'ns1.example.com', rname: 'root@example.com' };
    await service.must('POST', '/zones', zone);
    await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    key = await makeTransferKey(service, 'key.example.com', ['example.com']);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  it('are told from those that do', async () => {
    const since = nowSeconds();
    for (const answer of await told('messages = [signed()]')) {
      expect(answer).toEqual({
        rcode: 'NOERROR',
        tsig: { error: 0, mac: 32, other: '', apart: expect.any(Number) },
        answers: 1,
      });
      expectNow(since + answer.tsig!.apart, since);
    }
  });

  it('case 44: TSIG not last, twice, elsewhere, with another class or a TTL: FORMERR', async () => {
    const answers = await told(`
when = int(time.time())
good = record(mac_of(QUERY, when), when)
opt = bytes.fromhex('0000290400000000000000')
authority = QUERY[:8] + b'\\x00\\x01' + QUERY[10:] + good
messages = [behind(QUERY, good, opt), behind(QUERY, good, good), authority,
            signed(rclass=1), signed(rclass=254), signed(ttl=1), signed(ttl=0xffffffff),
            behind(QUERY, good) + b'x', behind(QUERY, good[:-1])]
`);
    expect(answers).toHaveLength(18);
    for (const answer of answers) expect(answer).toEqual(formerr);
  });

  it('case 45: an unknown key, or another algorithm: NOTAUTH with BADKEY, unsigned', async () => {
    const answers = await told(`
other = dns.name.from_text('other.example.com').to_digestable()
sha512 = dns.name.from_text('hmac-sha512').to_digestable()
md5 = dns.name.from_text('hmac-md5.sig-alg.reg.int').to_digestable()
messages = [signed(name=other), signed(algorithm=sha512), signed(algorithm=md5)]
`);
    for (const answer of answers) {
      expect(answer).toEqual({ rcode: 'NOTAUTH', tsig: unsigned(17), answers: 0 });
    }
  });

  it('case 46: a wrong MAC, or a message that was changed: NOTAUTH with BADSIG, unsigned', async () => {
    const answers = await told(`
good = signed()
changed = bytearray(good)
changed[13] ^= 0x01
SECRET = bytes(32)
messages = [signed(), bytes(changed), good[:2] + b'\\x00' + good[3:]]
`);
    for (const answer of answers) {
      expect(answer).toEqual({ rcode: 'NOTAUTH', tsig: unsigned(16), answers: 0 });
    }
  });

  it('case 47: late or early: NOTAUTH with BADTIME, signed, with our time', async () => {
    for (const apart of [-400, 400]) {
      const since = nowSeconds();
      const answers = await told(`messages = [signed(int(time.time()) + given['apart'])]`, {
        apart,
      });
      for (const { rcode, tsig } of answers) {
        expect({ rcode, error: tsig?.error, mac: tsig?.mac }).toEqual({
          rcode: 'NOTAUTH',
          error: 18,
          mac: 32,
        });
        // The time is that of the request, so that its sender can verify the answer.
        expectNow(since + tsig!.apart + apart, since);
        expectNow(Number.parseInt(tsig!.other, 16), since);
      }
    }
    const replayed = await told('messages = [signed(int(time.time()) - 3600)] * 2');
    expect(replayed.map(({ tsig }) => tsig?.error)).toEqual([18, 18, 18, 18]);
  });

  it('5.2.3: the fudge of the request counts, up to an hour', async () => {
    // Each with the seconds that its time is away from ours. Time goes on meanwhile: what is just early enough is not
    // at the last second, what is just too late is.
    const cases: [fudge: number, apart: number, error: number | undefined][] = [
      [0, -1, 18],
      [10, -11, 18],
      [10, 100, 18],
      [600, -500, undefined],
      [600, 600, undefined],
      [600, -601, 18],
      [600, 700, 18],
      [3600, -3500, undefined],
      [3600, 3600, undefined],
      [3600, -3601, 18],
      [3600, 3700, 18],
      [65_535, -3500, undefined],
      [65_535, 3600, undefined],
      [65_535, -3601, 18],
      [65_535, 3700, 18],
    ];
    const answers = await told(
      `
def apart(fudge, seconds):
    when = int(time.time()) + seconds
    return behind(QUERY, record(mac_of(QUERY, when, fudge), when, fudge))
messages = [apart(fudge, seconds) for fudge, seconds, _ in given['cases']]
`,
      { cases },
    );
    const expected = cases.map(([, , error]) => (error === undefined ? 'NOERROR' : 'NOTAUTH'));
    expect(answers.map(({ rcode }) => rcode)).toEqual([...expected, ...expected]);
    const errors = cases.map(([, , error]) => error ?? 0);
    expect(answers.map(({ tsig }) => tsig?.error)).toEqual([...errors, ...errors]);
  });

  it('case 48: key, then MAC, then time, then length', async () => {
    const answers = await told(`
old = int(time.time()) - 5000
mac = mac_of(QUERY, old)
other = dns.name.from_text('other.example.com').to_digestable()
new = int(time.time())
messages = [behind(QUERY, record(bytes(16), old, name=other)), behind(QUERY, record(bytes(16), old)),
            behind(QUERY, record(mac[:16], old)), behind(QUERY, record(mac_of(QUERY, new)[:16], new))]
`);
    expect(answers.slice(0, 4).map(({ tsig }) => tsig?.error)).toEqual([17, 16, 18, 22]);
  });

  it.each(['hmac-sha256', 'hmac-sha384', 'hmac-sha512'])(
    'case 49: %s truncated is BADTRUNC, too short or too long FORMERR',
    async (algorithm) => {
      const name = `cut-${algorithm}`;
      const other = await makeTransferKey(service, name, ['example.com'], algorithm);
      const [least, most, ...wrong] = (
        await told(
          `
when = int(time.time())
mac = mac_of(QUERY, when)
half = len(mac) // 2
messages = [behind(QUERY, record(some, when)) for some in
            (mac[:half], mac[:-1], mac[:half - 1], mac[:10], mac[:9], b'', mac + b'x')]
`,
          { key: other },
        )
      ).slice(0, 7);
      for (const answer of [least!, most!]) {
        expect(answer.rcode).toBe('NOTAUTH');
        expect(answer.tsig).toMatchObject({ error: 22, mac: Number(algorithm.slice(-3)) / 8 });
      }
      for (const answer of wrong) expect(answer).toEqual(formerr);
    },
  );

  it('case 50: names in capitals hold', async () => {
    const answers = await told(
      `messages = [signed(name=NAME.upper(), algorithm=ALGORITHM.upper())]`,
    );
    for (const { rcode, tsig } of answers) {
      expect([rcode, tsig?.error, tsig?.mac]).toEqual(['NOERROR', 0, 32]);
    }
  });

  it('case 53: odd algorithm names and RDATA end nothing', async () => {
    const answers = await told(`
import random
random.seed(8945)
def odd(name): return signed(algorithm=dns.name.from_text(name).to_digestable())
messages = [odd('*'), odd('.'), odd('*.example.com'), odd('\\\\000.'), odd('x' * 63)]
plain = bytearray(signed())
for _ in range(300):
    spoiled = bytearray(plain)
    for _ in range(random.randint(1, 4)):
        spoiled[random.randint(len(QUERY), len(spoiled) - 1)] = random.randint(0, 255)
    messages.append(bytes(spoiled))
`);
    for (const { rcode } of answers) expect(['NOTAUTH', 'FORMERR', 'NOERROR']).toContain(rcode);
    for (const { tsig } of answers.slice(0, 5)) expect(tsig).toEqual(unsigned(17));
    expect((await service.call('GET', '/health')).status).toBe(200);
  });

  it('never transfer a zone, though the address alone would', async () => {
    const plain = await told('messages = [QUERY]', { type: 'AXFR' });
    expect(plain[1]).toMatchObject({ rcode: 'NOERROR' });
    const answers = await told(
      `
good = signed()
SECRET = bytes(32)
messages = [signed(), signed(name=dns.name.from_text('other').to_digestable()),
            signed(int(time.time()) - 400)]
`,
      { type: 'AXFR' },
    );
    for (const { rcode } of answers) expect(rcode).toBe('NOTAUTH');
    await expect.poll(() => service.output).toContain('BADSIG');
  });
});
