/**
 * One pass of signing: what it signs under, what belongs at the apex, and the audit of what it makes.
 *
 * RFC 9077: records that deny live for min(SOA minimum, SOA TTL). DNSKEY, CDS, CDNSKEY and
 * NSEC3PARAM have the TTL of the SOA, which is the zone's default.
 */
import { assert, Problem } from '../base/problem.ts';
import { emptyName, type NameKey, nameToWire, printAbsoluteName } from '../dns/name.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import { type Denial, type DenialMode, denialOf, nsec3Parameters } from './denial.ts';
import { publicKeyOfDnskey } from './dnskey.ts';
import type { KeyPlan } from './key-plan.ts';
import { type Authority, type Rrset, signedRrsets } from './rrset.ts';
import type { MadeSignature, SignatureLifetime } from './rrsig.ts';
import type { Verifier } from './noble.ts';
import type { Signer } from './key-pair.ts';

/** How a zone is signed, as it is after the step that the pass belongs to. */
export interface SigningSettings {
  /** Absolute name of the apex. */
  readonly apex: NameKey;
  /** The SOA of the new serial; it is no stored record, so its signature is made from this. */
  readonly soaTtl: number;
  readonly soaRdata: Buffer;
  readonly denial: DenialMode;
  readonly lifetime: SignatureLifetime;
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
  verifier: Verifier,
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
    audit: new SigningAudit(verifier),
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

/** The RRsets that are signed at an owner, the denying record left out. */
export function signedAt(
  pass: SigningPass,
  owner: NameKey,
  authority: Authority,
  user: readonly Rrset[],
): Rrset[] {
  const signed = signedRrsets(authority, user);
  return owner === emptyName ? [...signed, ...apexRrsets(pass)] : [...signed];
}

/** The record by which an owner of the chain denies what is between it and the next. */
export function denialRrset(
  { denial, denialTtl: ttl }: SigningPass,
  next: NameKey,
  bitmap: Buffer,
): Rrset {
  return { type: denial.type, ttl, rdatas: [denial.rdata(next, bitmap)] };
}

/** The keys that sign RRsets of a type. */
export function signersFor({ plan }: SigningPass, type: number): readonly Signer[] {
  if (type === rrtype.DNSKEY) return plan.dnskeySigners;
  if (type === rrtype.CDS || type === rrtype.CDNSKEY) return plan.cdsSigners;
  return plan.dataSigners;
}

/**
 * Signatures that are checked at the start of each pass. The first is the one over the SOA, so that
 * even the smallest step is checked; a check takes milliseconds, hence no more.
 */
const firstChecked = 1;
/** After that, one signature in this number is checked: a check takes some hundred times as long as signing. */
const sampleInterval = 1000;

/**
 * The audit of a signing pass: every signature over the apex DNSKEY RRset, the first of the others
 * and a sample of the rest are checked by other code than made them, before anything is published.
 *
 * A signature that fails stops the pass with DNSSEC_SIGNING_FAILED: the zone stays as it was.
 */
class SigningAudit {
  readonly #verifier: Verifier;
  #made = 0;

  constructor(verifier: Verifier) {
    this.#verifier = verifier;
  }

  /** Signatures made in this pass. */
  get made(): number {
    return this.#made;
  }

  /** Hears of a signature just made, and checks it when it is its turn. */
  note(name: NameKey, type: number, signer: Signer, made: MadeSignature): void {
    const turn = this.#made++;
    const isSample = turn < firstChecked || turn % sampleInterval === 0;
    if (type !== rrtype.DNSKEY && !(isSample && this.#isDue())) return;
    const publicKey = publicKeyOfDnskey(signer.dnskey);
    const { data, signature } = made;
    if (this.#verifier.verify(signer.algorithm, publicKey, data, signature)) return;
    throw new Problem(
      'DNSSEC_SIGNING_FAILED',
      `the signature over ${printType(type)} at ${printAbsoluteName(name)} ` +
        `by key ${signer.keyTag} does not verify: nothing was published`,
    );
  }

  #isDue(): boolean {
    return this.#verifier.isDue?.() ?? true;
  }
}
