/**
 * What is recorded of others while keys come and go: the DS that parents serve, which keys they rely on, the serials of
 * secondaries.
 */
import {
  entersAlgorithm,
  type KeyRing,
  leavesAlgorithm,
  publishedGroups,
  retiredGroups,
} from '../dnssec/key-roll.ts';
import { catchUpWaitMs } from '../dnssec/key-timing.ts';
import {
  abortBlock,
  largestDsTtl,
  noteDs,
  type ParentAnswer,
  type ParentsSaid,
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
import { bearsDs, putOff, relied, type ZoneKey } from '../dnssec/zone-key.ts';
import { openKeys, reliedOnAgainMs } from './decide-key-roll.ts';
import { recorded, ringOf, type SignedThen, signingByClock } from './decide-signing.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { isToGoBy } from './parents-said.ts';
import { isSigned, type ZoneSigning } from './signing.ts';
import { apexOf } from './zone.ts';
import { findZone, type OfZone } from './zone-change.ts';

/** What was seen of the DS at the parents: no step. */
interface NoteParents extends OfZone {
  readonly said: ParentsSaid;
}

/** What the enabled secondaries serve while keys come and go: no step. */
interface NoteSecondaries extends OfZone {
  readonly secondaries: readonly SecondaryAnswer[];
}

type Decided = Decision<SignedThen>;
type Answers = readonly ParentAnswer[];

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
 * Recorded only when it says something new: the first DS of a key, another TTL, that the DS is seen after an
 * hour, that the parents no longer rely on retired keys, or rely on them again, or on published ones, or that
 * they name no key, or one again.
 */
function decideNoteParents({ zoneName, said }: NoteParents, context: DecisionContext): Decided {
  const zone = findZone(context, zoneName);
  const signing = signingByClock(context, zone);
  const { clockNow: now } = context;
  // The zone may have other parents by now, or have waited long.
  if (!isToGoBy(said, signing, now)) return { event: undefined, outcome: { zone, signing } };
  const { answers } = said;
  const withDs = noteDs(signing, apexOf(zone), answers, now);
  const seen = noteReliance(withDs, ringOf(zone, withDs), answers, now);
  const ring = ringOf(zone, seen);
  const next = {
    ...seen,
    keys: withReliedOn(ring, answers, now),
    parentsLetGoAt: noRelianceSince(seen, ring, answers, now),
    foreignDsSince: foreignSince(seen, ring, answers, now),
  };
  return recorded(zone, 'parents-seen', signing, next);
}

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
  const isSilent = answers.find((answer) => 'failure' in answer) !== undefined;
  const hasAnswered = (address: string) =>
    answers.find((answer) => answer.address === address && 'ds' in answer) !== undefined;
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

export const sightingDecisions = {
  'note-parents': decideNoteParents,
  'note-secondaries': decideNoteSecondaries,
};
