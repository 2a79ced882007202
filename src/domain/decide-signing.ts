/**
 * Commands of signing: enable, disable, settings, and the CDS that speak to the parent. Rolls are in
 * decide-key-roll.ts. Signatures and chains are made by the writer, of the state that is decided here.
 */
import { isDeepStrictEqual } from 'node:util';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { checkDenialFits } from '../dnssec/denial.ts';
import { keyTagOf, tagsOfKey } from '../dnssec/dnskey.ts';
import { enableKeys, type KeyRing, policyMoveOf, startAlgorithmRoll } from '../dnssec/key-roll.ts';
import { checkDisable, dsCachedUntil, knownDsTtl, type ParentsSaid } from '../dnssec/parent-ds.ts';
import { currentTtl } from '../dnssec/key-timing.ts';
import { type SecondaryAnswer, withAnswers } from '../dnssec/secondary-serials.ts';
import { dangerOfCachedDs, dangerOfDs, skippably } from '../dnssec/skippable.ts';
import type { KeyTerms, ZoneKey } from '../dnssec/zone-key.ts';
import { policies, requireNamed } from './access/visibility.ts';
import type { Decision, DecisionContext, SecretChange } from './decision.ts';
import { algorithmNumberOf, defaultPolicyName, type DnssecPolicy } from './dnssec-policy.ts';
import { reachOf } from './reach.ts';
import { answersToGoBy } from './parents-said.ts';
import { parseServerAddress } from './server-address.ts';
import {
  isSigned,
  type MadeKey,
  type Seen,
  type SigningOrder,
  type SigningReason,
  unsigned,
  waitFactsOf,
  withClockSet,
  withServed,
  type ZoneSigning,
} from './signing.ts';
import { apexOf, type Zone } from './zone.ts';
import { changeZone, findZone, nextReservedSerial, type OfZone } from './zone-change.ts';

/** Commands of signing. What takes time comes with them: keys are made, and parents asked, before. */
export interface OfSigning extends OfZone {
  /** The largest TTL of the zone's records, in seconds, where it was looked up; waits are made of it. */
  readonly largestTtl?: number | undefined;
  /** The serial of the zone before that was looked up: others may have raised a TTL since. */
  readonly scannedSerial?: number | undefined;
  /** What others said that a dry run goes by; of a change it is recorded before. */
  readonly seen?: Seen | undefined;
}

/** Keys that come in beside those of the zone. */
export interface WithKeys extends OfSigning {
  readonly keys: readonly MadeKey[];
  /** What the enabled secondaries serve before the keys are published, where they were asked. */
  readonly secondaries?: readonly SecondaryAnswer[] | undefined;
}

interface EnableSigning extends OfSigning {
  /** The built-in policy when not given. */
  readonly policyName?: string | undefined;
  readonly parentNsAddrs: readonly string[];
  readonly keys: readonly MadeKey[];
  /** Whether the keys take the place of all that the zone has, where it is signed. */
  readonly replaces?: boolean | undefined;
  /** The largest refresh of an SOA that secondaries may still go by, in seconds, where it was looked up. */
  readonly largestRefresh?: number | undefined;
}

interface DisableSigning extends OfSigning {
  readonly skipDsCheck: boolean;
  /** Null when they were not asked. */
  readonly said: ParentsSaid | null;
}

/** At least one of the two settings is given; keys come with a policy of another algorithm. */
interface ConfigureSigning extends WithKeys {
  readonly policyName?: string | undefined;
  readonly parentNsAddrs?: readonly string[] | undefined;
}

/** A signer step: signatures are made again, all of them or those at some owners; due CDS appear. */
interface SignZone extends OfZone {
  readonly reason: 're-signed' | 'signatures-refreshed' | 'cds-published';
  readonly revisit?: readonly NameKey[] | undefined;
}

/** The zone with how it is signed then. */
export interface SignedThen {
  readonly zone: Zone;
  readonly signing: ZoneSigning;
  /** What skipped checks risk, and caches that hold what goes: sentences. */
  readonly risks?: readonly string[];
}

type Decided = Decision<SignedThen>;

