/**
 * Zones signed by us as three other programs judge them, whole and after each of many steps that were
 * signed incrementally (cases 71 to 79 and 82).
 */
import { beforeAll, expect, it } from 'vitest';
import { algorithms } from '../../src/dnssec/algorithm.ts';
import { isLong, sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import {
  exampleApex,
  MemoryZone,
  makeKey,
  recordsOf,
  signAll,
  signStep,
  type TestKey,
  type TestTerms,
} from '../support/signed-zone.ts';
import { diceOf, randomChange } from '../support/zone-changes.ts';
import { complaints, verifiers } from '../support/zone-verifiers.ts';

const digest = 'AB'.repeat(32);
const server = '@ NS ns.other.test.';
const hosts = Array.from({ length: 300 }, (_, at) => `host${at} A 192.0.2.${at % 256}`).join('\n');

const zones: Record<string, string> = {
  'case 77: of one name': server,
  'case 71: with wildcards': `
    ${server}
    * TXT "apex"
    *.wild A 192.0.2.1
    *.ent.wild MX 10 a.other.test.
    x.*.lit A 192.0.2.2
    a*b A 192.0.2.3`,
  'case 72: with empty non-terminals': `
    ${server}
    a.b.c.d A 192.0.2.1
    e.c.d A 192.0.2.2
    x.y.cut NS ns.other.test.
    *.p.q TXT "x"`,
  'case 73: with delegations': `
    ${server}
    plain NS ns.plain.example.test.
    ns.plain A 192.0.2.1
    deep.ns.plain A 192.0.2.2
    secure NS ns.secure.example.test.
    secure DS 1 13 2 ${digest}
    secure A 192.0.2.9
    secure TXT "not ours to say"
    ns.secure AAAA 2001:db8::1
    inner.secure NS ns.other.test.
    inner.secure DS 2 13 2 ${digest}
    a.b.deep NS ns.other.test.
    a.b.deep DS 3 13 2 ${digest}`,
  'case 74: with a DNAME and CNAMEs': `
    ${server}
    old DNAME new.example.test.
    old A 192.0.2.1
    www CNAME web.example.test.
    *.alias CNAME www.example.test.
    www.new A 192.0.2.2`,
  'case 74: with a DNAME at the apex': `
    ${server}
    @ DNAME other.test.
    @ TXT "apex"`,
  'case 75: with names and types of all kinds': `
    ${server}
    mx MX 10 a.other.test.
    srv SRV 1 2 3 a.other.test.
    svcb SVCB 1 a.other.test. alpn=h2
    naptr NAPTR 1 2 "s" "x" "" a.other.test.
    rp RP a.other.test. b.other.test.
    kx KX 1 a.other.test.
    afsdb AFSDB 1 a.other.test.
    many TXT "b"
    many TXT "a"
    many TXT "ab" "c"
    many TXT ""
    hinfo HINFO "CPU" "OS"
    minfo TYPE14 \\# 6 01410001420000
    dot\\.dot A 192.0.2.1
    nul\\000 A 192.0.2.2
    high\\255 A 192.0.2.3`.replace(/minfo.*\n/, 'rt TYPE21 \\# 5 0001014100\n'),
  'case 79: with types in several windows': `
    ${server}
    @ CAA 0 issue "x"
    caa CAA 0 issue "x"
    caa A 192.0.2.1
    far TYPE65280 \\# 1 00
    far TYPE1234 \\# 0
    far URI 1 2 "https://other.test/"`,
  'of several hundred names': `${server}\n${hosts}`,
};

const now = Date.now();
const keySets = new Map<string, TestKey[]>();

beforeAll(async () => {
  for (const { number } of algorithms) {
    keySets.set(`${number} csk`, [await makeKey(number, 'csk')]);
    const ksk = await makeKey(number, 'ksk');
    keySets.set(`${number} split`, [ksk, await makeKey(number, 'zsk', 'active', [ksk])]);
  }
});

needsPeers(...verifiers)('verifiers of other programs', () => {
  const whole = recordsOf(Object.values(zones).slice(0, 4).join('\n')).filter(distinct());
  const everything = [...whole, ...recordsOf(hosts)];

  const ways = algorithms.flatMap(({ number, name }) =>
    ['csk', 'split'].flatMap((layout) =>
      (['nsec', 'nsec3'] as const).map((denial) => ({ number, name, layout, denial })),
    ),
  );
  it.each(sampleOf(ways, 10))(
    'accept a zone signed with $name, $layout, $denial, and its steps',
    async ({ number, layout, denial }) => {
      const keys = keySets.get(`${number} ${layout}`)!;
      const terms = (): TestTerms => ({ apex: exampleApex, serial: 1, keys, denial, now });
      const zone = new MemoryZone(number === 13 ? everything : whole);
      signAll(zone, terms());
      expect(await complaints(zone, terms())).toEqual([]);
      await walk(zone, terms(), stepsFor(number), 17 * number);
    },
  );

  for (const denial of ['nsec', 'nsec3'] as const) {
    it(`case 76: accept a zone with ${denial} whose signatures are renewed in time`, async () => {
      const keys = keySets.get('13 split')!;
      const terms: TestTerms = { apex: exampleApex, serial: 1, keys, denial, now };
      const zone = new MemoryZone(whole);
      signAll(zone, terms);
      await walk(zone, terms, isLong ? 200 : 12, 5, 4 * 86_400_000);
    });
  }

  for (const [title, text] of Object.entries(zones)) {
    for (const denial of ['nsec', 'nsec3'] as const) {
      it(`${title}: accept the zone with ${denial}`, async () => {
        const keys = keySets.get('13 csk')!;
        const terms: TestTerms = { apex: exampleApex, serial: 1, keys, denial, now };
        const zone = new MemoryZone(recordsOf(text));
        signAll(zone, terms);
        expect(await complaints(zone, terms)).toEqual([]);
      });
    }
  }
});

/** Steps for each combination: many only where signing is fast. */
function stepsFor(algorithm: number): number {
  if (isLong) return algorithm === 13 || algorithm === 15 ? 200 : 20;
  return algorithm === 13 ? 3 : 1;
}

/** Takes random steps, each signed by itself and judged; time passes between them if asked to. */
async function walk(
  zone: MemoryZone,
  start: TestTerms,
  steps: number,
  seed: number,
  msPerStep = 1,
) {
  const dice = diceOf(seed);
  let terms = start;
  for (let step = 0; step < steps; step++) {
    terms = { ...terms, serial: terms.serial + 1, now: terms.now + dice(msPerStep) };
    const change = randomChange(zone, dice, { hidesBelowDname: false });
    const revisit = [...zone.records()].map((each) => each.owner);
    signStep(zone, terms, msPerStep > 0 ? { ...change, revisit } : change);
    expect({ step, found: await complaints(zone, terms) }).toEqual({ step, found: [] });
  }
}

/** Keeps the first of equal records: the zones above all begin with the same NS. */
function distinct() {
  const seen = new Set<string>();
  return (record: { owner: string; type: number; rdata: Buffer }) => {
    const key = `${record.owner} ${record.type} ${record.rdata.toString('hex')}`;
    return !seen.has(key) && seen.add(key);
  };
}
