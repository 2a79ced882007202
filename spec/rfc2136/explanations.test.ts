/**
 * Why an update is refused, in words (RFC 8914): to clients that speak EDNS, as far as there is room, and never so much
 * that a forged request is worth its while.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { needsPeers } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf } from '../support/updaters.ts';

const zone = 'example.com';

interface Told {
  readonly rcode: string;
  /** Code and text of each extended error. */
  readonly errors: [number, string | null][];
  readonly edns: boolean;
  readonly truncated: boolean;
  readonly asked: number;
  readonly answered: number;
}

const prelude = `
import dns.update, dns.tsig, dns.rrset
def signer(key):
    return dns.tsig.Key(dns.name.from_text(key['name']), key['secret'], key['algorithm'])

def tell(change, key=None, edns=0, payload=1232, tcp=False):
    update = dns.update.UpdateMessage('example.com')
    change(update)
    if edns is not None:
        update.use_edns(edns, payload=payload)
    if key is not None:
        update.use_tsig(signer(key))
    # The signature of the answer is verified on the way.
    way = dns.query.tcp if tcp else dns.query.udp
    answer = way(update, '127.0.0.1', port=port, timeout=60)
    assert answer.had_tsig == (key is not None)
    errors = [[int(o.code), o.text] for o in answer.options if isinstance(o, dns.edns.EDEOption)]
    return {'rcode': dns.rcode.to_text(answer.rcode()), 'errors': errors, 'edns': answer.edns == 0,
            'truncated': bool(answer.flags & dns.flags.TC),
            'asked': len(update.wire if hasattr(update, 'wire') else update.to_wire()),
            'answered': len(answer.wire if hasattr(answer, 'wire') else answer.to_wire())}
`;

needsPeers('dnspython')('a refused update', () => {
  let service: RunningService;
  let full: PeerKey;
  let narrow: PeerKey;

  beforeAll(async () => {
    service = await startService();
    await makeZoneOf(service, zone, 'www 300 A 192.0.2.1');
    full = await makeUpdateKey(service, 'full', zone);
    const grants = [{ actions: ['record:create'], record_types: 'A' }];
    narrow = await makeUpdateKey(service, 'narrow', zone, grants);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  const tell = (calls: string): Promise<Told[]> =>
    dnspython<Told[]>(service.dnsPort, `${prelude}\nresult = [${calls}]`, { full, narrow });

  it('says why to who signed it: what is not granted, and what can not be', async () => {
    const [denied, late, conflict, elsewhere] = await tell(`
tell(lambda u: u.add('www', 60, 'TXT', 'x'), given['narrow']),
tell(lambda u: u.add('www', 60, 'TXT', 'x'), given['narrow'], tcp=True),
tell(lambda u: (u.add('m', 60, 'MX', '0 .'), u.add('m', 60, 'MX', '10 a.')), given['full']),
tell(lambda u: u.update.append(dns.rrset.from_text('www.example.org.', 60, 'IN', 'A', '192.0.2.1')), given['full']),
`);
    const refusal = `action 'record:create' is needed on www.example.com. TXT`;
    for (const answer of [denied!, late!]) {
      expect(answer).toMatchObject({
        rcode: 'REFUSED',
        errors: [
          [18, null],
          [22, refusal],
        ],
      });
    }
    expect(conflict).toMatchObject({
      rcode: 'REFUSED',
      errors: [[22, 'a null MX (.) excludes other MX records at m.example.com.']],
    });
    expect(elsewhere).toMatchObject({
      rcode: 'NOTZONE',
      errors: [[22, 'www.example.org. A is outside the zone']],
    });
  });

  it('that is not signed gets an answer that says so, of at most twice its size', async () => {
    const [udp, tcp] = await tell(`
tell(lambda u: u.add('www', 60, 'A', '192.0.2.1')),
tell(lambda u: u.add('www', 60, 'A', '192.0.2.1'), tcp=True),
`);
    for (const answer of [udp!, tcp!]) {
      const errors = [
        [18, null],
        [22, 'updates have to be signed'],
      ];
      expect(answer).toMatchObject({ rcode: 'REFUSED', errors, truncated: false });
    }
    expect(udp!.answered).toBeLessThanOrEqual(2 * udp!.asked);
  });

  it('says nothing without EDNS, and nothing of prerequisites', async () => {
    const [plain, unsigned, prerequisite, done] = await tell(`
tell(lambda u: u.add('www', 60, 'TXT', 'x'), given['narrow'], edns=None),
tell(lambda u: u.add('www', 60, 'TXT', 'x'), edns=None),
tell(lambda u: u.present('gone'), given['full']),
tell(lambda u: u.delete('gone'), given['full']),
`);
    for (const answer of [plain, unsigned]) {
      expect(answer).toMatchObject({ rcode: 'REFUSED', errors: [], edns: false });
    }
    expect(prerequisite).toMatchObject({ rcode: 'NXDOMAIN', errors: [], edns: true });
    expect(done).toMatchObject({ rcode: 'NOERROR', errors: [], edns: true });
  });

  it('has its words cut where they do not fit, and its signature holds', async () => {
    // 242 bytes of labels, each of them four characters in text.
    const name = [61, 61, 61, 55].map((bytes) => '\\\\255'.repeat(bytes)).join('.');
    const [small, large] = await tell(`
tell(lambda u: u.add('${name}', 60, 'TXT', 'x'), given['narrow'], payload=512),
tell(lambda u: u.add('${name}', 60, 'TXT', 'x'), given['narrow'], tcp=True),
`);
    const begins = String.raw`action 'record:create' is needed on \255\255`;
    for (const answer of [small!, large!]) {
      expect(answer).toMatchObject({ rcode: 'REFUSED', truncated: false });
      const [code, text] = answer.errors[1]!;
      expect(code).toBe(22);
      expect(text!.startsWith(begins), text!).toBe(true);
      expect(text!.length).toBeLessThanOrEqual(400);
    }
    expect(small!.answered).toBeLessThanOrEqual(512);
    expect(large!.errors[1]![1]!.length).toBe(400);
  });
});
