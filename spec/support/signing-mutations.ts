/** Steps that only change how zones are signed, for properties of what is stored. */
import fc from 'fast-check';
import { generateKey, serializePrivateKey } from '../../src/dnssec/key-pair.ts';
import { nobleVerifier } from '../../src/dnssec/noble.ts';
import type { MadeKey } from '../../src/domain/signing.ts';
import { type Mutation, mutation } from './mutations.ts';
import type { StoredZones } from './stored-zones.ts';

const algorithm = 15;

/** Keys to sign with, made once: making them is not what is tested. */
export async function makeKeys(count: number): Promise<readonly Omit<MadeKey, 'id'>[]> {
  const keys: Omit<MadeKey, 'id'>[] = [];
  while (keys.length < count) {
    const taken = keys.map(({ dnskey }) => dnskey);
    const { dnskey, privateKey } = await generateKey(algorithm, true, taken, nobleVerifier);
    keys.push({ algorithm, role: 'csk', dnskey, privateKey: serializePrivateKey(privateKey) });
  }
  return keys;
}

/** Policies that the mutations name. */
export async function createPolicies(stored: StoredZones): Promise<void> {
  await stored.run({ kind: 'ensure-default-policy' });
  const fixed = { algorithm: 'ed25519', signatureValidityDays: 10, signatureRefreshDays: 5 };
  for (const denial of ['nsec', 'nsec3']) {
    await stored.run({ kind: 'create-policy', name: denial, denial, ...fixed });
  }
}

/** Signs a zone for the first time, under a policy of `createPolicies`; no two zones share the id of a key. */
export async function signZone(
  stored: StoredZones,
  zone: string,
  denial: 'nsec' | 'nsec3',
  key: MadeKey,
): Promise<void> {
  await stored.run({
    kind: 'enable-signing',
    zoneName: zone,
    policyName: denial,
    parentNsAddrs: ['192.0.2.1'],
    keys: [key],
  });
}

const zoneName = fc.constantFrom('one.example', 'two.example');

/** Any change of two zones, and about as many that only sign them. */
export function signedMutation(keys: readonly Omit<MadeKey, 'id'>[]): fc.Arbitrary<Mutation> {
  const used = new WeakMap<StoredZones, number>();
  const nextKey = (stored: StoredZones): MadeKey => {
    const id = (used.get(stored) ?? 0) + 1;
    used.set(stored, id);
    return { id, ...keys[id % keys.length]! };
  };
  const enable = fc.tuple(zoneName, fc.constantFrom('nsec', 'nsec3')).map(
    ([zone, policyName]): Mutation =>
      (stored) => ({
        kind: 'enable-signing',
        zoneName: zone,
        policyName,
        parentNsAddrs: ['192.0.2.1'],
        keys: [nextKey(stored)],
      }),
  );
  const plain = (make: (zone: string) => ReturnType<Mutation>) =>
    zoneName.map(
      (zone): Mutation =>
        () =>
          make(zone),
    );
  return fc.oneof(
    { weight: 6, arbitrary: mutation },
    { weight: 3, arbitrary: enable },
    {
      weight: 3,
      arbitrary: plain((zone) => ({ kind: 'sign-zone', zoneName: zone, reason: 're-signed' })),
    },
    {
      weight: 1,
      arbitrary: plain((zone) => ({
        kind: 'disable-signing',
        zoneName: zone,
        skipDsCheck: true,
        said: null,
      })),
    },
    { weight: 1, arbitrary: plain((zone) => ({ kind: 'withdraw-ds', zoneName: zone })) },
    { weight: 1, arbitrary: plain((zone) => ({ kind: 'cancel-withdrawal', zoneName: zone })) },
    {
      weight: 1,
      arbitrary: fc.tuple(zoneName, fc.integer({ min: 1, max: 9 })).map(
        ([zone, last]): Mutation =>
          () => ({
            kind: 'configure-signing',
            zoneName: zone,
            policyName: undefined,
            parentNsAddrs: [`192.0.2.${last}`],
            keys: [],
          }),
      ),
    },
  );
}