function decideEnableSigning(command: EnableSigning, context: DecisionContext): Decided {
  const zone = findZone(context, command.zoneName, 'dnssec:manage');
  const before = signingByClock(context, zone);
  if (isSigned(before) && command.replaces !== true) {
    throw new Problem('DNSSEC_ALREADY_ENABLED', `zone '${zone.name}' is signed already`);
  }
  const policy = findPolicy(context, command.policyName ?? defaultPolicyName);
  checkDenialFits(apexOf(zone), policy.denial);
  const parents = parentsOf(before, command.parentNsAddrs, context);
  const { clockNow: now } = context;
  const largestRefresh = Math.max(zone.refresh, command.largestRefresh ?? 0);
  const served = noteTtls(before, zone, command, now, largestRefresh);
  const layout = { algorithm: algorithmNumberOf(policy), splitKeys: policy.splitKeys };
  const keys = keysOf(enableKeys(layout, waitFactsOf(served, zone, now), now), command.keys, []);
  const state = {
    ...served,
    ...parents,
    policyId: policy.id,
    keys,
    signedAt: now,
    foreignDsSince: null,
    withdrawing: false,
    relyingParents: [],
    parentsLetGoAt: null,
    movedFromPolicyId: null,
    secondaries: [],
  };
  return {
    ...signerChange(zone, 'enabled', state),
    secrets: [{ kind: 'delete-signing-keys', zoneId: zone.id }, ...secretsOf(zone, command.keys)],
  };
}

function decideDisableSigning(command: DisableSigning, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { said, skipDsCheck } = command;
  const { clockNow: now } = context;
  const dsTtl = knownDsTtl(signing, said?.answers ?? []);
  const skipped = skippably(
    skipDsCheck,
    () => ({ by: 'skip_ds_check', danger: dangerOfDs(dsTtl, now) }),
    () => checkDisable(`'${zone.name}'`, answersToGoBy(said, zone, signing, now)),
  );
  const until = dsCachedUntil(signing);
  const risks = until > now ? [...skipped, dangerOfCachedDs(until)] : skipped;
  const { parentNsAddrs, parentsReach, dsSeen, dsTtls, clockSetBackTo } = signing;
  const state = { ...unsigned, parentNsAddrs, parentsReach, dsSeen, dsTtls, clockSetBackTo };
  return withRisks(risks, {
    ...signerChange(zone, 'disabled', state),
    secrets: [{ kind: 'delete-signing-keys', zoneId: zone.id }],
  });
}

function decideConfigureSigning(command: ConfigureSigning, context: DecisionContext): Decided {
  const zone = findZone(context, command.zoneName, 'dnssec:manage');
  const { policyName, parentNsAddrs } = command;
  if (policyName === undefined && parentNsAddrs === undefined) {
    throw new Problem(
      'INVALID_INPUT',
      'policy_name or parent_ns_addrs: there is nothing to change',
    );
  }
  const before = signingByClock(context, zone);
  const parents = parentNsAddrs === undefined ? {} : parentsOf(before, parentNsAddrs, context);
  const known = { ...before, ...parents };
  if (policyName === undefined) return recorded(zone, 'parents-set', before, known);
  requireSigned(zone, before);
  const policy = findPolicy(context, policyName);
  if (policy.id === before.policyId) return recorded(zone, 'parents-set', before, known);
  return moveToPolicy(zone, known, policy, command, context);
}

/** Another algorithm begins a roll; another denial makes another chain; other days are only recorded. */
function moveToPolicy(
  zone: Zone,
  before: ZoneSigning,
  policy: DnssecPolicy,
  command: ConfigureSigning,
  context: DecisionContext,
): Decided {
  const { clockNow: now, view } = context;
  const layout = { algorithm: algorithmNumberOf(policy), splitKeys: policy.splitKeys };
  const ring = ringOf(zone, before);
  const move = policyMoveOf(ring, `'${policy.name}'`, layout);
  checkDenialFits(apexOf(zone), policy.denial);
  const state = { ...noteTtls(before, zone, command, now), policyId: policy.id };
  if (move === 'rolls-algorithm') {
    const terms = startAlgorithmRoll(ring, layout.algorithm, waitFactsOf(state, zone, now), now);
    const moving = { ...state, movedFromPolicyId: before.policyId };
    return publishKeys(zone, 'policy-moved', moving, terms, command, now);
  }
  const former = view.policyById(before.policyId ?? 0);
  if (former?.denial === policy.denial) return recorded(zone, 'policy-moved', before, state);
  return signerChange(zone, 'policy-moved', state);
}

