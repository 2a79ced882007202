/** The law of key rolls: publish, abort, promote, remove (dnssec/key-roll.ts has the states and waits). */
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
  startRoll,
} from '../dnssec/key-roll.ts';
import { catchUpWaitMs, waitMs } from '../dnssec/key-timing.ts';
import { checkAbort, checkDsOfPromoted, removalBlock } from '../dnssec/parent-ds.ts';
import { lateSecondaries, type SecondaryAnswer, withAnswers } from '../dnssec/secondary-serials.ts';
import { bearsDs, type ZoneKey } from '../dnssec/zone-key.ts';
import { reliedOnAgainMs } from './decide-note-parents.ts';
import {
  findSigned,
  inStateSince,
  noted,
  noteTtls,
  seenBefore,
  signerStep,
  unchanged,
} from './decide-signing.ts';
import { nextReservedSerial } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { keysOf, secretsOf } from './made-keys.ts';
import { letGoUntil, waitFactsOf, type ZoneSigning } from './signing.ts';
import type {
  AbortRoll,
  NoteSecondaries,
  PromoteKeys,
  RemoveKeys,
  SigningOutcome,
  StartKeyRoll,
} from './signing-command.ts';
import { apexOf, type Zone } from './zone.ts';

type Decided = Decision<SigningOutcome>;

export function decideStartKeyRoll(command: StartKeyRoll, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const state = noteTtls(signing, zone, command.largestTtl, now);
  const ring = { zoneName: `'${zone.name}'`, keys: state.keys };
  const terms = startRoll(ring, command.role, waitFactsOf(state, zone, now), now);
  const fresh = inStateSince(zone, keysOf(terms, command.keys, state.keys));
  const keys = [...state.keys, ...fresh];
  const secondaries = seenBefore(zone, state, command.secondaries, now);
  return {
    ...signerStep(zone, 'key-published', { ...state, keys, secondaries, signedAt: now }),
    secrets: secretsOf(zone, command.keys),
  };
}

export function decidePromoteKeys(command: PromoteKeys, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const state = noteTtls(signing, zone, command.largestTtl, now);
  const ring = { zoneName: `'${zone.name}'`, keys: state.keys };
  const published =
    command.scheduledKeyIds === undefined
      ? checkPromotion(ring, command.skipHolddown, now)
      : checkDue(ring, command.scheduledKeyIds, now);
  const bearsDsOfThem = published.some(({ role }) => bearsDs(role));
  if (!command.skipDsCheck && bearsDsOfThem) {
    checkDsOfPromoted(ring, apexOf(zone), published, command.answers);
  }
  if (!command.skipSecondaries) {
    const block = secondariesBlock(state, published, command.secondaries, now);
    if (block !== null) throw new Problem('DNSSEC_SECONDARY_BEHIND', block);
  }
  const promoted = promote(state.keys, waitFactsOf(state, zone, now), now, published);
  const stateSerial = command.skipSecondaries ? undefined : nextReservedSerial(zone);
  const keys = promoted.map((key) =>
    state.keys.includes(key) ? key : { ...key, stateSerial, isHeldBack: undefined },
  );
  return signerStep(zone, 'keys-promoted', {
    ...state,
    keys,
    signedAt: now,
    parentsLetGoAt: null,
    // A ZSK that is promoted meanwhile is of no such move, for nothing is beside one.
    movedFromPolicyId: null,
  });
}

/** The group of published keys that the scheduler promotes; it looked at a state that may have passed. */
function checkDue({ zoneName, keys }: KeyRing, ids: readonly number[], now: number): ZoneKey[] {
  const due = publishedGroups(keys).find((group) =>
    group.every((key) => ids.includes(key.id) && key.eligibleAt! <= now),
  );
  if (due !== undefined) return due;
  throw new Problem(
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    `zone ${zoneName} has no published key that is due`,
  );
}

