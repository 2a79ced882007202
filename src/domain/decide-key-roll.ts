/** Commands of key rolls: publish, abort, promote, remove (dnssec/key-roll.ts has the states and waits). */
import { formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import {
  checkHolddown,
  entersAlgorithm,
  type KeyRing,
  keysToAbort,
  leavesAlgorithm,
  promotableKeys,
  promote,
  publishedGroups,
  removableKeys,
  removeKeys,
  replacedBy,
  startRoll,
} from '../dnssec/key-roll.ts';
import { type WaitFacts, waitMs } from '../dnssec/key-timing.ts';
import {
  checkAbort,
  checkDsOfPromoted,
  knownDsTtl,
  type ParentsSaid,
  removalBlock,
} from '../dnssec/parent-ds.ts';
import { lateSecondaries, type SecondaryAnswer } from '../dnssec/secondary-serials.ts';
import {
  dangerOfLateSecondary,
  dangerOfMissingDs,
  dangerOfReliance,
  skippably,
} from '../dnssec/skippable.ts';
import { bearsDs, type PublishedKey, type ZoneKey } from '../dnssec/zone-key.ts';
import {
  findSigned,
  type OfSigning,
  noteTtls,
  publishKeys,
  ringOf,
  type SignedThen,
  signerChange,
  type WithKeys,
  withRisks,
} from './decide-signing.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { letGoUntil, type SigningReason, waitFactsOf, type ZoneSigning } from './signing.ts';
import { answersToGoBy } from './parents-said.ts';
import type { Zone } from './zone.ts';
import { nextReservedSerial } from './zone-change.ts';

interface StartKeyRoll extends WithKeys {
  readonly role: string | null;
}

interface PromoteKeys extends OfSigning {
  readonly skipDsCheck: boolean;
  readonly skipHolddown: boolean;
  /** What the parents, and the enabled secondaries, said; null when they were not asked. */
  readonly said: ParentsSaid | null;
  readonly secondaries: readonly SecondaryAnswer[] | null;
  /** Secondaries that are late delay neither the promotion nor the removal of the replaced key. */
  readonly skipSecondaries: boolean;
  /** By the scheduler, which promotes a ZSK that rolls alone too: the keys whose time has come. */
  readonly scheduledKeyIds?: readonly number[] | undefined;
}

/** Published keys leave as if they had never come. */
interface AbortRoll extends OfSigning {
  readonly role: string | null;
  readonly skipDsCheck: boolean;
  /** Null when they were not asked. */
  readonly said: ParentsSaid | null;
}

/** Retired keys whose time is over go; those that a parent still relies on stay. */
interface RemoveKeys extends OfSigning {
  /** The keys that are meant. */
  readonly keyIds: readonly number[];
  /** Null when they were not asked: then no key goes that a DS may name. */
  readonly said: ParentsSaid | null;
  readonly secondaries: readonly SecondaryAnswer[];
}

type Decided = Decision<SignedThen>;

/** A signed zone whose keys a command is about, with the TTLs that came with it. */
export interface KeyWork {
  readonly zone: Zone;
  readonly signing: ZoneSigning;
  readonly ring: KeyRing;
  /** What the waits of its keys are made of. */
  readonly facts: WaitFacts;
  readonly now: number;
}

export function openKeys(command: OfSigning, context: DecisionContext): KeyWork {
  const { zone, signing: before } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const signing = noteTtls(before, zone, command, now);
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
  const keyWork = openKeys(command, context);
  const { zone, signing, ring, facts, now } = keyWork;
  const { scheduledKeyIds: due, skipHolddown } = command;
  const published = due === undefined ? promotableKeys(ring) : dueKeys(ring, due, now);
  const risks = [
    ...checkHolddown(ring, published, skipHolddown, now),
    ...checkOthersAreReady(published, command, keyWork),
  ];
  const promoted = promote(ring.keys, facts, now, published);
  const stateSerial = command.skipSecondaries ? undefined : nextReservedSerial(zone);
  const keys = promoted.map((key) =>
    ring.keys.includes(key) ? key : { ...key, stateSerial, isHeldBack: undefined },
  );
  const changes = { keys, signedAt: now, parentsLetGoAt: null };
  // A ZSK that is promoted meanwhile is of no such move, for nothing is beside one.
  const state = { ...signing, ...changes, movedFromPolicyId: null };
  return withRisks(risks, signerChange(zone, 'keys-promoted', state));
}

/**
 * Refuses keys whose DS a parent lacks, and those that a secondary does not serve yet, unless that is to be skipped:
 * what is risked then.
 */
function checkOthersAreReady(
  published: readonly ZoneKey[],
  command: PromoteKeys,
  { zone, signing, ring, facts, now }: KeyWork,
): readonly string[] {
  const { said, secondaries, skipDsCheck, skipSecondaries } = command;
  const replaced = replacedBy(ring.keys, published);
  const dsTtl = knownDsTtl(signing, said?.answers ?? []);
  const ofDs = !published.some(({ role }) => bearsDs(role))
    ? []
    : skippably(
        skipDsCheck,
        () => ({
          by: 'skip_ds_check',
          danger: dangerOfMissingDs(published, replaced, dsTtl, now),
        }),
        () => checkDsOfPromoted(ring, published, answersToGoBy(said, zone, signing, now), now),
      );
  const ofSecondaries = skippably(
    skipSecondaries,
    () => ({
      by: 'skip_secondaries',
      danger: dangerOfLateSecondary(published, replaced, facts.dnskeyTtlSeconds),
    }),
    () => {
      const message =
        secondaries === null
          ? `the secondaries were not asked for zone '${zone.name}', because its keys were others then: try again`
          : secondariesBlock(signing, published, secondaries, now);
      if (message !== null) throw new Problem('DNSSEC_SECONDARY_BEHIND', message);
    },
  );
  return [...ofDs, ...ofSecondaries];
}

/** The group of published keys that the scheduler promotes; it looked at a state that may have passed. */
function dueKeys({ zoneName, keys }: KeyRing, ids: readonly number[], now: number): PublishedKey[] {
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
  const { zone, signing, ring } = keyWork;
  const going = keysToAbort(ring, command.role);
  const risks = checkNobodyRelies(going, command, keyWork);
  const isMove = entersAlgorithm(ring.keys, going);
  const policyId = isMove ? (signing.movedFromPolicyId ?? signing.policyId) : signing.policyId;
  if (context.view.policyById(policyId ?? 0) === undefined) {
    throw new Problem(
      'DNSSEC_POLICY_NOT_FOUND',
      `the DNSSEC policy that zone '${zone.name}' was moved from was deleted, so the move can not be aborted`,
    );
  }
  const movedFromPolicyId = isMove ? null : signing.movedFromPolicyId;
  const changes = { policyId, movedFromPolicyId };
  return withRisks(risks, withoutKeys('keys-aborted', keyWork, going, changes));
}

/** Refuses to abort keys that a parent relies on, or caches, unless that is to be skipped: what is risked then. */
function checkNobodyRelies(
  going: readonly PublishedKey[],
  { skipDsCheck, said }: AbortRoll,
  keyWork: KeyWork,
): readonly string[] {
  const { zone, signing, ring, now } = keyWork;
  const dsTtl = knownDsTtl(signing, said?.answers ?? []);
  const haveDs = going.some(({ role }) => bearsDs(role));
  // Nobody relies on a ZSK that only waits to take over.
  if (!haveDs && !going.some(({ signsBeside }) => signsBeside === true)) return [];
  return skippably(
    skipDsCheck,
    () => ({
      by: 'skip_ds_check',
      danger: dangerOfReliance(going, replacedBy(ring.keys, going), dsTtl, now),
    }),
    () => {
      checkAbort(ring, going, haveDs ? answersToGoBy(said, zone, signing, now) : [], now);
      checkForgotten(keyWork, going);
    },
  );
}

/** Keys and their secrets go. What secondaries serve is kept while they are waited for. */
function withoutKeys(
  reason: SigningReason,
  { zone, signing, now }: KeyWork,
  removed: readonly ZoneKey[],
  changes: Partial<ZoneSigning>,
): Decided {
  const keys = removeKeys(signing.keys, removed);
  const isActive = keys.every((key) => key.state === 'active');
  const secondaries = isActive ? [] : signing.secondaries;
  const state = { ...signing, ...changes, keys, signedAt: now, secondaries };
  return {
    ...signerChange(zone, reason, state),
    secrets: removed.map(({ id }) => ({ kind: 'delete-signing-key', keyId: id })),
  };
}

/** Milliseconds after which it is recorded again that a parent relies on a published key. */
export const reliedOnAgainMs = 600_000;

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
  const { keyIds, said } = command;
  const answers = said && answersToGoBy(said, zone, signing, now);
  const removed = removableKeys(ring.keys, now)
    .filter((group) => group.every(({ id }) => keyIds.includes(id)))
    .filter((group) => answers !== null || !group.some(({ role }) => bearsDs(role)))
    .filter((group) => removalBlock(ring, group, answers ?? []) === null)
    .filter((group) => cachesBlock(zone, signing, group, now) === null)
    .filter((group) => secondariesBlock(signing, group, command.secondaries, now) === null)
    .flat();
  if (removed.length === 0) return { event: undefined, outcome: { zone, signing } };
  return withoutKeys('keys-removed', keyWork, removed, { parentsLetGoAt: null });
}

export const keyDecisions = {
  'start-key-roll': decideStartKeyRoll,
  'promote-keys': decidePromoteKeys,
  'abort-roll': decideAbortRoll,
  'remove-keys': decideRemoveKeys,
};
