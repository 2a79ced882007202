/**
 * Signing a whole zone in one go: at first, when keys or the way to deny change, or when everything
 * is to be signed anew. Records stream through in canonical order; of a zone with NSEC3 the hashes and
 * bitmaps of its names are held, some 100 octets a name.
 *
 * Yielded are the owners whose derived records change, in canonical order. The last step of the
 * generator is the end of the audit: what was yielded may be published only when it has returned.
 */
import { emptyName, type NameKey, parentOf } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { derivedTypes, rrtype } from '../dns/rrtype.ts';
import { denialBitmap } from './chain-change.ts';
import { HashedLinks } from './hashed-links.ts';
import { type Rrset, rrsetsOf } from './rrset.ts';
import { type OwnerChange, settleOwner } from './settle-owner.ts';
import { apexRrsets, type SigningPass } from './signing-pass.ts';
import { occludesBelow, type Standing, signedRrsets, standingOf } from './standing.ts';
import { typeBitmap } from './type-bitmap.ts';

export interface WholeZone {
  /**
   * All records after the step, user and stored derived ones mixed, in canonical order, the SOA not
   * among them; the same each time it is asked.
   */
  records(): Iterable<ResourceRecord>;
  /** Types of user data that the step changes, when it comes with one. */
  changed?(owner: NameKey, type: number): boolean;
}

/** One owner on the way through a zone. */
interface Node {
  readonly owner: NameKey;
  readonly user: readonly Rrset[];
  readonly derived: readonly ResourceRecord[];
  readonly standing: Standing;
}

export function* signWhole(pass: SigningPass, zone: WholeZone): Generator<OwnerChange> {
  const settle = (node: Node, denial: Rrset | undefined): OwnerChange => {
    const wanted = [...signedRrsets(node.standing, node.user)];
    if (node.owner === emptyName) wanted.push(...apexRrsets(pass));
    if (denial !== undefined) wanted.push(denial);
    return settleOwner(pass, {
      owner: node.owner,
      wanted,
      stored: node.derived,
      inScope: () => true,
      changed: (type) => type === rrtype.SOA || (zone.changed?.(node.owner, type) ?? false),
    });
  };
  const steps = pass.denial.listsEmptyNames
    ? settleByHash(pass, zone, settle)
    : settleByName(pass, zone, settle);
  for (const change of steps) {
    if (change.removed.length > 0 || change.added.length > 0) yield change;
  }
}

type Settle = (node: Node, denial: Rrset | undefined) => OwnerChange;

/** NSEC: a name is settled when the next name of the chain has come by. */
function* settleByName(pass: SigningPass, zone: WholeZone, settle: Settle): Generator<OwnerChange> {
  let waiting: { readonly node: Node; readonly bitmap: Buffer } | undefined;
  /** Changes at names between the waiting one and the next of the chain. */
  let between: OwnerChange[] = [];
  const flush = function* (next: NameKey): Generator<OwnerChange> {
    if (waiting !== undefined) {
      yield settle(waiting.node, denialRrset(pass, next, waiting.bitmap));
    }
    yield* between;
    between = [];
  };
  for (const node of nodesOf(zone)) {
    const bitmap = ownBitmap(pass, node);
    if (bitmap === undefined) {
      const change = settle(node, undefined);
      if (change.removed.length > 0) between.push(change);
      continue;
    }
    yield* flush(node.owner);
    waiting = { node, bitmap };
  }
  yield* flush(emptyName);
}

/** NSEC3: first all hashes, then all owners, those of hashes among them. */
function* settleByHash(pass: SigningPass, zone: WholeZone, settle: Settle): Generator<OwnerChange> {
  const links = hashedLinks(pass, zone);
  const denialAt = (index: number) =>
    denialRrset(pass, links.owner(index + 1), links.bitmap(index));
  const bare = (owner: NameKey): Node => {
    return { owner, user: [], derived: [], standing: 'occluded' };
  };
  let index = 0;
  for (const node of nodesOf(zone)) {
    for (; index < links.count && links.owner(index) < node.owner; index++) {
      yield settle(bare(links.owner(index)), denialAt(index));
    }
    const isLink = index < links.count && links.owner(index) === node.owner;
    yield settle(node, isLink ? denialAt(index++) : undefined);
  }
  for (; index < links.count; index++) yield settle(bare(links.owner(index)), denialAt(index));
}

function denialRrset(pass: SigningPass, next: NameKey, bitmap: Buffer): Rrset {
  const { denial, denialTtl: ttl } = pass;
  return { type: denial.type, ttl, rdatas: [denial.rdata(next, bitmap)] };
}

/** The chain of hashed names in order, empty non-terminals among them (RFC 5155 7.1). */
function hashedLinks(pass: SigningPass, zone: WholeZone): HashedLinks {
  const links = new HashedLinks();
  let previous = emptyName;
  for (const node of nodesOf(zone)) {
    const bitmap = ownBitmap(pass, node);
    if (bitmap === undefined) continue;
    links.add(pass.denial.ownerFor(node.owner), bitmap);
    // A name above that holds nothing was not met before the first name below it.
    for (let above = parentOf(node.owner); above; above = parentOf(above)) {
      if (previous.startsWith(above)) break;
      links.add(pass.denial.ownerFor(above), typeBitmap([]));
    }
    previous = node.owner;
  }
  links.sort();
  return links;
}

/** The bitmap of a name in the chain by what it holds, or undefined when it is not. */
function ownBitmap(pass: SigningPass, { owner, user, standing }: Node): Buffer | undefined {
  if (standing === 'occluded') return undefined;
  if (owner === emptyName) return denialBitmap(pass, standing, [...user, ...apexRrsets(pass)]);
  return user.length === 0 ? undefined : denialBitmap(pass, standing, user);
}

/** The owners of a zone in order, the apex always among them. */
function* nodesOf(zone: WholeZone): Generator<Node> {
  let cover: NameKey | undefined;
  const nodeOf = (owner: NameKey, records: readonly ResourceRecord[]): Node => {
    const ofUser: ResourceRecord[] = [];
    const derived: ResourceRecord[] = [];
    for (const record of records) (derivedTypes.has(record.type) ? derived : ofUser).push(record);
    const user = rrsetsOf(ofUser);
    if (cover !== undefined && !owner.startsWith(cover)) cover = undefined;
    const standing = standingOf(owner, user, cover !== undefined);
    if (standing !== 'occluded') {
      const types = user.map((rrset) => rrset.type);
      if (occludesBelow(owner, types)) cover = owner;
    }
    return { owner, user, derived, standing };
  };
  let owner = emptyName;
  let records: ResourceRecord[] = [];
  for (const record of zone.records()) {
    if (record.owner !== owner) {
      yield nodeOf(owner, records);
      owner = record.owner;
      records = [];
    }
    records.push(record);
  }
  yield nodeOf(owner, records);
}
