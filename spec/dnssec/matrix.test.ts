/**
 * Every algorithm, denial and layout through the service: three other programs judge the zone, as it is
 * transferred, after it is signed and after each of many random changes, and what was signed step by
 * step is what a full re-sign gives (cases 17, 71 to 79; zones with every shape).
 *
 * An ordinary run takes a sample: each algorithm once, with few changes. LONG_TESTS=1 takes all
 * combinations, with 200 changes each, and for half of them a few more in a zone of 10,000 names.
 */
import { describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../src/dns/record.ts';
import { algorithms } from '../../src/dnssec/algorithm.ts';
import { InProcessService } from '../support/in-process.ts';
import { largeZone } from '../support/large-zone.ts';
import { isLong, sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { ServiceZone } from '../support/service-zone.ts';
import { recordsOf } from '../support/signed-zone.ts';
import { startTransferServer } from '../support/transfer-server.ts';
import { type Dice, diceOf, randomChange } from '../support/zone-changes.ts';
import { transferOf } from '../support/zone-servers.ts';
import { verifiers } from '../support/zone-verifiers.ts';

const digest = 'AB'.repeat(32);
const nameServer = '@ NS ns.other.test.';
const parents = { parent_ns_addrs: ['192.0.2.1'] };

/** Delegations with and without DS, glue, empty non-terminals, wildcards, CNAME, DNAME. */
const shapes = `
  ${nameServer}
  @ MX 10 a.other.test.
  ns1 A 192.0.2.1
  * TXT "apex"
  *.wild A 192.0.2.1
  *.ent.wild MX 10 a.other.test.
  x.*.lit A 192.0.2.2
  q.w.e.r AAAA 2001:db8::1
  plain NS ns.plain.example.test.
  ns.plain A 192.0.2.1
  secure NS ns.secure.example.test.
  secure DS 1 13 2 ${digest}
  secure TXT "not ours to say"
  ns.secure AAAA 2001:db8::1
  k.l.deep NS ns.other.test.
  k.l.deep DS 3 13 2 ${digest}
  n.m.bare NS ns.other.test.
  old DNAME new.example.test.
  www CNAME web.example.test.
  *.alias CNAME www.example.test.
  www.new A 192.0.2.2
  caa CAA 0 issue "x"
  far TYPE65280 \\# 1 00
  far URI 1 2 "https://other.test/"`;

const hosts = Array.from({ length: 320 }, (_, at) => `host${at} A 192.0.2.${at % 256}`).join('\n');

interface Combination {
  readonly algorithm: string;
  readonly denial: 'nsec' | 'nsec3';
  readonly split: boolean;
  readonly changes: number;
  /** Several hundred names besides, which fill several blocks. */
  readonly hasHosts: boolean;
  /** Of the zone with thousands of names, which takes seconds to judge. */
  readonly largeChanges: number;
  readonly seed: number;
}

/** Where judging a zone of 10,000 names takes a minute of the processor. */
const isJudgedSlowly = (algorithm: string) => /384|448/.test(algorithm);

const all = algorithms.map(({ name: algorithm, number }) =>
  (['nsec', 'nsec3'] as const).flatMap((denial) =>
    [false, true].map((split): Combination => {
      const seed = number * 4 + (denial === 'nsec' ? 0 : 2) + (split ? 1 : 0);
      const hasHosts = algorithm === 'ecdsap256sha256';
      const largeChanges =
        isLong && (denial === 'nsec') === split ? (isJudgedSlowly(algorithm) ? 1 : 3) : 0;
      const changes = isLong ? 200 : 4;
      return { algorithm, denial, split, changes, hasHosts, largeChanges, seed };
    }),
  ),
);
const taken = all.flatMap((combinations) => sampleOf(combinations, 1));

needsPeers(...verifiers, 'dig')('verifiers of other programs accept', () => {
  describe.for(taken)('$algorithm, $denial, split $split', (combination) => {
    it('the zone when it is enabled and after each change, which equals a re-sign', async () => {
      const service = new InProcessService();
      try {
        await liveThrough(service, combination);
      } finally {
        await service.close();
      }
    }, 3_600_000);
  });
});

async function liveThrough(service: InProcessService, combination: Combination): Promise<void> {
  const { algorithm, denial, split, changes, largeChanges, hasHosts, seed } = combination;
  await using server = await startTransferServer(service.folder);
  const policy = { name: 'wanted', algorithm, denial, split_keys: split };
  await service.call('POST', '/dnssec-policies', policy);
  const wanted = { ...parents, policy_name: 'wanted' };

  const dice = diceOf(seed);
  const lives = async (name: string, records: ResourceRecord[], steps: number) => {
    const zone = await ServiceZone.create(service, name, records);
    const judge = async () => zone.complaints(await transferOf(server.port, name));
    await zone.dnssec('POST', '', wanted);
    expect(await judge()).toEqual([]);
    await changeAtRandom(zone, steps, dice, judge);

    // Time passes, so that no new signature is the old one by chance.
    service.pass(2000);
    const before = { meaning: await zone.meaning(), signatures: new Set(await zone.signatures()) };
    await zone.dnssec('POST', '/sign');
    expect(await zone.meaning()).toEqual(before.meaning);
    expect((await zone.signatures()).filter((each) => before.signatures.has(each))).toEqual([]);
    expect(await judge()).toEqual([]);
  };
  await lives('single.test', recordsOf(nameServer), 0);
  await lives('example.test', recordsOf(hasHosts ? `${shapes}\n${hosts}` : shapes), changes);
  if (largeChanges > 0) await lives('large.test', largeZone(10_000), largeChanges);
  expect(await service.verify()).toEqual([]);
}

/** Changes by bulks, by files of the whole zone, and every now and then by going back. */
async function changeAtRandom(
  zone: ServiceZone,
  changes: number,
  dice: Dice,
  judge: () => Promise<string[]>,
): Promise<void> {
  const past: { serial: number; records: ResourceRecord[] }[] = [];
  for (let step = 0; step < changes; step++) {
    const here = { serial: await zone.serial(), records: [...zone.records.records()] };
    // A change may come to nothing, and then there is no step to go back over.
    const older = past.filter(({ serial }) => serial < here.serial);
    past.push(here);
    if (older.length > 0 && dice(6) === 0) {
      const { serial, records } = older[dice(older.length)]!;
      await zone.rollback(serial, records);
    } else {
      await zone.apply(randomChange(zone.records, dice, { hidesBelowDname: false }));
    }
    expect({ step, complaints: await judge() }).toEqual({ step, complaints: [] });
  }
}
