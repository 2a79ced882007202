/**
 * What validators make of signed answers: delv and unbound, with nothing but our DS to trust, ask this
 * server and a named that pulled the zones from it.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { type PeerProcess, startNamedOf } from '../support/signed-peers.ts';
import {
  type DenialMode,
  type SigningServer,
  startSigningServer,
} from '../support/signing-server.ts';
import { askDelv, startUnbound, type TrustAnchor } from '../support/validators.ts';
import {
  createValidated,
  insecureQuestions,
  secureQuestions,
  validatedZones,
} from './validated-zones.ts';

/** Questions to a resolver: `[RCODE, AD, whether there is an answer to the question]` of each. */
const askResolver = `
result = []
for name, type in given:
    query = dns.message.make_query(name, type, want_dnssec=True)
    answer = dns.query.udp_with_fallback(query, '127.0.0.1', port=port, timeout=60)[0]
    kind = dns.rcode.to_text(answer.rcode())
    if kind == 'NOERROR':
        found = any(r.rdtype == dns.rdatatype.from_text(type) for r in answer.answer)
        kind = 'positive' if found else 'NODATA'
    result.append([name, type, kind, bool(answer.flags & dns.flags.AD)])
`;

/** Random names in and around the zones, and whether the resolver could validate what it heard. */
const askAtRandom = `
import random
draw = random.Random(given['seed'])
owners = set()
for zone in given['zones']:
    pulled = dns.zone.from_xfr(dns.query.xfr('127.0.0.1', zone, port=given['primary'], relativize=False), relativize=False)
    owners.update(name for name in pulled.nodes if pulled.get_rdataset(name, 'NSEC3') is None or draw.random() < 0.2)
owners = sorted(owners)
labels = [b'zz', b'*', b'a', b'b', b'x', b'www', b'\\0', b'\\1', b'\\xff', b'a.b', b'0', b'q']
types = 'A A TXT MX CNAME DS SOA NS DNAME AAAA DNSKEY NSEC NSEC3PARAM TYPE65280'.split()
plain = dns.name.from_text('plain.signed.test')
cut = dns.name.from_text('deep.ent2.signed.test')
substituted = [dns.name.from_text(name) for name in ('old.signed.test', 'gone.signed.test', 'moved.signed.test')]
result = []
for _ in range(given['count']):
    name = draw.choice(owners)
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        name = dns.name.Name((draw.choice(labels),) + name.labels)
    type = draw.choice(types)
    # Its servers are nobody's.
    if name.is_subdomain(cut): continue
    # unbound 1.17 calls a substituted alias bogus when that, or the DNAME, is all that was asked for.
    if type in ('CNAME', 'DNAME') and any(name.is_subdomain(s) for s in substituted): continue
    answer = dns.query.udp_with_fallback(dns.message.make_query(name, type, want_dnssec=True), '127.0.0.1', port=port, timeout=60)[0]
    secure = bool(answer.flags & dns.flags.AD)
    targets = [name] + [d.target for r in answer.answer if r.rdtype == dns.rdatatype.CNAME and type != 'CNAME' for d in r]
    insecure = any(t.is_subdomain(plain) and not (t == plain and type == 'DS') for t in targets)
    if answer.rcode() not in (0, 3) or secure == insecure:
        result.append([str(answer.question[0]), dns.rcode.to_text(answer.rcode()), secure])
`;

for (const denial of ['nsec', 'nsec3'] satisfies DenialMode[]) {
  needsPeers(
    'delv',
    'unbound',
    'named',
    'dnspython',
  )(`validators of zones signed with ${denial}`, () => {
    let server: SigningServer;
    let named: PeerProcess;
    let anchor: TrustAnchor;
    const started: AsyncDisposable[] = [];

    beforeAll(async () => {
      server = await startSigningServer();
      started.push(server);
      anchor = await createValidated(server, denial);
      named = await startNamedOf(validatedZones, server.port);
      started.push(named);
      for (const zone of validatedZones) await named.waitFor(zone);
    });
    afterAll(async () => {
      for (const each of started.reverse()) await each[Symbol.asyncDispose]();
    });

    describe.for(['this server', 'named as its secondary'])('asking %s', (whom) => {
      const isOurs = whom === 'this server';
      const port = () => (isOurs ? server.port : named.port);
      // named does not show that a wildcard is an empty non-terminal (RFC 4035 3.1.3.4).
      const proven = secureQuestions.filter(
        ([name]) => isOurs || denial === 'nsec3' || name !== 'y.entwild.signed.test',
      );

      it.for(sampleOf(proven, 8))('delv: %s %s is %s: %s', async ([name, type, kind]) => {
        const said = await askDelv(port(), anchor, join(server.folder, 'anchor'), name, type);
        expect(said).toMatch(/fully validated$/);
        if (kind === 'positive') expect(said).not.toContain('ncache');
        else expect(said).toContain('ncache');
      });

      it.for(sampleOf(insecureQuestions, 2))(
        'delv: %s %s is %s and unsigned',
        async ([name, type]) => {
          const said = await askDelv(port(), anchor, join(server.folder, 'anchor'), name, type);
          expect(said).toMatch(/unsigned answer$/);
        },
      );

      it('unbound: all of them, and any others', async () => {
        await using unbound = await startUnbound(port(), validatedZones, anchor);
        await unbound.waitFor(anchor.zone);
        const all = [...proven, ...insecureQuestions];
        const questions = all.map(([name, type]) => [name, type]);
        expect(await dnspython(unbound.port, askResolver, questions)).toEqual([
          ...proven.map(([name, type, kind]) => [name, type, kind, true]),
          ...insecureQuestions.map(([name, type, kind]) => [name, type, kind, false]),
        ]);
        const drawn = {
          zones: validatedZones,
          primary: server.port,
          seed: 4035,
          count: isOurs ? 500 : 100,
        };
        expect(await dnspython(unbound.port, askAtRandom, drawn)).toEqual([]);
      });
    });
  });
}
