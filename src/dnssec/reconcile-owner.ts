/**
 * Reconciles the DNSSEC records of one owner: which of the stored ones stay, which go, and which are
 * new. A signature stays while its RRset, its key and its validity fit; everything else is made again.
 */
import { joinNames, type NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { dnssecTypes, rrtype } from '../dns/rrtype.ts';
import type { Rrset } from './rrset.ts';
import {
  isFresh,
  readSignature,
  signedLabels,
  signRrset,
  typeCovered,
  validityFor,
  validityOf,
} from './rrsig.ts';
import type { Signer } from './key-pair.ts';
import { type SigningPass, signersFor } from './signing-pass.ts';

/** DNSSEC records of one owner that are removed and added, each set in canonical order. */
export interface OwnerChange {
  readonly owner: NameKey;
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

/** What is asked about one owner. */
export interface OwnerWork {
  readonly owner: NameKey;
  /** Everything that is to be signed here, user data and DNSSEC data alike. */
  readonly wanted: readonly Rrset[];
  /** The DNSSEC records as stored, signatures among them. */
  readonly stored: readonly ResourceRecord[];
  /** Types that this work is about; stored records of others, and their signatures, are let be. */
  readonly inScope: (type: number) => boolean;
  /** Types of user data that differ from what the stored signatures were made over. */
  readonly changed: (type: number) => boolean;
}

export function reconcileOwner(pass: SigningPass, work: OwnerWork): OwnerChange {
  const removed: ResourceRecord[] = [];
  const added: ResourceRecord[] = [];
  const changed = reconcileData(work, removed, added);
  const signedBy = keepSignatures(pass, work, changed, removed);
  for (const rrset of work.wanted) {
    for (const signer of signersFor(pass, rrset.type)) {
      if (signedBy.get(rrset.type)?.has(signer)) continue;
      added.push(makeSignature(pass, work.owner, rrset, signer));
    }
  }
  return {
    owner: work.owner,
    removed: removed.sort(compareRecords),
    added: added.sort(compareRecords),
  };
}

/** Compares DNSSEC data other than signatures. Returns the types whose signatures are void. */
function reconcileData(
  work: OwnerWork,
  removed: ResourceRecord[],
  added: ResourceRecord[],
): ReadonlySet<number> {
  const changed = new Set<number>();
  const { owner, wanted, stored } = work;
  for (const record of stored) {
    if (record.type === rrtype.RRSIG || !work.inScope(record.type)) continue;
    const rrset = wanted.find((each) => each.type === record.type);
    if (rrset?.ttl === record.ttl && rrset.rdatas.some((rdata) => rdata.equals(record.rdata))) {
      continue;
    }
    removed.push(record);
    changed.add(record.type);
  }
  for (const { type, ttl, rdatas } of wanted) {
    if (work.changed(type)) changed.add(type);
    if (!dnssecTypes.has(type)) continue;
    for (const rdata of rdatas) {
      const kept = stored.some(
        (record) => record.type === type && record.ttl === ttl && record.rdata.equals(rdata),
      );
      if (kept) continue;
      added.push({ owner, type, ttl, rdata });
      changed.add(type);
    }
  }
  return changed;
}

/** Sorts stored signatures into those that go and those that stay; returns who need not sign. */
function keepSignatures(
  pass: SigningPass,
  work: OwnerWork,
  changed: ReadonlySet<number>,
  removed: ResourceRecord[],
): ReadonlyMap<number, ReadonlySet<Signer>> {
  const signedBy = new Map<number, Set<Signer>>();
  for (const record of work.stored) {
    if (record.type !== rrtype.RRSIG) continue;
    const type = typeCovered(record.rdata);
    if (!work.inScope(type)) continue;
    const rrset = work.wanted.find((each) => each.type === type);
    const signer =
      rrset === undefined || changed.has(type) || !pass.reuse
        ? undefined
        : signerStillFit(pass, work.owner, rrset, record);
    const known = signedBy.get(type) ?? new Set();
    if (signer === undefined || known.has(signer)) removed.push(record);
    else signedBy.set(type, known.add(signer));
  }
  return signedBy;
}

/** The signer whose stored signature over an unchanged RRset may stay, if it may. */
function signerStillFit(
  pass: SigningPass,
  owner: NameKey,
  rrset: Rrset,
  record: ResourceRecord,
): Signer | undefined {
  const facts = readSignature(record.rdata);
  if (record.ttl !== rrset.ttl || facts.originalTtl !== rrset.ttl) return undefined;
  if (facts.labels !== signedLabels((pass.settings.apex + owner) as NameKey)) return undefined;
  const validity = validityOf(facts, pass.nowSeconds);
  if (!isFresh(validity, pass.settings.lifetime, pass.nowSeconds)) return undefined;
  return signersFor(pass, rrset.type).find(
    (signer) => signer.keyTag === facts.keyTag && signer.algorithm === facts.algorithm,
  );
}

function makeSignature(
  pass: SigningPass,
  owner: NameKey,
  rrset: Rrset,
  signer: Signer,
): ResourceRecord {
  const name = joinNames(owner, pass.settings.apex);
  const validity = validityFor(name, rrset.type, pass.settings.lifetime, pass.nowSeconds);
  const made = signRrset(name, pass.apexWire, rrset, signer, validity);
  pass.audit.note(name, rrset.type, signer, made);
  return { owner, type: rrtype.RRSIG, ttl: rrset.ttl, rdata: made.rdata };
}
