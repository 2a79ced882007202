/** What is noted of parents: the DS that they serve, and which keys they rely on. */
import {
  abortBlock,
  largestDsTtl,
  noteDs,
  type ParentAnswer,
  reliance,
  removalBlock,
  servesForeignDs,
} from '../dnssec/parent-ds.ts';
import { leavesAlgorithm, publishedGroups, removableKeys } from '../dnssec/key-roll.ts';
import { bearsDs, relied, type ZoneKey } from '../dnssec/zone-key.ts';
import { noted, unchanged } from './decide-signing.ts';
import { findZone } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { isSigned, unsigned, type ZoneSigning } from './signing.ts';
import type { NoteParents, SigningOutcome } from './signing-command.ts';
import { apexOf, type Zone } from './zone.ts';

/**
 * Noted only when it says something new: the first DS of a key, another TTL, that the DS is seen after an
 * hour, that the parents have let go of retired keys, or rely on them again, or on published ones, or that
 * they name no key, or one again.
 */
export function decideNoteParents(
  command: NoteParents,
  context: DecisionContext,
): Decision<SigningOutcome> {
  const zone = findZone(context, command.zoneName);
  const signing = context.view.signing(zone.id) ?? unsigned;
  const { clockNow: now } = context;
  const { answers } = command;
  const seen = noteReliance(zone, noteDs(signing, apexOf(zone), answers, now), answers, now);
  const next = {
    ...seen,
    keys: withReliedOn(zone, seen.keys, answers, now),
    parentsLetGoAt: letGoAt(zone, seen, answers, now),
    foreignDsSince: foreignSince(zone, seen, answers, now),
  };
  const isNews =
    seen !== signing ||
    next.parentsLetGoAt !== signing.parentsLetGoAt ||
    next.foreignDsSince !== signing.foreignDsSince ||
    next.keys.some((key, at) => key !== signing.keys[at]);
  return isNews ? noted(zone, 'parents-seen', next) : unchanged(zone, signing);
}

/** Milliseconds after which it is noted again that a parent relies on a published key. */
export const reliedOnAgainMs = 600_000;

/** The keys, with the time at those published ones that a parent relies on. */
function withReliedOn(
  zone: Zone,
  keys: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
  now: number,
): readonly ZoneKey[] {
  const reliedOn = publishedGroups(keys)
    .filter((group) => abortBlock(keys, apexOf(zone), group, answers) !== null)
    .flat();
  return keys.map((key) =>
    reliedOn.includes(key) && now - (key.reliedOnAt ?? 0) >= reliedOnAgainMs
      ? { ...key, reliedOnAt: now }
      : key,
  );
}

/** Since when a parent names no key; a parent that says nothing takes nothing back. */
function foreignSince(
  zone: Zone,
  signing: ZoneSigning,
  answers: readonly ParentAnswer[],
  now: number,
): number | null {
  if (!isSigned(signing)) return null;
  if (servesForeignDs(apexOf(zone), signing.keys, answers)) return signing.foreignDsSince ?? now;
  return answers.every((answer) => 'ds' in answer) ? null : signing.foreignDsSince;
}

/**
 * Which parents rely on retired keys whose algorithm stays. Who did and now says nothing still does. From
 * when none does any more, caches get the time that they may keep the DS: whoever promoted unasked, or
 * moved a parent back, would else have the key go under them.
 */
function noteReliance(
  zone: Zone,
  state: ZoneSigning,
  answers: readonly ParentAnswer[],
  now: number,
): ZoneSigning {
  const { keys, relyingParents: before } = state;
  const ring = { zoneName: `'${zone.name}'`, keys };
  const retired = removableKeys(keys, Number.POSITIVE_INFINITY)
    .filter((group) => !leavesAlgorithm(keys, group))
    .flat();
  const relies = (answer: ParentAnswer) => reliance(ring, apexOf(zone), retired, [answer]) !== null;
  const relying = answers.filter(relies).map(({ address }) => address);
  const isSilent = answers.some((answer) => 'failure' in answer);
  const hasAnswered = (address: string) =>
    answers.some((answer) => answer.address === address && 'ds' in answer);
  const left = isSilent ? before.filter((address) => !hasAnswered(address)) : [];
  const relyingParents = retired.length === 0 ? [] : [...new Set([...left, ...relying])];
  if (relyingParents.join() === before.join()) return state;
  if (relyingParents.length > 0) return { ...state, relyingParents };
  const dsTtl = largestDsTtl(state);
  const isHeld = (key: ZoneKey) => bearsDs(key.role) && retired.includes(key);
  return {
    ...state,
    relyingParents,
    keys: keys.map((key) => (isHeld(key) ? relied(key, dsTtl, now) : key)),
  };
}

/**
 * Since when no parent relies on the keys of a leaving algorithm. Who says nothing has not let go, and
 * takes back nothing that was seen.
 */
function letGoAt(
  zone: Zone,
  { keys, parentsLetGoAt }: ZoneSigning,
  answers: readonly ParentAnswer[],
  now: number,
): number | null {
  const leaving = removableKeys(keys, Number.POSITIVE_INFINITY).find((group) =>
    leavesAlgorithm(keys, group),
  );
  if (leaving === undefined) return null;
  const ring = { zoneName: `'${zone.name}'`, keys };
  if (reliance(ring, apexOf(zone), leaving, answers) !== null) return null;
  if (parentsLetGoAt !== null) return parentsLetGoAt;
  return removalBlock(ring, apexOf(zone), leaving, answers) === null ? now : null;
}
