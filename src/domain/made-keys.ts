/** Keys that were made before the command that brings them in, fitted to what it needs by now. */
import { Problem } from '../base/problem.ts';
import { keyTagOf, tagsOfKey } from '../dnssec/dnskey.ts';
import type { KeyTerms, ZoneKey } from '../dnssec/zone-key.ts';
import type { SecretChange } from './access/secret.ts';
import type { MadeKey } from './signing.ts';
import type { Zone } from './zone.ts';

/**
 * One key for each of the terms. The zone may have changed since they were made: then the caller is to
 * try again.
 */
export function keysOf(
  terms: readonly KeyTerms[],
  made: readonly MadeKey[],
  others: readonly ZoneKey[],
): ZoneKey[] {
  const taken = new Set(others.flatMap(({ dnskey }) => tagsOfKey(dnskey)));
  return terms.map((each) => {
    const key = made.find(
      ({ algorithm, role }) => algorithm === each.algorithm && role === each.role,
    );
    if (key === undefined || tagsOfKey(key.dnskey).some((tag) => taken.has(tag))) {
      throw new Problem(
        'DNSSEC_ROLLOVER_IN_PROGRESS',
        'the keys of the zone have changed meanwhile; try again',
      );
    }
    return {
      ...each,
      id: key.id,
      keyTag: keyTagOf(key.dnskey),
      dnskey: key.dnskey,
      dsSeenAt: null,
    };
  });
}

export function secretsOf(zone: Zone, made: readonly MadeKey[]): SecretChange[] {
  return made.map(({ id, privateKey }) => ({
    kind: 'put-signing-key',
    keyId: id,
    zoneId: zone.id,
    privateKey,
  }));
}
