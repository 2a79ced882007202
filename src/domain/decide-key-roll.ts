/**
 * Commands of key rolls: publish, abort, promote, remove (dnssec/key-roll.ts has the states and waits), and what is
 * recorded of others in between: the DS that parents serve, which keys they rely on, the serials of secondaries.
 */
import { formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import {
  checkPromotion,
  entersAlgorithm,
  type KeyRing,
  keysToAbort,
  leavesAlgorithm,
  promote,
  publishedGroups,
  removableKeys,
  removeKeys,
  retiredGroups,
  startRoll,
} from '../dnssec/key-roll.ts';
import { catchUpWaitMs, type WaitFacts, waitMs } from '../dnssec/key-timing.ts';
import {
  abortBlock,
  checkAbort,
  checkDsOfPromoted,
  largestDsTtl,
  noteDs,
  type ParentAnswer,
  reliance,
  removalBlock,
  servesForeignDs,
} from '../dnssec/parent-ds.ts';
import {
  hasCaughtUp,
  lateSecondaries,
  type SecondaryAnswer,
  withAnswers,
} from '../dnssec/secondary-serials.ts';
import { bearsDs, type PublishedKey, putOff, relied, type ZoneKey } from '../dnssec/zone-key.ts';
import {
  findSigned,
  type OfSigning,
  recorded,
  noteTtls,
  publishKeys,
  ringOf,
  signerChange,
  signingByClock,
  type SigningOutcome,
  type WithKeys,
} from './decide-signing.ts';
import type { Decision, DecisionContext } from './decision.ts';
import {
  isSigned,
  letGoUntil,
  type SigningReason,
  waitFactsOf,
  type ZoneSigning,
} from './signing.ts';
import { apexOf, type Zone } from './zone.ts';
import { findZone, nextReservedSerial, type OfZone } from './zone-change.ts';

interface StartKeyRoll extends WithKeys {
  readonly role: string | null;
}

interface PromoteKeys extends OfSigning {
  readonly skipDsCheck: boolean;
  readonly skipHolddown: boolean;
  readonly answers: readonly ParentAnswer[];
  /** What the enabled secondaries said; empty when they were not asked. */
  readonly secondaries: readonly SecondaryAnswer[];
  /** Secondaries that are late keep nobody waiting, at the promotion and until the replaced key is gone. */
  readonly skipSecondaries: boolean;
  /** By the scheduler, which promotes a ZSK that rolls alone too: the keys whose time has come. */
  readonly scheduledKeyIds?: readonly number[] | undefined;
}

/** Published keys leave as if they had never come. */
interface AbortRoll extends OfZone {
  readonly role: string | null;
  readonly skipDsCheck: boolean;
  /** Empty when they were not asked. */
  readonly answers: readonly ParentAnswer[];
}

/** Retired keys whose time is over go; those that a parent still relies on stay. */
interface RemoveKeys extends OfZone {
  readonly answers: readonly ParentAnswer[];
  readonly secondaries: readonly SecondaryAnswer[];
}

/** What was seen of the DS at the parents: no step. */
interface NoteParents extends OfZone {
  readonly answers: readonly ParentAnswer[];
}

/** What the enabled secondaries serve while keys come and go: no step. */
type NoteSecondaries = OfZone & Pick<RemoveKeys, 'secondaries'>;

type Decided = Decision<SigningOutcome>;
type Answers = readonly ParentAnswer[];

/** A signed zone whose keys a command is about, with the TTLs that came with it. */
interface KeyWork {
  readonly zone: Zone;
  readonly signing: ZoneSigning;
  readonly ring: KeyRing;
  /** What the waits of its keys are made of. */
  readonly facts: WaitFacts;
  readonly now: number;
}

function openKeys({ zoneName, largestTtl }: OfSigning, context: DecisionContext): KeyWork {
  const { zone, signing: before } = findSigned(context, zoneName);
  const { clockNow: now } = context;
  const signing = noteTtls(before, zone, largestTtl, now);
  return {
    zone,
    signing,
    ring: ringOf(zone, signing),
    facts: waitFactsOf(signing, zone, now),
    now,
  };
}

function decideStartKeyRoll(command: StartKeyRoll, context: DecisionContext): Decided {
  const { zone, signing, ring, facts, now } = openKeys(command, context);
  const terms = startRoll(ring, command.role, facts, now);
  return publishKeys(zone, 'key-published', { ...signing, signedAt: now }, terms, command, now);
}

function decidePromoteKeys(command: PromoteKeys, context: DecisionContext): Decided {
  const { zone, signing, ring, facts, now } = openKeys(command, context);
  const published =
    command.scheduledKeyIds === undefined
      ? checkPromotion(ring, command.skipHolddown, now)
      : checkDue(ring, command.scheduledKeyIds, now);
  const bearsDsOfThem = published.some(({ role }) => bearsDs(role));
  if (!command.skipDsCheck && bearsDsOfThem) {
    checkDsOfPromoted(ring, published, command.answers, now);
  }
  if (!command.skipSecondaries) {
    const block = secondariesBlock(signing, published, command.secondaries, now);
    if (block !== null) throw new Problem('DNSSEC_SECONDARY_BEHIND', block);
  }
  const promoted = promote(ring.keys, facts, now, published);
  const stateSerial = command.skipSecondaries ? undefined : nextReservedSerial(zone);
  const keys = promoted.map((key) =>
    ring.keys.includes(key) ? key : { ...key, stateSerial, isHeldBack: undefined },
  );
  return signerChange(zone, 'keys-promoted', {
    ...signing,
    keys,
    signedAt: now,
    parentsLetGoAt: null,
    // A ZSK that is promoted meanwhile is of no such move, for nothing is beside one.
    movedFromPolicyId: null,
  });
}

/** The group of published keys that the scheduler promotes; it looked at a state that may have passed. */
function checkDue(
  { zoneName, keys }: KeyRing,
  ids: readonly number[],
  now: number,
): PublishedKey[] {
  const due = publishedGroups(keys).find((group) =>
    group.every((key) => ids.includes(key.id) && key.eligibleAt <= now),
  );
  if (due !== undefined) return due;
  throw new Problem(
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    `zone ${zoneName} has no published key that is due`,
  );
}

/** Published keys leave with their signatures; a move to another algorithm goes back to its policy. */
function decideAbortRoll(command: AbortRoll, context: DecisionContext): Decided {
  const keyWork = openKeys(command, context);
  const { zone, signing, ring, now } = keyWork;
  const going = keysToAbort(ring, command.role);
  if (!command.skipDsCheck) {
    checkAbort(ring, going, command.answers, now);
    checkForgotten(keyWork, going);
  }
  const isMove = entersAlgorithm(ring.keys, going);
  const policyId = isMove ? (signing.movedFromPolicyId ?? signing.policyId) : signing.policyId;
  if (context.view.policyById(policyId ?? 0) === undefined) {
    throw new Problem(
      'DNSSEC_POLICY_NOT_FOUND',
      `the DNSSEC policy that zone '${zone.name}' was moved from was deleted, so the move can not be aborted`,
    );
  }
  const movedFromPolicyId = isMove ? null : signing.movedFromPolicyId;
  return withoutKeys('keys-aborted', keyWork, going, { policyId, movedFromPolicyId });
}

/** Keys and their secrets go. What secondaries serve is kept while they are waited for. */
function withoutKeys(
  reason: SigningReason,
  { zone, signing, now }: KeyWork,
  gone: readonly ZoneKey[],
  changes: Partial<ZoneSigning>,
): Decided {
  const keys = removeKeys(signing.keys, gone);
  const isSettled = keys.every((key) => key.state === 'active');
  const secondaries = isSettled ? [] : signing.secondaries;
  const state = { ...signing, ...changes, keys, signedAt: now, secondaries };
  return {
    ...signerChange(zone, reason, state),
    secrets: gone.map(({ id }) => ({ kind: 'delete-signing-key', keyId: id })),
  };
}

/** Refuses to take keys away that caches may rely on, because a parent did not long ago. */
function checkForgotten({ zone, facts, now }: KeyWork, going: readonly ZoneKey[]): void {
  const seenAt = Math.max(...going.map(({ reliedOnAt }) => reliedOnAt ?? 0));
  if (seenAt === 0) return;
  const until = seenAt + reliedOnAgainMs + waitMs('ds-removed', facts);
  if (until <= now) return;
  throw new Problem(
    'DNSSEC_DS_PUBLISHED',
    `caches may hold the DS of key ${going[0]!.keyTag} of zone '${zone.name}', and ` +
      `what they proved by it, until ${formatTime(until)}`,
  );
}

/** Which secondaries keep a step of the keys waiting, or null. */
export function secondariesBlock(
  { secondaries }: ZoneSigning,
  keys: readonly ZoneKey[],
  answers: readonly SecondaryAnswer[],
  now: number,
): string | null {
  const late = lateSecondaries(keys, secondaries, answers, now);
  return late.length === 0 ? null : late.map(({ reason }) => reason).join('; ');
}

/**
 * Recorded only when it says something new. Waits count on secondaries that follow within the refresh; caches are given
 * their time from when a late one is seen to have caught up. Before that no parent is to hear of a new algorithm.
 */
function decideNoteSecondaries(command: NoteSecondaries, context: DecisionContext): Decided {
  const { zone, signing, facts, now } = openKeys(command, context);
  const answers = command.secondaries;
  const secondaries = withAnswers(signing.secondaries, answers, zone.expire, now);
  const keys = signing.keys.map((key): ZoneKey => {
    if (key.state === 'active' || key.stateSerial === undefined) return key;
    const enters = key.state === 'published' && entersAlgorithm(signing.keys, [key]);
    const wait = catchUpWaitMs(key, enters, facts);
    if (lateSecondaries([key], secondaries, answers, now).length > 0) {
      // By twice the time, so that not every look is an event.
      const isClose = enters && key.eligibleAt < now + wait;
      return { ...(isClose ? putOff(key, now + 2 * wait, enters) : key), isHeldBack: true };
    }
    if (!key.isHeldBack && !hasCaughtUp(key, signing.secondaries, answers)) return key;
    return { ...putOff(key, now + wait, enters), isHeldBack: undefined };
  });
  return recorded(zone, 'secondaries-seen', signing, { ...signing, secondaries, keys });
}

/**
 * Why keys must stay though no parent was just seen to rely on them, or null: one did when it last
 * answered, or caches may, for a while after the parents dropped an algorithm (RFC 6781 4.1.4).
 */
export function cachesBlock(
  zone: Zone,
  signing: ZoneSigning,
  going: readonly ZoneKey[],
  now: number,
): string | null {
  if (!leavesAlgorithm(signing.keys, going)) {
    const [relying] = signing.relyingParents;
    if (relying === undefined || !going.some(({ role }) => bearsDs(role))) return null;
    return `parent server ${relying} served a DS set that names no active key when it last answered`;
  }
  const until = letGoUntil(signing, zone, now);
  if (until !== null && until <= now) return null;
  const { algorithm } = going[0]!;
  return until === null
    ? `it is not known yet that no parent serves a DS of algorithm ${algorithm}`
    : `caches may hold a DS of algorithm ${algorithm} until ${formatTime(until)}`;
}

function decideRemoveKeys(command: RemoveKeys, context: DecisionContext): Decided {
  const keyWork = openKeys(command, context);
  const { zone, signing, ring, now } = keyWork;
  const gone = removableKeys(ring.keys, now)
    .filter((group) => removalBlock(ring, group, command.answers) === null)
    .filter((group) => cachesBlock(zone, signing, group, now) === null)
    .filter((group) => secondariesBlock(signing, group, command.secondaries, now) === null)
    .flat();
  if (gone.length === 0) return { event: undefined, outcome: { zone, signing } };
  return withoutKeys('keys-removed', keyWork, gone, { parentsLetGoAt: null });
}

/**
 * Recorded only when it says something new: the first DS of a key, another TTL, that the DS is seen after an
 * hour, that the parents no longer rely on retired keys, or rely on them again, or on published ones, or that
 * they name no key, or one again.
 */
function decideNoteParents({ zoneName, answers }: NoteParents, context: DecisionContext): Decided {
  const zone = findZone(context, zoneName);
  const signing = signingByClock(context, zone);
  const { clockNow: now } = context;
  const noted = noteDs(signing, apexOf(zone), answers, now);
  const seen = noteReliance(noted, ringOf(zone, noted), answers, now);
  const ring = ringOf(zone, seen);
  const next = {
    ...seen,
    keys: withReliedOn(ring, answers, now),
    parentsLetGoAt: noRelianceSince(seen, ring, answers, now),
    foreignDsSince: foreignSince(seen, ring, answers, now),
  };
  return recorded(zone, 'parents-seen', signing, next);
}

/** Milliseconds after which it is recorded again that a parent relies on a published key. */
const reliedOnAgainMs = 600_000;

/** The keys, with the time at those published ones that a parent relies on. */
function withReliedOn(ring: KeyRing, answers: Answers, now: number): readonly ZoneKey[] {
  const reliedOn = publishedGroups(ring.keys)
    .filter((group) => abortBlock(ring, group, answers) !== null)
    .flat();
  return ring.keys.map((key) => {
    const isReliedOn = key.state === 'published' && reliedOn.includes(key);
    if (!isReliedOn || now - (key.reliedOnAt ?? 0) < reliedOnAgainMs) return key;
    return { ...key, reliedOnAt: now };
  });
}

/** Since when a parent names no key; a parent that says nothing takes nothing back. */
function foreignSince(
  signing: ZoneSigning,
  ring: KeyRing,
  answers: Answers,
  now: number,
): number | null {
  if (!isSigned(signing)) return null;
  if (servesForeignDs(ring, answers)) return signing.foreignDsSince ?? now;
  return answers.every((answer) => 'ds' in answer) ? null : signing.foreignDsSince;
}

/**
 * Which parents rely on retired keys whose algorithm stays. Who did and now says nothing still does. From
 * when none does any more, caches get the time that they may keep the DS: whoever promoted unasked, or
 * moved a parent back, would else have the key go under them.
 */
function noteReliance(
  state: ZoneSigning,
  ring: KeyRing,
  answers: Answers,
  now: number,
): ZoneSigning {
  const { keys, relyingParents: before } = state;
  const retired = retiredGroups(keys)
    .filter((group) => !leavesAlgorithm(keys, group))
    .flat();
  const relies = (answer: ParentAnswer) => reliance(ring, retired, [answer]) !== null;
  const relying = answers.filter(relies).map(({ address }) => address);
  const isSilent = answers.some((answer) => 'failure' in answer);
  const hasAnswered = (address: string) =>
    answers.some((answer) => answer.address === address && 'ds' in answer);
  const left = isSilent ? before.filter((address) => !hasAnswered(address)) : [];
  const relyingParents = retired.length === 0 ? [] : [...new Set([...left, ...relying])];
  if (relyingParents.join() === before.join()) return state;
  if (relyingParents.length > 0) return { ...state, relyingParents };
  const dsTtl = largestDsTtl(state);
  const again = (key: ZoneKey) =>
    key.state === 'retired' && bearsDs(key.role) && retired.includes(key)
      ? relied(key, dsTtl, now)
      : key;
  return { ...state, relyingParents, keys: keys.map(again) };
}

/**
 * Since when no parent relies on the keys of a leaving algorithm. Who says nothing still relies on it, and
 * takes back nothing that was seen.
 */
function noRelianceSince(
  { parentsLetGoAt }: ZoneSigning,
  ring: KeyRing,
  answers: Answers,
  now: number,
): number | null {
  const leaving = retiredGroups(ring.keys).find((group) => leavesAlgorithm(ring.keys, group));
  if (leaving === undefined || reliance(ring, leaving, answers) !== null) return null;
  if (parentsLetGoAt !== null) return parentsLetGoAt;
  return removalBlock(ring, leaving, answers) === null ? now : null;
}

export const keyDecisions = {
  'start-key-roll': decideStartKeyRoll,
  'promote-keys': decidePromoteKeys,
  'abort-roll': decideAbortRoll,
  'remove-keys': decideRemoveKeys,
  'note-parents': decideNoteParents,
  'note-secondaries': decideNoteSecondaries,
};
