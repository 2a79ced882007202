/**
 * The order of a denial chain: which names get another next name when names join and leave.
 *
 * The chain is a ring in canonical order. Only the names that join, and whoever stands before a name
 * that joins or leaves, get another next name; so the cost follows the change. One walk up and one
 * walk down the changed names finds them all, however many stand side by side.
 */
import { assert } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';

/** The chain as it is stored, before the change. */
export interface StoredChain {
  /** The last name of the chain before `owner`, not going around; of all names when undefined. */
  before(owner: NameKey | undefined): NameKey | undefined;
  /** The next name of a name in the chain, going around at the end. */
  next(owner: NameKey): NameKey;
}

/** A name that joins or leaves, with its neighbours in the chain after the change, if any. */
interface Step {
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
  const steps = sortedSteps(joining, leaving);
  if (steps.length === 0) return links;
  const storedBefore = steps.map((step) => chain.before(step.owner));
  findBefore(steps, storedBefore);
  findAfter(chain, steps, storedBefore);
  // Most steps stand amid the chain, and then nobody has to ask where it begins and ends.
  const isAmid = steps.every(({ before, after }) => before !== undefined && after !== undefined);
  const [first, last] = isAmid ? [undefined, undefined] : endsAfter(chain, steps);
  for (const { owner, joins, before, after } of steps) {
    if (joins) links.set(owner, after ?? first!);
    if (before === undefined) links.set(last!, first!);
    else links.set(before, joins ? owner : (after ?? first!));
  }
  return links;
}

function sortedSteps(joining: Iterable<NameKey>, leaving: Iterable<NameKey>): Step[] {
  const steps: Step[] = [];
  for (const owner of joining)
    steps.push({ owner, joins: true, before: undefined, after: undefined });
  for (const owner of leaving)
    steps.push({ owner, joins: false, before: undefined, after: undefined });
  return steps.sort((a, b) => (a.owner < b.owner ? -1 : 1));
}

/** Upwards: between two steps side by side no stored name is left that could come between. */
function findBefore(steps: readonly Step[], storedBefore: readonly (NameKey | undefined)[]): void {
  let previous: Step | undefined;
  for (const [index, step] of steps.entries()) {
    const stored = storedBefore[index];
    const adjoins = previous !== undefined && (stored === undefined || stored <= previous.owner);
    if (!adjoins) step.before = stored;
    else step.before = previous!.joins ? previous!.owner : previous!.before;
    previous = step;
  }
}

/** Downwards, the same the other way around. */
function findAfter(
  chain: StoredChain,
  steps: readonly Step[],
  storedBefore: readonly (NameKey | undefined)[],
): void {
  let following: Step | undefined;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index]!;
    const stored = storedAfter(chain, step, storedBefore[index]);
    const adjoins = following !== undefined && (stored === undefined || stored >= following.owner);
    if (!adjoins) step.after = stored;
    else step.after = following!.joins ? following!.owner : following!.after;
    following = step;
  }
}

/** The stored name after a step, not going around. */
function storedAfter(
  chain: StoredChain,
  step: Step,
  storedBefore: NameKey | undefined,
): NameKey | undefined {
  if (step.joins && storedBefore === undefined) return storedEnds(chain)[0];
  const next = chain.next(step.joins ? storedBefore! : step.owner);
  return next > step.owner ? next : undefined;
}

function storedEnds(chain: StoredChain): [first: NameKey, last: NameKey] {
  const last = chain.before(undefined);
  assert(last !== undefined, 'a signed zone has a chain');
  return [chain.next(last), last];
}

/** The first and the last name of the chain after the change. */
function endsAfter(chain: StoredChain, steps: readonly Step[]): [first: NameKey, last: NameKey] {
  const [storedFirst, storedLast] = storedEnds(chain);
  const lowest = steps[0]!;
  const highest = steps.at(-1)!;
  const first =
    lowest.before !== undefined ? storedFirst : lowest.joins ? lowest.owner : lowest.after;
  const last =
    highest.after !== undefined ? storedLast : highest.joins ? highest.owner : highest.before;
  assert(first !== undefined && last !== undefined, 'a chain never loses all of its names');
  return [first, last];
}
