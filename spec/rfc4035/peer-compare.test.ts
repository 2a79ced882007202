/**
 * The same questions to this server, and to named and knotd that pulled the same signed zones from
 * it: where the two agree we say what they say, and where they differ we say what one of them says.
 *
 * Compared are RCODE, AA, TC, and answer and authority as sets, signatures and proofs included; all that
 * comes with a signature, in the additional section too, is also verified. Questions are drawn
 * from a seed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { peerZones } from '../rfc1034/peer-zones.ts';
import { dnspython } from '../support/dnspython.ts';
import { drawnQuestions } from '../support/drawn-questions.ts';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { type PeerProcess, startKnotdOf, startNamedOf } from '../support/signed-peers.ts';
import {
  type DenialMode,
  type SigningServer,
  startSigningServer,
} from '../support/signing-server.ts';

/** Zones that both peers take. */
function namesFor(denial: DenialMode): string[] {
  const names = Object.keys(peerZones);
  // Knot 3.2 takes the NSEC3 below a DNAME at the apex for names that it hides (mended in 3.4.4).
  return denial === 'nsec' ? names : names.filter((name) => name !== 'dname.test');
}

const ask = `
import random, dns.dnssec, dns.rrset
draw = random.Random(given['seed'])
owners = set()
keys = {}
for zone in given['zones']:
    pulled = dns.zone.from_xfr(dns.query.xfr('127.0.0.1', zone, port=port, relativize=False), relativize=False)
    owners.update(pulled.nodes)
    keys[pulled.origin] = pulled.find_rrset(pulled.origin, 'DNSKEY')
owners = sorted(owners)
types = 'A A A AAAA NS SOA MX TXT TXT CNAME CNAME DNAME DS DS DS SRV ANY TYPE65280 TYPE65281 HTTPS CAA NSEC NSEC3 NSEC3PARAM DNSKEY CDS CDNSKEY'.split()

${drawnQuestions}

verified = set()
def verify(answer):
    for section in (answer.answer, answer.authority, answer.additional):
        for signatures in section:
            if signatures.rdtype != dns.rdatatype.RRSIG or answer.question[0].rdtype == dns.rdatatype.RRSIG: continue
            rrset = next((r for r in section if r.name == signatures.name and r.rdtype == signatures.covers), None)
            if rrset is None: return 'a signature over nothing at %s' % signatures.name
            if rrset.ttl != signatures.ttl: return 'a signature with another TTL at %s' % signatures.name
            text = rrset.to_text() + signatures.to_text()
            if text in verified: continue
            if given['verifies']: dns.dnssec.validate(rrset, signatures, keys)
            verified.add(text)

def without_extra(answer):
    '''Neither peer shows that a wildcard is an empty non-terminal (RFC 4035 3.1.3.4); we do.'''
    extra = [r for r in answer.authority if r.rdtype == dns.rdatatype.NSEC and b'*' in r[0].next.labels[1:]]
    gone = [r for r in answer.authority for e in extra if r.name == e.name and dns.rdatatype.NSEC in (r.rdtype, r.covers)]
    return records([r for r in answer.authority if r not in gone])

result = {'wrong': [], 'kinds': {}}
for _ in range(given['count']):
    how = draw.choice(['udp edns', 'udp edns do', 'udp edns do', 'udp edns do small', 'tcp', 'tcp edns do', 'tcp edns do'])
    query = dns.message.make_query(draw_name(), draw.choice(types))
    query.flags |= draw.choice([0, dns.flags.CD, dns.flags.AD])
    if 'edns' in how: query.use_edns(0, dns.flags.DO if 'do' in how else 0, payload=512 if 'small' in how else 1232)
    wire = query.to_wire()
    ask_all = lambda tcp: [view(at, wire, tcp) for at in [port] + given['peers']]
    (ours, answer), *others = ask_all(how.startswith('tcp'))
    if len({given_view[1].find('TC') < 0 for given_view in [ours] + [other for other, _ in others]}) > 1:
        # Each compresses in its own way: what is cut for one goes whole for another, and all over TCP.
        (ours, answer), *others = ask_all(True)
    kind = ' '.join([ours[0], ours[1], str(len(ours[2]) > 0), str(sum(' NSEC' in line for line in ours[3]))])
    result['kinds'][kind] = result['kinds'].get(kind, 0) + 1
    others = [given_view for given_view, _ in others]
    less = ours[:3] + [without_extra(answer)]
    fault = verify(answer) or (None if ours in others or less in others else 'differs')
    if answer.flags & (dns.flags.AD | dns.flags.CD): fault = 'AD or CD is set'
    if answer.edns == 0 and bool(answer.ednsflags & dns.flags.DO) != ('do' in how): fault = 'DO is not echoed'
    if fault: result['wrong'].append({'question': str(query.question[0]), 'how': how, 'fault': fault, 'ours': ours, 'others': others})
`;

interface Compared {
  readonly wrong: readonly unknown[];
  readonly kinds: Record<string, number>;
}

const canVerify = `
try:
    import cryptography
    result = True
except ImportError:
    result = False
`;

for (const denial of ['nsec', 'nsec3'] satisfies DenialMode[]) {
  needsPeers(
    'named',
    'knotd',
    'dnspython',
  )(`answers of zones signed with ${denial}, beside named and knotd`, () => {
    const names = namesFor(denial);
    const peers: PeerProcess[] = [];
    let server: SigningServer;
    let verifies: boolean;

    beforeAll(async () => {
      server = await startSigningServer();
      for (const name of names) {
        // A server's name below a DNAME is none.
        await server.create(
          name,
          peerZones[name]!,
          name === 'dname.test' ? 'ns1.wild.test' : undefined,
        );
        await server.sign(name, denial);
      }
      peers.push(await startNamedOf(names, server.port), await startKnotdOf(names, server.port));
      for (const peer of peers) for (const zone of names) await peer.waitFor(zone);
      verifies = await dnspython<boolean>(0, canVerify);
    });
    afterAll(async () => {
      for (const peer of peers) await peer[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    it.for(isLong ? [4035, 5155, 9824] : [4035])('are the same (seed %i)', async (seed) => {
      const ports = peers.map(({ port }) => port);
      const given = { zones: names, seed, count: 1000, peers: ports, verifies };
      const { wrong, kinds } = await dnspython<Compared>(server.port, ask, given);
      expect(wrong).toEqual([]);
      expect(Object.keys(kinds).length).toBeGreaterThan(5);
    });
  });
}
