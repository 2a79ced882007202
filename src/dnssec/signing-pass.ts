/**
 * One pass of signing: what it signs under, and its settled view of what belongs at the apex.
 *
 * RFC 9077: records that deny live for min(SOA minimum, SOA TTL). DNSKEY, CDS, CDNSKEY and
 * NSEC3PARAM have the TTL of the SOA, which is the zone's default.
 */
import { assert } from '../base/problem.ts';
import { type NameKey, nameToWire } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { SigningAudit } from './audit.ts';
import { type Denial, type DenialMode, denialOf, nsec3Parameters } from './denial.ts';
import type { KeyPlan } from './key-plan.ts';
import type { Rrset } from './rrset.ts';
import type { SecondOpinion } from './second-opinion.ts';
import type { Signer } from './signer.ts';
import type { SignatureLife } from './window.ts';

/** How a zone is signed, as it is after the step that the pass belongs to. */
export interface SigningSettings {
  /** Absolute name of the apex. */
  readonly apex: NameKey;
  /** The SOA of the new serial; it is no stored record, so its signature is made from this. */
  readonly soaTtl: number;
  readonly soaRdata: Buffer;
  readonly denial: DenialMode;
  readonly life: SignatureLife;
}

export interface SigningPass {
  readonly settings: SigningSettings;
  readonly plan: KeyPlan;
  readonly apexWire: Buffer;
  readonly denial: Denial;
  /** TTL of NSEC and NSEC3. */
  readonly denialTtl: number;
  readonly nowSeconds: number;
  /** False when stored signatures are not to be used again. */
  readonly reuse: boolean;
  readonly audit: SigningAudit;
}

export function startPass(
  settings: SigningSettings,
  plan: KeyPlan,
  now: number,
  secondOpinion: SecondOpinion,
  reuse = true,
): SigningPass {
  // A signature without a time would be published, and valid never.
  assert(Number.isSafeInteger(Math.floor(now / 1000)), 'a pass has a time');
  return {
    settings,
    plan,
    apexWire: nameToWire(settings.apex),
    denial: denialOf(settings.denial, settings.apex),
    denialTtl: denialTtlOf(settings),
    nowSeconds: Math.floor(now / 1000),
    reuse,
    audit: new SigningAudit(secondOpinion),
  };
}

function denialTtlOf({ soaTtl, soaRdata }: SigningSettings): number {
  return Math.min(soaTtl, soaRdata.readUInt32BE(soaRdata.length - 4));
}

/** The RRsets that signing puts at the apex beside what the user stores there: SOA first. */
export function apexRrsets({ settings, plan }: SigningPass): Rrset[] {
  const { soaTtl: ttl, soaRdata, denial } = settings;
  const rrsets: Rrset[] = [
    { type: rrtype.SOA, ttl, rdatas: [soaRdata] },
    { type: rrtype.DNSKEY, ttl, rdatas: plan.dnskeys },
    { type: rrtype.CDS, ttl, rdatas: plan.cds },
    { type: rrtype.CDNSKEY, ttl, rdatas: plan.cdnskeys },
  ];
  if (denial === 'nsec3') rrsets.push({ type: rrtype.NSEC3PARAM, ttl, rdatas: [nsec3Parameters] });
  return rrsets.filter((rrset) => rrset.rdatas.length > 0);
}

/** The keys that sign RRsets of a type. */
export function signersFor({ plan }: SigningPass, type: number): readonly Signer[] {
  if (type === rrtype.DNSKEY) return plan.dnskeySigners;
  if (type === rrtype.CDS || type === rrtype.CDNSKEY) return plan.cdsSigners;
  return plan.dataSigners;
}