function decideSignZone(command: SignZone, context: DecisionContext): Decided {
  const { zone, signing } = findSigned(context, command.zoneName);
  const { reason, revisit } = command;
  const state = { ...signing, signedAt: context.clockNow };
  return signerChange(zone, reason, state, {
    ...(reason === 're-signed' ? { resign: true } : {}),
    ...(revisit === undefined ? {} : { revisit }),
  });
}

/** Asks the parent, by CDS and CDNSKEY, to remove the DS; or no more. */
function decideWithdrawal(
  { zoneName }: OfZone,
  withdrawing: boolean,
  context: DecisionContext,
): Decided {
  const { zone, signing } = findSigned(context, zoneName);
  if (signing.withdrawing === withdrawing) {
    const text = withdrawing ? 'asks its parent to remove the DS already' : 'asks for no removal';
    throw new Problem('INVALID_INPUT', `zone '${zone.name}' ${text}`);
  }
  const reason = withdrawing ? 'withdrawal-started' : 'withdrawal-cancelled';
  return signerChange(zone, reason, { ...signing, withdrawing, signedAt: context.clockNow });
}

/** After the clock was set, back or right again. */
function decideFollowClock({ zoneName }: OfZone, context: DecisionContext): Decided {
  const zone = findZone(context, zoneName);
  const signing = context.view.signing(zone.id) ?? unsigned;
  const state = signingByClock(context, zone);
  const reason = state.clockSetBackTo === null ? 'clock-set-right' : 'clock-set-back';
  return recorded(zone, reason, signing, state);
}

/** How a zone is signed: nothing is decided by times that a wrong clock gave. */
export function signingByClock(context: DecisionContext, { id }: Zone): ZoneSigning {
  const { view, now, clockNow } = context;
  const signing = context.signing ?? view.signing(id) ?? unsigned;
  return withClockSet(signing, clockNow, now > clockNow);
}

/** The same decision, and what it risks. */
export function withRisks(risks: readonly string[], decided: Decided): Decided {
  return { ...decided, outcome: { ...decided.outcome, risks } };
}

/** The keys of a zone, as dnssec/ judges them. */
export function ringOf(zone: Zone, { keys }: ZoneSigning): KeyRing {
  return { zoneName: `'${zone.name}'`, apex: apexOf(zone), keys };
}

export function findSigned(
  context: DecisionContext,
  zoneName: string,
): { zone: Zone; signing: ZoneSigning } {
  const zone = findZone(context, zoneName, 'dnssec:manage');
  const signing = signingByClock(context, zone);
  requireSigned(zone, signing);
  return { zone, signing };
}

function requireSigned(zone: Pick<Zone, 'name'>, signing: ZoneSigning): void {
  if (isSigned(signing)) return;
  throw new Problem('DNSSEC_NOT_ENABLED', `zone '${zone.name}' is not signed`);
}

function findPolicy({ view }: DecisionContext, name: string): DnssecPolicy {
  return requireNamed(policies, name, (known) => view.policyByName(known));
}

/** What changes with the parents that a caller names: known ones are asked as far as whoever named them could reach. */
function parentsOf(
  before: ZoneSigning,
  addresses: readonly string[],
  { rights }: DecisionContext,
): Partial<ZoneSigning> {
  const parentNsAddrs = parseParents(addresses);
  if (isDeepStrictEqual(parentNsAddrs, before.parentNsAddrs)) return {};
  // Other servers have not said yet that they rely on no old key.
  return { parentNsAddrs, parentsReach: reachOf(rights), parentsLetGoAt: null };
}

function parseParents(addresses: readonly string[]): string[] {
  if (addresses.length === 0) {
    throw new Problem('INVALID_INPUT', 'parent_ns_addrs: at least one name server is needed');
  }
  const parsed = [...new Set(addresses.map((each) => parseServerAddress('parent_ns_addrs', each)))];
  if (parsed.length <= limits.parentServers) return parsed;
  throw new Problem(
    'INVALID_INPUT',
    `parent_ns_addrs: ${parsed.length} name servers, ${limits.parentServers} at most`,
  );
}

