/**
 * What a step does to the denial chain: the owners whose denying record is made anew or goes. Names
 * join when they come to hold something the zone says with authority, with NSEC3 also when something
 * below them does (empty non-terminals, RFC 5155 7.1); they leave when that ends.
 */
import { assert } from '../base/problem.ts';
import { emptyName, type NameKey, printRelativeName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { relink } from './chain.ts';
import { type ChangedZone, namesAbove } from './changed-zone.ts';
import type { Rrset } from './rrset.ts';
import { apexRrsets, type SigningPass } from './signing-pass.ts';
import { listedTypes, signedRrsets, standingOf } from './standing.ts';
import { typeBitmap } from './type-bitmap.ts';

/** Owners whose denying record is to be this one, or none. */
export type ChainChange = ReadonlyMap<NameKey, Rrset | undefined>;

export function planChainChange(
  pass: SigningPass,
  zone: ChangedZone,
  touched: ReadonlySet<NameKey>,
): ChainChange {
  const { denial } = pass;
  const stored = (owner: NameKey) => storedDenial(zone, denial.type, owner);
  const bitmaps = new Map<NameKey, Buffer>();
  const joining: NameKey[] = [];
  const leaving: NameKey[] = [];
  const names = new Map<NameKey, NameKey>();
  for (const name of candidates(pass, touched)) {
    const owner = denial.ownerFor(name);
    refuseCollision(names, owner, name);
    const bitmap = bitmapAt(pass, zone, name);
    const isIn = stored(owner) !== undefined;
    if (bitmap === undefined) {
      if (isIn) leaving.push(owner);
      continue;
    }
    bitmaps.set(owner, bitmap);
    if (!isIn) joining.push(owner);
  }

  const links = relink(
    {
      before: (owner) => zone.lastHolding(denial.type, owner),
      next: (owner) => denial.nextOf(stored(owner)!.rdata),
    },
    joining,
    leaving,
  );
  const change = new Map<NameKey, Rrset | undefined>();
  for (const owner of leaving) change.set(owner, undefined);
  // An owner of a hash may be touched for itself: the signature of its NSEC3 runs out.
  const revisited = [...touched].filter((owner) => stored(owner) !== undefined);
  for (const owner of new Set([...links.keys(), ...bitmaps.keys(), ...revisited])) {
    if (change.has(owner)) continue;
    const old = stored(owner);
    const next = links.get(owner) ?? denial.nextOf(old!.rdata);
    const bitmap = bitmaps.get(owner) ?? denial.bitmapOf(old!.rdata);
    const rdatas = [denial.rdata(next, bitmap)];
    change.set(owner, { type: denial.type, ttl: pass.denialTtl, rdatas });
  }
  return change;
}

/** Names whose place in the chain, or bitmap, the step may change. */
function candidates(pass: SigningPass, touched: ReadonlySet<NameKey>): ReadonlySet<NameKey> {
  if (!pass.denial.listsEmptyNames) return touched;
  const names = new Set(touched);
  for (const owner of touched) {
    for (const above of namesAbove(owner)) names.add(above);
  }
  return names;
}

/** Two names of one hash can not both be denied and proven: such a step is refused. */
function refuseCollision(names: Map<NameKey, NameKey>, owner: NameKey, name: NameKey): void {
  const other = names.get(owner);
  if (other !== undefined && other !== name) {
    assert(
      false,
      `no two names have one NSEC3 hash, but ${printRelativeName(name)} and another do`,
    );
  }
  names.set(owner, name);
}

function storedDenial(zone: ChangedZone, type: number, owner: NameKey): ResourceRecord | undefined {
  return zone.derived(owner).find((record) => record.type === type);
}

/** The bitmap of a name after the step, or undefined when it is not in the chain. */
function bitmapAt(pass: SigningPass, zone: ChangedZone, name: NameKey): Buffer | undefined {
  const user = zone.after(name);
  if (user.length === 0 && name !== emptyName) {
    if (!pass.denial.listsEmptyNames || zone.isOccluded(name) || !zone.hasBelow(name)) {
      return undefined;
    }
    return typeBitmap([]);
  }
  const standing = standingOf(name, user, zone.isOccluded(name));
  if (standing === 'occluded') return undefined;
  const own = name === emptyName ? apexRrsets(pass) : [];
  return denialBitmap(pass, standing, [...user, ...own]);
}

/** The bitmap of a name that holds something (RFC 4035 2.3, RFC 5155 7.1). */
export function denialBitmap(
  pass: SigningPass,
  standing: 'authoritative' | 'delegation',
  rrsets: readonly Rrset[],
): Buffer {
  const types = listedTypes(standing, rrsets);
  const byNsec = pass.denial.type === rrtype.NSEC;
  if (byNsec) types.push(rrtype.NSEC);
  // An NSEC is signed at its own name; an NSEC3 is signed at another.
  if (byNsec || signedRrsets(standing, rrsets).length > 0) types.push(rrtype.RRSIG);
  return typeBitmap(types);
}
