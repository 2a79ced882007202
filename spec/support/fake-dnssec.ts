/** A door to signing that remembers what it was asked and shows one zone with one key. */
import type { DnssecStatus } from '../../src/background/dnssec/status.ts';
import { keyTagOf } from '../../src/dnssec/dnskey.ts';
import type { ZoneKey } from '../../src/dnssec/zone-key.ts';
import type { DnssecPolicy } from '../../src/domain/dnssec-policy.ts';
import { unsigned } from '../../src/domain/signing.ts';
import type { Zone } from '../../src/domain/zone.ts';
import type { SubmitOptions } from '../../src/writer/submission.ts';
import type { Services } from '../../src/http/services.ts';

type Operations = Services['dnssec'];

/** Flags, protocol and algorithm of a secure entry point for P-256, and a public key of no use. */
const dnskey = Buffer.concat([Buffer.of(1, 1, 3, 13), Buffer.alloc(64, 7)]);

export const fakeKey: ZoneKey = {
  id: 1,
  algorithm: 13,
  role: 'csk',
  state: 'active',
  keyTag: keyTagOf(dnskey),
  dnskey,
  createdAt: Date.UTC(2026, 0, 31, 12),
  stateChangedAt: Date.UTC(2026, 0, 31, 12),
  eligibleAt: null,
  cdsFrom: Date.UTC(2026, 1, 1, 12),
  dsFrom: Date.UTC(2026, 0, 31, 12),
  dsSeenAt: null,
};

export function fakeStatus(
  zone: Zone,
  policy: DnssecPolicy | null,
  more: Partial<DnssecStatus> = {},
): DnssecStatus {
  const at = Date.UTC(2026, 0, 31, 13);
  const parentNsAddrs = ['192.0.2.1:53'];
  const signing =
    policy === null
      ? { ...unsigned, parentNsAddrs }
      : { ...unsigned, parentNsAddrs, policyId: policy.id, keys: [fakeKey], signedAt: at };
  const none = {
    total: 0,
    expired: 0,
    future: 0,
    earliestExpiresAt: null,
    nextResignAt: null,
    expirations: new Map(),
  };
  return {
    zone,
    policy,
    signing,
    signatures: none,
    delegation: null,
    phases: [],
    toDo: null,
    warnings: [],
    at,
    ...more,
  };
}

/** One thing that was asked for. */
export interface Deed {
  readonly name: keyof Operations;
  readonly zone: string;
  readonly wanted?: object;
  readonly options?: SubmitOptions;
}

export function fakeDnssec(policy: DnssecPolicy, deeds: Deed[]): Operations {
  const noted = (name: keyof Operations) => async (zone: Zone, options: SubmitOptions) => {
    deeds.push({ name, zone: zone.name, options });
    return fakeStatus(zone, policy);
  };
  const asked =
    (name: keyof Operations) => async (zone: Zone, wanted: object, options: SubmitOptions) => {
      deeds.push({ name, zone: zone.name, wanted, options });
      return fakeStatus(zone, policy);
    };
  return {
    status: async (zone) => fakeStatus(zone, policy),
    enable: asked('enable'),
    configure: asked('configure'),
    async checkDs(zone) {
      deeds.push({ name: 'checkDs', zone: zone.name });
      return fakeStatus(zone, policy);
    },
    async delegation(zone) {
      deeds.push({ name: 'delegation', zone: zone.name });
      const { signing } = fakeStatus(zone, policy);
      return { zone, signing, delegation: { checkedAt: 0, answers: [] } };
    },
    roll: asked('roll'),
    promote: asked('promote'),
    abort: asked('abort'),
    withdraw: noted('withdraw'),
    cancelWithdraw: noted('cancelWithdraw'),
    async disable(zone, wanted, options) {
      await asked('disable')(zone, wanted, options);
      return { message: `zone '${zone.name}' is not signed any more` };
    },
    async sign(zone, options) {
      await noted('sign')(zone, options);
      return { message: `zone '${zone.name}' is signed anew` };
    },
  };
}