/** The state with the TTLs and the refresh that the zone serves, as far as they are known. */
export function noteTtls(
  signing: ZoneSigning,
  zone: Zone,
  { largestTtl, scannedSerial }: OfSigning,
  now: number,
  refresh = zone.refresh,
): ZoneSigning {
  if (largestTtl === undefined) return signing;
  const isOfBefore = scannedSerial !== undefined && scannedSerial !== zone.serial;
  const known = isOfBefore ? (currentTtl(signing.largestTtls) ?? 0) : 0;
  const served = { largestTtl: Math.max(largestTtl, zone.defaultTtl, known), refresh };
  return withServed(signing, zone, served, now);
}

/**
 * Keys come in beside those of a zone. Their state begins with its next serial, which is compared with what
 * secondaries served before, where they were asked.
 */
export function publishKeys(
  zone: Zone,
  reason: SigningReason,
  state: ZoneSigning,
  terms: readonly KeyTerms[],
  { keys: made, secondaries: answers }: WithKeys,
  now: number,
): Decided {
  const stateSerial = nextReservedSerial(zone);
  const fresh = keysOf(terms, made, state.keys).map((key) => ({ ...key, stateSerial }));
  const secondaries =
    answers === undefined
      ? state.secondaries
      : withAnswers(state.secondaries, answers, zone.expire, now);
  const keys = [...state.keys, ...fresh];
  return {
    ...signerChange(zone, reason, { ...state, keys, secondaries }),
    secrets: secretsOf(zone, made),
  };
}

/** A change under a new serial in which only DNSSEC records differ. */
export function signerChange(
  zone: Zone,
  reason: SigningReason,
  state: ZoneSigning,
  signing?: SigningOrder,
): Decided {
  const fact = { reason, state };
  const change = changeZone('zone.signed', zone, nextReservedSerial(zone), { signing: fact });
  const outcome = { zone: change.zone, signing: state };
  return { event: change.event, outcome, ...(signing && { signing }) };
}

/** A state that takes no serial; no event when it is as before. */
export function recorded(
  zone: Zone,
  reason: SigningReason,
  before: ZoneSigning,
  state: ZoneSigning,
): Decided {
  const outcome = { zone, signing: state };
  if (isDeepStrictEqual(state, before)) return { event: undefined, outcome };
  const fact = { reason, state };
  const { event } = changeZone('zone.signing-noted', zone, zone.serial, { signing: fact });
  return { event, outcome };
}

/**
 * Of the keys that were made before the command one for each of the terms. The zone may have changed since
 * they were made: then the caller is to try again.
 */
function keysOf(
  terms: readonly KeyTerms[],
  made: readonly MadeKey[],
  others: readonly ZoneKey[],
): ZoneKey[] {
  const taken = new Set(others.flatMap(({ dnskey }) => tagsOfKey(dnskey)));
  return terms.map((each) => {
    const key = made.find(
      ({ algorithm, role }) => algorithm === each.algorithm && role === each.role,
    );
    if (key === undefined || tagsOfKey(key.dnskey).some((tag) => taken.has(tag))) {
      throw new Problem(
        'DNSSEC_ROLLOVER_IN_PROGRESS',
        'the keys of the zone have changed meanwhile; try again',
      );
    }
    return {
      ...each,
      id: key.id,
      keyTag: keyTagOf(key.dnskey),
      dnskey: key.dnskey,
      dsSeenAt: null,
    };
  });
}

function secretsOf(zone: Zone, made: readonly MadeKey[]): SecretChange[] {
  return made.map(({ id, privateKey }) => ({
    kind: 'put-signing-key',
    keyId: id,
    zoneId: zone.id,
    privateKey,
  }));
}

export const signingDecisions = {
  'enable-signing': decideEnableSigning,
  'disable-signing': decideDisableSigning,
  'configure-signing': decideConfigureSigning,
  'sign-zone': decideSignZone,
  'withdraw-ds': (command: OfZone, context: DecisionContext) =>
    decideWithdrawal(command, true, context),
  'cancel-withdrawal': (command: OfZone, context: DecisionContext) =>
    decideWithdrawal(command, false, context),
  'follow-clock': decideFollowClock,
};
