/** The law of key rolls: publish, promote, remove (dnssec/key-roll.ts has the states and waits). */
import { formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import {
  checkPromotion,
  type KeyRing,
  leavesAlgorithm,
  promote,
  removableKeys,
  removeKeys,
  startRoll,
} from '../dnssec/key-roll.ts';
import { checkDsOfPromoted, removalBlock } from '../dnssec/parent-ds.ts';
import { bearsDs, type ZoneKey } from '../dnssec/zone-key.ts';
import { findSigned, noteTtls, signerStep } from './decide-signing.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { keysOf, secretsOf } from './made-keys.ts';
import { letGoUntil, waitFactsOf, type ZoneSigning } from './signing.ts';
import type { PromoteKeys, RemoveKeys, SigningOutcome, StartKeyRoll } from './signing-command.ts';
import { apexOf, type Zone } from './zone.ts';

type Decided = Decision<SigningOutcome>;

export function decideStartKeyRoll(command: StartKeyRoll, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const state = noteTtls(signing, zone, command.largestTtl, now);
  const ring = { zoneName: `'${zone.name}'`, keys: state.keys };
  const terms = startRoll(ring, command.role, waitFactsOf(state, zone, now), now);
  const keys = [...state.keys, ...keysOf(terms, command.keys, state.keys)];
  return {
    ...signerStep(zone, 'key-published', { ...state, keys, signedAt: now }),
    secrets: secretsOf(zone, command.keys),
  };
}

export function decidePromoteKeys(command: PromoteKeys, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { clockNow: now } = context;
  const state = noteTtls(signing, zone, command.largestTtl, now);
  const ring = { zoneName: `'${zone.name}'`, keys: state.keys };
  const published = command.isScheduled
    ? checkDue(ring, now)
    : checkPromotion(ring, command.skipHolddown, now);
  const bearsDsOfThem = published.some(({ role }) => bearsDs(role));
  if (!command.skipDsCheck && bearsDsOfThem) {
    checkDsOfPromoted(ring, apexOf(zone), published, command.answers);
  }
  const keys = promote(state.keys, waitFactsOf(state, zone, now), now);
  return signerStep(zone, 'keys-promoted', { ...state, keys, signedAt: now, parentsLetGoAt: null });
}

/** The published keys that the scheduler promotes; it looked at a state that may have passed. */
function checkDue({ zoneName, keys }: KeyRing, now: number): ZoneKey[] {
  const published = keys.filter((key) => key.state === 'published');
  if (published.length > 0 && published.every((key) => key.eligibleAt! <= now)) return published;
  throw new Problem(
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    `zone ${zoneName} has no published key that is due`,
  );
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
    .flat();
  if (gone.length === 0) return { event: undefined, outcome: { zone, signing } };
  const keys = removeKeys(signing.keys, gone);
  return {
    ...signerStep(zone, 'keys-removed', { ...signing, keys, signedAt: now, parentsLetGoAt: null }),
    secrets: gone.map(({ id }) => ({ kind: 'delete-signing-key', keyId: id })),
  };
}
