/**
 * What a change does to the denial chain: the owners whose denying record is made again or goes. Names
 * join when they come to hold something the zone says with authority, with NSEC3 also when something
 * below them does (empty non-terminals, RFC 5155 7.1); they leave when that ends.
 *
 * The chain is a ring in canonical order. Only the names that join, and whoever stands before a name
 * that joins or leaves, get another next name; so the cost follows the change. One walk up and one
 * walk down the changed names finds them all, however many stand side by side.
 */
import { assert } from '../base/problem.ts';
import { emptyName, type NameKey, printRelativeName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { listedTypes, type Rrset, signedRrsets, authorityOf } from './rrset.ts';
import { apexRrsets, denialRrset, type SigningPass } from './signing-pass.ts';
import { leavesNoWildcard, refuseLongName, typeBitmap } from './denial.ts';
import { type ChangedZone, namesAbove } from './zone-view.ts';

/** Owners whose denying record is to be this one, or none. */
export type ChainChange = ReadonlyMap<NameKey, Rrset | undefined>;

export function planChainChange(
  pass: SigningPass,
  zone: ChangedZone,
  touched: ReadonlySet<NameKey>,
): ChainChange {
  const { denial } = pass;
  const { apex } = pass.settings;
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
    if (isIn) continue;
    if (leavesNoWildcard(denial.mode, name, apex)) refuseLongName(name, apex);
    joining.push(owner);
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
    change.set(owner, denialRrset(pass, next, bitmap));
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
  return zone.dnssec(owner).find((record) => record.type === type);
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
  const authority = authorityOf(name, user, zone.isOccluded(name));
  if (authority === 'occluded') return undefined;
  const own = name === emptyName ? apexRrsets(pass) : [];
  return denialBitmap(pass, authority, [...user, ...own]);
}

/** The bitmap of a name that holds something (RFC 4035 2.3, RFC 5155 7.1). */
export function denialBitmap(
  pass: SigningPass,
  authority: 'authoritative' | 'delegation',
  rrsets: readonly Rrset[],
): Buffer {
  const types = listedTypes(authority, rrsets);
  const byNsec = pass.denial.type === rrtype.NSEC;
  if (byNsec) types.push(rrtype.NSEC);
  // An NSEC is signed at its own name; an NSEC3 is signed at another.
  if (byNsec || signedRrsets(authority, rrsets).length > 0) types.push(rrtype.RRSIG);
  return typeBitmap(types);
}

/** The chain as it is stored, before the change. */
export interface StoredChain {
  /** The last name of the chain before `owner`, not going around; of all names when undefined. */
  before(owner: NameKey | undefined): NameKey | undefined;
  /** The next name of a name in the chain, going around at the end. */
  next(owner: NameKey): NameKey;
}

/** A name that joins or leaves, with its neighbours in the chain after the change, if any. */
interface Move {
  readonly owner: NameKey;
  readonly joins: boolean;
  before: NameKey | undefined;
  after: NameKey | undefined;
}

/**
 * The next name of every name that joins and of every name whose next one is another now. `joining`
 * are not in the stored chain, `leaving` are.
 */
export function relink(
  chain: StoredChain,
  joining: Iterable<NameKey>,
  leaving: Iterable<NameKey>,
): Map<NameKey, NameKey> {
  const links = new Map<NameKey, NameKey>();
  const moves = sortedMoves(joining, leaving);
  if (moves.length === 0) return links;
  const storedBefore = moves.map((move) => chain.before(move.owner));
  findBefore(moves, storedBefore);
  findAfter(chain, moves, storedBefore);
  // Most moves stand amid the chain, and then nobody has to ask where it begins and ends.
  const isAmid = moves.every(({ before, after }) => before !== undefined && after !== undefined);
  const [first, last] = isAmid ? [undefined, undefined] : endsAfter(chain, moves);
  for (const { owner, joins, before, after } of moves) {
    if (joins) links.set(owner, after ?? first!);
    if (before === undefined) links.set(last!, first!);
    else links.set(before, joins ? owner : (after ?? first!));
  }
  return links;
}

function sortedMoves(joining: Iterable<NameKey>, leaving: Iterable<NameKey>): Move[] {
  const moves: Move[] = [];
  for (const owner of joining)
    moves.push({ owner, joins: true, before: undefined, after: undefined });
  for (const owner of leaving)
    moves.push({ owner, joins: false, before: undefined, after: undefined });
  return moves.sort((a, b) => (a.owner < b.owner ? -1 : 1));
}

/** Upwards: between two moves side by side no stored name is left that could come between. */
function findBefore(moves: readonly Move[], storedBefore: readonly (NameKey | undefined)[]): void {
  let previous: Move | undefined;
  for (const [index, move] of moves.entries()) {
    const stored = storedBefore[index];
    const adjoins = previous !== undefined && (stored === undefined || stored <= previous.owner);
    if (!adjoins) move.before = stored;
    else move.before = previous!.joins ? previous!.owner : previous!.before;
    previous = move;
  }
}

/** Downwards, the same the other way around. */
function findAfter(
  chain: StoredChain,
  moves: readonly Move[],
  storedBefore: readonly (NameKey | undefined)[],
): void {
  let following: Move | undefined;
  for (let index = moves.length - 1; index >= 0; index--) {
    const move = moves[index]!;
    const stored = storedAfter(chain, move, storedBefore[index]);
    const adjoins = following !== undefined && (stored === undefined || stored >= following.owner);
    if (!adjoins) move.after = stored;
    else move.after = following!.joins ? following!.owner : following!.after;
    following = move;
  }
}

/** The stored name after a move, not going around. */
function storedAfter(
  chain: StoredChain,
  move: Move,
  storedBefore: NameKey | undefined,
): NameKey | undefined {
  if (move.joins && storedBefore === undefined) return storedEnds(chain)[0];
  const next = chain.next(move.joins ? storedBefore! : move.owner);
  return next > move.owner ? next : undefined;
}

function storedEnds(chain: StoredChain): [first: NameKey, last: NameKey] {
  const last = chain.before(undefined);
  assert(last !== undefined, 'a signed zone has a chain');
  return [chain.next(last), last];
}

/** The first and the last name of the chain after the change. */
function endsAfter(chain: StoredChain, moves: readonly Move[]): [first: NameKey, last: NameKey] {
  const [storedFirst, storedLast] = storedEnds(chain);
  const lowest = moves[0]!;
  const highest = moves.at(-1)!;
  const first =
    lowest.before !== undefined ? storedFirst : lowest.joins ? lowest.owner : lowest.after;
  const last =
    highest.after !== undefined ? storedLast : highest.joins ? highest.owner : highest.before;
  assert(first !== undefined && last !== undefined, 'a chain never loses all of its names');
  return [first, last];
}
