/**
 * Incremental signing: what a step of the zone does to its DNSSEC records. The cost follows the
 * step: it looks at the owners that the step touches, at their neighbours in the denial chain, at the
 * apex, and at names that a delegation or DNAME of the step hides or uncovers.
 *
 * The result is what signing the whole zone again would give, except that signatures which still fit
 * are kept. Not for steps that change the zone's ways: see `needsWholePass`.
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { planChainChange } from './chain.ts';
import { ChangedZone, type UserChange, type ZoneView } from './zone-view.ts';
import { type Rrset, authorityOf } from './rrset.ts';
import { readSignature, typeCovered } from './rrsig.ts';
import { type OwnerChange, reconcileOwner } from './reconcile-owner.ts';
import { signedAt, type SigningPass } from './signing-pass.ts';

/** The DNSSEC records that a change removes and adds, each set in canonical order. */
export interface SignedChange {
  readonly dnssecRemoved: readonly ResourceRecord[];
  readonly dnssecAdded: readonly ResourceRecord[];
  /** How many signatures were made. */
  readonly signatures: number;
}

/**
 * Signs a step. The pass knows the settings and keys after it; `view` is the zone before it, which has to
 * be signed in their way already.
 */
export function signChange(pass: SigningPass, view: ZoneView, change: UserChange): SignedChange {
  const zone = new ChangedZone(view, change);
  const touched = touchedOwners(zone, change);
  const chain = planChainChange(pass, zone, touched);
  const { type: denialType } = pass.denial;

  const dnssecRemoved: ResourceRecord[] = [];
  const dnssecAdded: ResourceRecord[] = [];
  for (const owner of new Set([...touched, ...chain.keys()])) {
    const isTouched = touched.has(owner);
    const isLinked = chain.has(owner);
    const wanted: Rrset[] = isTouched ? wantedAt(pass, zone, owner) : [];
    const denial = chain.get(owner);
    if (denial !== undefined) wanted.push(denial);
    const changedTypes = zone.changedTypes(owner);
    const reconciled = reconcileOwner(pass, {
      owner,
      wanted,
      stored: zone.dnssec(owner),
      inScope: (type) => (type === denialType ? isLinked : isTouched),
      changed: (type) => type === rrtype.SOA || changedTypes.has(type),
    });
    collect(reconciled, dnssecRemoved, dnssecAdded);
  }
  return {
    dnssecRemoved: dnssecRemoved.sort(compareRecords),
    dnssecAdded: dnssecAdded.sort(compareRecords),
    signatures: pass.audit.made,
  };
}

function collect(from: OwnerChange, removed: ResourceRecord[], added: ResourceRecord[]): void {
  for (const record of from.removed) removed.push(record);
  for (const record of from.added) added.push(record);
}

/** The owners whose own signatures may change: the apex is one, because the serial moves. */
function touchedOwners(zone: ChangedZone, change: UserChange): ReadonlySet<NameKey> {
  const revisited = change.revisit ?? [];
  return new Set([emptyName, ...zone.changedOwners, ...revisited, ...zone.coveredOwners()]);
}

/** True when delegations or DNAMEs of a step hide or uncover more than `max` owners. */
export function hidesMany(view: ZoneView, change: UserChange, max: number): boolean {
  const hides = ({ type }: ResourceRecord) => type === rrtype.NS || type === rrtype.DNAME;
  if (!change.removed.some(hides) && !change.added.some(hides)) return false;
  let count = 0;
  for (const _ of new ChangedZone(view, change).coveredOwners()) if (++count > max) return true;
  return false;
}

/** The RRsets that are signed at a touched owner, the denying record left out. */
function wantedAt(pass: SigningPass, zone: ChangedZone, owner: NameKey): Rrset[] {
  const rrsets = zone.after(owner);
  return signedAt(pass, owner, authorityOf(owner, rrsets, zone.isOccluded(owner)), rrsets);
}

/**
 * True when a step can not be signed by itself: the zone is not signed yet, denies in another way
 * or with another TTL, or other keys than now signed its data. Then `signWhole` does it.
 */
export function needsWholePass(pass: SigningPass, view: ZoneView): boolean {
  const dnssec = view.dnssec(emptyName);
  const signers = new Set<string>();
  for (const { type, rdata } of dnssec) {
    if (type !== rrtype.RRSIG || typeCovered(rdata) !== rrtype.SOA) continue;
    const { algorithm, keyTag } = readSignature(rdata);
    signers.add(`${algorithm} ${keyTag}`);
  }
  const wanted = pass.plan.dataSigners.map(({ algorithm, keyTag }) => `${algorithm} ${keyTag}`);
  if (signers.size !== wanted.length || wanted.some((each) => !signers.has(each))) return true;
  const nsec3 = dnssec.some((record) => record.type === rrtype.NSEC3PARAM);
  if (nsec3 !== (pass.settings.denial === 'nsec3')) return true;
  return storedDenialTtl(pass, view) !== pass.denialTtl;
}

function storedDenialTtl({ denial }: SigningPass, view: ZoneView): number | undefined {
  const owner = view.lastHolding(denial.type, undefined);
  if (owner === undefined) return undefined;
  return view.dnssec(owner).find((record) => record.type === denial.type)?.ttl;
}
