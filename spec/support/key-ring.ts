/** Keys of a zone on an imagined clock, for what is decided about them without a database. */
import type { Problem } from '../../src/base/problem.ts';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import { keyTagOf } from '../../src/dnssec/dnskey.ts';
import { enableKeys, type KeyRing } from '../../src/dnssec/key-roll.ts';
import type { WaitFacts } from '../../src/dnssec/key-timing.ts';
import type { KeyTerms, ZoneKey } from '../../src/dnssec/zone-key.ts';

export const second = 1000;
export const day = 86_400 * second;
export const start = Date.UTC(2026, 0, 1);
export const facts: WaitFacts = {
  dnskeyTtlSeconds: 3600,
  largestTtlSeconds: 7200,
  soaRefreshSeconds: 300,
  parentDsTtlSeconds: 86_400,
};
/** Of the zone that the keys belong to. */
const apex = parseAbsoluteName('example.test');
let lastId = 0;

export function keyOf(terms: KeyTerms): ZoneKey {
  const id = ++lastId;
  const flags = terms.role === 'zsk' ? 0 : 1;
  const dnskey = Buffer.from([1, flags, 3, terms.algorithm, id >> 8, id & 0xff]);
  return { ...terms, id, dnskey, keyTag: keyTagOf(dnskey), dsSeenAt: null };
}

export function ringOf(keys: readonly ZoneKey[]): KeyRing {
  return { zoneName: 'example.test', apex, keys };
}

export function enabled(algorithm: number, splitKeys: boolean): ZoneKey[] {
  return enableKeys({ algorithm, splitKeys }, facts, start).map(keyOf);
}

/** The code of the problem that `run` throws. */
export function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Problem).code;
  }
  return 'nothing was refused';
}
