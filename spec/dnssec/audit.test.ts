/** Case 83: what does not verify is not published. */
import { beforeAll, describe, expect, it } from 'vitest';
import { rrtype } from '../../src/dns/rrtype.ts';
import { signChange } from '../../src/dnssec/sign-change.ts';
import { signWhole } from '../../src/dnssec/sign-whole.ts';
import type { Signer } from '../../src/dnssec/key-pair.ts';
import type { SigningPass } from '../../src/dnssec/signing-pass.ts';
import {
  exampleApex,
  MemoryZone,
  makeKey,
  passOf,
  recordsOf,
  signAll,
  type TestKey,
  type TestTerms,
} from '../support/signed-zone.ts';

let keys: TestKey[];
beforeAll(async () => {
  const ksk = await makeKey(15, 'ksk');
  keys = [ksk, await makeKey(15, 'zsk', 'active', [ksk])];
});

const zoneText = `@ NS ns.other.test.\n${Array.from({ length: 2000 }, (_, at) => `h${at} A 192.0.2.1`).join('\n')}`;

/** A pass whose signer goes wrong from its nth signature on. */
function failing(role: 'dataSigners' | 'dnskeySigners', from: number): SigningPass {
  const terms: TestTerms = { apex: exampleApex, serial: 1, keys, denial: 'nsec', now: Date.now() };
  const pass = passOf(terms);
  let made = 0;
  const spoil = (signer: Signer): Signer => ({
    ...signer,
    sign: (data) => {
      const signature = signer.sign(data);
      if (made++ >= from) signature[7]! ^= 1;
      return signature;
    },
  });
  return { ...pass, plan: { ...pass.plan, [role]: pass.plan[role].map(spoil) } };
}

describe('case 83, invariant 14: a signature that does not verify', () => {
  it.each([
    ['of the SOA', 'dataSigners', 0],
    ['of DNSKEY', 'dnskeySigners', 0],
    ['somewhere in a large zone', 'dataSigners', 500],
  ] as const)('%s stops the pass', (_, role, from) => {
    const zone = new MemoryZone(recordsOf(zoneText));
    const pass = failing(role, from);
    const run = () => [...signWhole(pass, { records: () => zone.records() })];
    expect(run).toThrow(expect.objectContaining({ code: 'DNSSEC_SIGNING_FAILED' }));
  });

  it('stops a step as well, and nothing of the zone has changed', () => {
    const zone = new MemoryZone(recordsOf('@ NS ns.other.test.'));
    const terms: TestTerms = {
      apex: exampleApex,
      serial: 1,
      keys,
      denial: 'nsec',
      now: Date.now(),
    };
    signAll(zone, terms);
    const before = [...zone.records()];
    const change = { removed: [], added: recordsOf('w A 192.0.2.1') };
    expect(() => signChange(failing('dataSigners', 0), zone, change)).toThrow(/does not verify/);
    expect([...zone.records()]).toEqual(before);
    expect(before.filter((record) => record.type === rrtype.RRSIG)).toHaveLength(6);
  });
});