/** Published keys leave with their signatures; a move to another algorithm goes back to its policy. */
export function decideAbortRoll(command: AbortRoll, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now, view } = context;
  const ring = { zoneName: `'${zone.name}'`, keys: signing.keys };
  const going = keysToAbort(ring, command.role);
  if (!command.skipDsCheck) {
    checkAbort(ring, apexOf(zone), going, command.answers, now);
    checkForgotten(zone, signing, going, now);
  }
  const isMove = entersAlgorithm(signing.keys, going);
  const policyId = isMove ? (signing.movedFromPolicyId ?? signing.policyId) : signing.policyId;
  if (view.policyById(policyId ?? 0) === undefined) {
    throw new Problem(
      'DNSSEC_POLICY_NOT_FOUND',
      `the DNSSEC policy that zone '${zone.name}' was moved from was deleted, so the move can not be aborted`,
    );
  }
  const keys = removeKeys(signing.keys, going);
  const state = {
    ...signing,
    policyId,
    keys,
    signedAt: now,
    movedFromPolicyId: isMove ? null : signing.movedFromPolicyId,
  };
  return {
    ...signerStep(zone, 'keys-aborted', withoutSightings(state)),
    secrets: going.map(({ id }) => ({ kind: 'delete-signing-key', keyId: id })),
  };
}

/** Refuses to take keys away that caches may rely on, because a parent did not long ago. */
function checkForgotten(
  zone: Zone,
  signing: ZoneSigning,
  going: readonly ZoneKey[],
  now: number,
): void {
  const seenAt = Math.max(...going.map(({ reliedOnAt }) => reliedOnAt ?? 0));
  if (seenAt === 0) return;
  const until = seenAt + reliedOnAgainMs + waitMs('ds-removed', waitFactsOf(signing, zone, now));
  if (until <= now) return;
  throw new Problem(
    'DNSSEC_DS_PUBLISHED',
    `caches may hold the DS of key ${going[0]!.keyTag} of zone '${zone.name}', and what they proved by it, until ${formatTime(until)}`,
  );
}

/** What secondaries serve is kept while they are waited for. */
function withoutSightings(state: ZoneSigning): ZoneSigning {
  return state.keys.every((key) => key.state === 'active') ? { ...state, secondaries: [] } : state;
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
 * Noted only when it says something new. Waits count on secondaries that follow within the refresh; once
 * one was seen later than that, caches are given their time from when it has caught up.
 */
export function decideNoteSecondaries(command: NoteSecondaries, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const secondaries = withAnswers(signing.secondaries, command.secondaries, zone.expire, now);
  const facts = waitFactsOf(signing, zone, now);
  const keys = signing.keys.map((key): ZoneKey => {
    if (key.eligibleAt === null || key.stateSerial === undefined) return key;
    const isLate = lateSecondaries([key], secondaries, command.secondaries, now).length > 0;
    if (isLate === (key.isHeldBack ?? false)) return key;
    if (isLate) {
      const isOverdue = now > key.stateChangedAt + zone.refresh * 1000;
      return isOverdue ? { ...key, isHeldBack: true } : key;
    }
    const enters = key.state === 'published' && entersAlgorithm(signing.keys, [key]);
    const until = now + catchUpWaitMs(key, enters, facts);
    return { ...key, isHeldBack: undefined, eligibleAt: Math.max(key.eligibleAt, until) };
  });
  const isMoved = keys.some((key, at) => key !== signing.keys[at]);
  if (!isMoved && secondaries === signing.secondaries) return unchanged(zone, signing);
  return noted(zone, 'secondaries-seen', { ...signing, secondaries, keys });
}

/**
 * Why keys must stay though no parent was just heard to rely on them, or null: one did when it last
 * answered, or caches may, for a while after the parents let go of an algorithm (RFC 6781 4.1.4).
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
  const [{ algorithm }] = going as [ZoneKey];
  return until === null
    ? `nobody has seen yet that the parents let go of algorithm ${algorithm}`
    : `caches may hold a DS of algorithm ${algorithm} until ${formatTime(until)}`;
}

export function decideRemoveKeys(command: RemoveKeys, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const ring = { zoneName: `'${zone.name}'`, keys: signing.keys };
  const gone = removableKeys(signing.keys, now)
    .filter((group) => removalBlock(ring, apexOf(zone), group, command.answers) === null)
    .filter((group) => cachesBlock(zone, signing, group, now) === null)
    .filter((group) => secondariesBlock(signing, group, command.secondaries, now) === null)
    .flat();
  if (gone.length === 0) return { event: undefined, outcome: { zone, signing } };
  const keys = removeKeys(signing.keys, gone);
  return {
    ...signerStep(
      zone,
      'keys-removed',
      withoutSightings({ ...signing, keys, signedAt: now, parentsLetGoAt: null }),
    ),
    secrets: gone.map(({ id }) => ({ kind: 'delete-signing-key', keyId: id })),
  };
}
