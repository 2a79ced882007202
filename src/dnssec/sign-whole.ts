/**
 * Signing a whole zone in one go: at first, when keys or the way to deny change, or when everything
 * is to be signed anew. Records stream through in canonical order; of a zone with NSEC3 the hashes and
 * bitmaps of its names are held, some 100 bytes a name.
 *
 * Yielded are the owners whose DNSSEC records change, in canonical order. The last step of the
 * generator is the end of the audit: what was yielded may be published only when it has returned.
 */
import { assert } from '../base/problem.ts';
import { emptyName, type NameKey, parentOf } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { dnssecTypes, rrtype } from '../dns/rrtype.ts';
import { denialBitmap } from './chain.ts';
import { leavesNoWildcard, refuseLongName, typeBitmap } from './denial.ts';
import { occludesBelow, type Rrset, rrsetsOf, type Authority, authorityOf } from './rrset.ts';
import { type OwnerChange, reconcileOwner } from './reconcile-owner.ts';
import { apexRrsets, denialRrset, signedAt, type SigningPass } from './signing-pass.ts';

export interface WholeZone {
  /**
   * All records after the step, user and stored DNSSEC records mixed, in canonical order, the SOA not
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
  readonly dnssec: readonly ResourceRecord[];
  readonly authority: Authority;
}

export function* signWhole(pass: SigningPass, zone: WholeZone): Generator<OwnerChange> {
  const reconcile = (node: Node, denial: Rrset | undefined): OwnerChange => {
    const wanted = signedAt(pass, node.owner, node.authority, node.user);
    if (denial !== undefined) wanted.push(denial);
    return reconcileOwner(pass, {
      owner: node.owner,
      wanted,
      stored: node.dnssec,
      inScope: () => true,
      changed: (type) => type === rrtype.SOA || (zone.changed?.(node.owner, type) ?? false),
    });
  };
  const changes = pass.denial.listsEmptyNames
    ? reconcileByHash(pass, zone, reconcile)
    : reconcileByName(pass, zone, reconcile);
  for (const change of changes) {
    if (change.removed.length > 0 || change.added.length > 0) yield change;
  }
}

type Reconcile = (node: Node, denial: Rrset | undefined) => OwnerChange;

/** NSEC: a name is done when the next name of the chain has come by. */
function* reconcileByName(
  pass: SigningPass,
  zone: WholeZone,
  reconcile: Reconcile,
): Generator<OwnerChange> {
  let waiting: { readonly node: Node; readonly bitmap: Buffer } | undefined;
  /** Changes at names between the waiting one and the next of the chain. */
  let between: OwnerChange[] = [];
  const flush = function* (next: NameKey): Generator<OwnerChange> {
    if (waiting !== undefined) {
      yield reconcile(waiting.node, denialRrset(pass, next, waiting.bitmap));
    }
    yield* between;
    between = [];
  };
  for (const node of nodesOf(zone)) {
    const bitmap = ownBitmap(pass, node);
    if (bitmap === undefined) {
      const change = reconcile(node, undefined);
      if (change.removed.length > 0) between.push(change);
      continue;
    }
    yield* flush(node.owner);
    waiting = { node, bitmap };
  }
  yield* flush(emptyName);
}

/** NSEC3: first all hashes, then all owners, those of hashes among them. */
function* reconcileByHash(
  pass: SigningPass,
  zone: WholeZone,
  reconcile: Reconcile,
): Generator<OwnerChange> {
  const links = hashedLinks(pass, zone);
  const denialAt = (index: number) =>
    denialRrset(pass, links.owner(index + 1), links.bitmap(index));
  /** Holds nothing yet. */
  const hashed = (owner: NameKey): Node => {
    const name = links.longNames.get(owner);
    if (name !== undefined) refuseLongName(name, pass.settings.apex);
    return { owner, user: [], dnssec: [], authority: 'occluded' };
  };
  let index = 0;
  for (const node of nodesOf(zone)) {
    for (; index < links.count && links.owner(index) < node.owner; index++) {
      yield reconcile(hashed(links.owner(index)), denialAt(index));
    }
    const isLink = index < links.count && links.owner(index) === node.owner;
    yield reconcile(node, isLink ? denialAt(index++) : undefined);
  }
  for (; index < links.count; index++) yield reconcile(hashed(links.owner(index)), denialAt(index));
}

/** The chain of hashed names in order, empty non-terminals among them (RFC 5155 7.1). */
function hashedLinks(pass: SigningPass, zone: WholeZone): HashedLinks {
  const links = new HashedLinks();
  let previous = emptyName;
  for (const node of nodesOf(zone)) {
    const bitmap = ownBitmap(pass, node);
    if (bitmap === undefined) continue;
    const owner = pass.denial.ownerFor(node.owner);
    links.add(owner, bitmap);
    if (leavesNoWildcard(pass.denial.mode, node.owner, pass.settings.apex))
      links.longNames.set(owner, node.owner);
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
function ownBitmap(pass: SigningPass, { owner, user, authority }: Node): Buffer | undefined {
  if (authority === 'occluded') return undefined;
  if (owner === emptyName) return denialBitmap(pass, authority, [...user, ...apexRrsets(pass)]);
  return user.length === 0 ? undefined : denialBitmap(pass, authority, user);
}

/** The owners of a zone in order, the apex always among them. */
function* nodesOf(zone: WholeZone): Generator<Node> {
  let cover: NameKey | undefined;
  const nodeOf = (owner: NameKey, records: readonly ResourceRecord[]): Node => {
    const ofUser: ResourceRecord[] = [];
    const dnssec: ResourceRecord[] = [];
    for (const record of records) (dnssecTypes.has(record.type) ? dnssec : ofUser).push(record);
    const user = rrsetsOf(ofUser);
    if (cover !== undefined && !owner.startsWith(cover)) cover = undefined;
    const authority = authorityOf(owner, user, cover !== undefined);
    if (authority !== 'occluded' && occludesBelow(owner, user)) cover = owner;
    return { owner, user, dnssec, authority };
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

/** Characters of a hash, of five bits each, that are sorted by as numbers, which is ten times as fast. */
const sortedCharacters = 5;
/** Room for the place of a name beside them, in a number of 53 bits. */
const keySpan = 2 ** (53 - 5 * sortedCharacters);

/**
 * The chain of hashed names of a whole zone: collected in the order of the names, read in the order of
 * the hashes. Of each name its owner of NSEC3 and its bitmap are held, some 100 bytes.
 */
export class HashedLinks {
  readonly #owners: NameKey[] = [];
  readonly #bitmaps: Buffer[] = [];
  #order = new Uint32Array(0);
  /** By their hashes, names that may not join a chain of hashes. */
  readonly longNames = new Map<NameKey, NameKey>();

  get count(): number {
    return this.#owners.length;
  }

  /** `owner`: of the NSEC3, a hash in base32hex. */
  add(owner: NameKey, bitmap: Buffer): void {
    this.#owners.push(owner);
    this.#bitmaps.push(bitmap);
  }

  /** To be called once, after the last name and before anything is read. */
  sort(): void {
    const owners = this.#owners;
    const numbers = Float64Array.from(owners, (owner, at) => prefixOf(owner) * keySpan + at);
    numbers.sort();
    const order = Uint32Array.from(numbers, (number) => number % keySpan);
    // Few have the same first characters; those stand side by side.
    for (let index = 1; index < order.length; index++) {
      const moved = order[index]!;
      let to = index;
      while (to > 0 && owners[order[to - 1]!]! > owners[moved]!) {
        order[to] = order[to - 1]!;
        to--;
      }
      order[to] = moved;
    }
    for (let index = 1; index < order.length; index++) {
      const isOther = owners[order[index]!] !== owners[order[index - 1]!];
      assert(isOther, 'no two names have one NSEC3 hash');
    }
    this.#order = order;
  }

  /** The owner at a place of the chain; going around at the end, undefined never. */
  owner(index: number): NameKey {
    return this.#owners[this.#order[index % this.#order.length]!]!;
  }

  bitmap(index: number): Buffer {
    return this.#bitmaps[this.#order[index]!]!;
  }
}

/** The first characters of base32hex as a number, in the same order. */
function prefixOf(owner: NameKey): number {
  let prefix = 0;
  for (let at = 0; at < sortedCharacters; at++) {
    const code = owner.charCodeAt(at);
    prefix = prefix * 32 + (code <= nineCode ? code - zeroCode : code - aCode + 10);
  }
  return prefix;
}

const zeroCode = 0x30;
const nineCode = 0x39;
const aCode = 0x61;

/** User records that a change removes and adds, both sets in canonical order. */
interface ChangedRecords {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

/** A zone with a change laid over it. `records` gives all of it in canonical order, again each time. */
export function overlaidZone(
  records: () => Iterable<ResourceRecord>,
  change: ChangedRecords,
): WholeZone {
  const changed = new Set<string>();
  for (const { type, owner } of change.removed) changed.add(`${type} ${owner}`);
  for (const { type, owner } of change.added) changed.add(`${type} ${owner}`);
  const isMoved = changed.size > 0;
  return {
    records: isMoved ? () => overlaid(records(), change) : records,
    changed: (owner: NameKey, type: number) => isMoved && changed.has(`${type} ${owner}`),
  };
}

/** The records of a zone after a step. Those removed are found by owner, type and RDATA. */
function* overlaid(
  records: Iterable<ResourceRecord>,
  { removed, added }: ChangedRecords,
): Generator<ResourceRecord> {
  let nextRemoved = 0;
  let nextAdded = 0;
  for (const record of records) {
    const old = removed[nextRemoved];
    if (old !== undefined && compareRecords(old, record) === 0) {
      nextRemoved++;
      continue;
    }
    while (nextAdded < added.length && compareRecords(added[nextAdded]!, record) < 0) {
      yield added[nextAdded++]!;
    }
    yield record;
  }
  yield* added.slice(nextAdded);
}
