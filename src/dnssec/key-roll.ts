/**
 * Transitions of a zone's keys (the states are drawn in zone-key.ts), each a pure function of keys,
 * facts and time. One roll at a time, but that a ZSK is rolled while a KSK of its algorithm waits for the
 * parent; what a roll may not do now is refused with the code that says why. Whether the parents serve a
 * DS is judged in parent-ds.ts. At the end stands what is to happen next to the keys and when, which the
 * scheduler acts on and a status shows. CSK and KSK never begin a roll by themselves.
 */
import { dayMs, formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { type WaitFacts, waitMs } from './key-timing.ts';
import { dangerOfHaste, skippably } from './skippable.ts';
import {
  bearsDs,
  type KeyRole,
  type KeyTerms,
  type PublishedKey,
  type RetiredKey,
  type ZoneKey,
} from './zone-key.ts';

/** The keys of one zone, with the name that messages call it by. */
export interface KeyRing {
  readonly zoneName: string;
  readonly apex: NameKey;
  readonly keys: readonly ZoneKey[];
}

/** What a policy says about keys. */
export interface KeyLayout {
  readonly algorithm: number;
  /** True for a KSK and a ZSK, false for one CSK. */
  readonly splitKeys: boolean;
}

function rolesOf(splitKeys: boolean): KeyRole[] {
  return splitKeys ? ['ksk', 'zsk'] : ['csk'];
}

/** True when the keys are a KSK and a ZSK. */
export function isSplit(keys: readonly ZoneKey[]): boolean {
  return keys.some((key) => key.role !== 'csk');
}

/** The keys of a zone about to be signed: active at once; its CDS wait until all caches know. */
export function enableKeys(layout: KeyLayout, facts: WaitFacts, now: number): KeyTerms[] {
  const cdsFrom = now + waitMs('zone-signed', facts);
  return rolesOf(layout.splitKeys).map((role) => ({
    algorithm: layout.algorithm,
    role,
    state: 'active',
    createdAt: now,
    stateChangedAt: now,
    eligibleAt: null,
    cdsFrom: bearsDs(role) ? cdsFrom : null,
    dsFrom: bearsDs(role) ? now : null,
  }));
}

/** The replacement that a same-algorithm roll publishes; a split zone has to say of which role. */
export function startRoll(
  ring: KeyRing,
  role: string | null,
  facts: WaitFacts,
  now: number,
): KeyTerms[] {
  const replaced = roleToRoll(ring, role);
  if (replaced === 'zsk') checkZskMayRoll(ring);
  else checkAllActive(ring);
  const { algorithm } = ring.keys.find((key) => key.role === replaced)!;
  // A zone that was signed just now tells its parent nothing yet, whichever key it has.
  const cdsFrom = Math.max(now, ...ring.keys.map((key) => key.cdsFrom ?? 0));
  const froms = { cdsFrom, dsFrom: now };
  return [publishedKey(algorithm, replaced, now, froms, now + waitMs('key-published', facts))];
}

function roleToRoll({ zoneName, keys }: KeyRing, role: string | null): KeyRole {
  const roles = rolesOf(isSplit(keys));
  const chosen = role ?? (roles.length === 1 ? roles[0] : undefined);
  const found = roles.find((each) => each === chosen);
  if (found !== undefined) return found;
  const reason = role === null ? 'say which one to roll' : `'${role}' is none of them`;
  throw new Problem(
    'INVALID_INPUT',
    `role: zone ${zoneName} has ${roles.join(' and ')}; ${reason}`,
  );
}

/**
 * The keys of every role that an algorithm roll brings in together (RFC 6781 4.1.4). Parents hear of
 * them when every cache has the new signatures, for a DS makes validators insist on its algorithm.
 */
export function startAlgorithmRoll(
  ring: KeyRing,
  algorithm: number,
  facts: WaitFacts,
  now: number,
): KeyTerms[] {
  checkAllActive(ring);
  const eligibleAt = now + waitMs('algorithm-published', facts);
  return rolesOf(isSplit(ring.keys)).map((role) =>
    publishedKey(algorithm, role, now, { cdsFrom: eligibleAt, dsFrom: eligibleAt }, eligibleAt),
  );
}

function publishedKey(
  algorithm: number,
  role: KeyRole,
  now: number,
  froms: { readonly cdsFrom: number; readonly dsFrom: number },
  eligibleAt: number,
): KeyTerms {
  const parents = bearsDs(role) ? froms : { cdsFrom: null, dsFrom: null };
  const times = { createdAt: now, stateChangedAt: now, eligibleAt, ...parents };
  return { algorithm, role, state: 'published', ...times };
}

/** What moving a signed zone to a policy asks of its keys; refused when the layouts differ. */
export function policyMoveOf(
  ring: KeyRing,
  policyName: string,
  layout: KeyLayout,
): 'keeps-keys' | 'rolls-algorithm' {
  if (isSplit(ring.keys) !== layout.splitKeys) {
    const text = (split: boolean) => (split ? 'a KSK and a ZSK' : 'one CSK');
    throw new Problem(
      'INVALID_INPUT',
      `policy ${policyName} signs with ${text(layout.splitKeys)}, ` +
        `zone ${ring.zoneName} with ${text(!layout.splitKeys)}: the key layout can not change`,
    );
  }
  if (ring.keys.every((key) => key.algorithm === layout.algorithm)) return 'keeps-keys';
  checkAllActive(ring);
  return 'rolls-algorithm';
}

function checkAllActive(ring: KeyRing): void {
  refuseOtherRoll(
    ring,
    ring.keys.find((key) => key.state !== 'active'),
  );
}

/**
 * A KSK may wait for its parent for ever, and ZSKs are rolled all the same: it signs no data, and they
 * no DNSKEY. Keys of two algorithms come and go together, and nothing beside them.
 */
function checkZskMayRoll(ring: KeyRing): void {
  const [first] = ring.keys;
  const others = ring.keys.filter((key) => key.state !== 'active');
  const isAlgorithmRoll = ring.keys.some((key) => key.algorithm !== first?.algorithm);
  refuseOtherRoll(ring, isAlgorithmRoll ? others[0] : others.find((key) => key.role === 'zsk'));
}

function refuseOtherRoll({ zoneName }: KeyRing, other: ZoneKey | undefined): void {
  if (other === undefined) return;
  throw new Problem(
    'DNSSEC_ROLLOVER_IN_PROGRESS',
    `zone ${zoneName} has a roll in progress: key ${other.keyTag} (${other.role}) is ${other.state}`,
  );
}

/**
 * Published keys in the groups that are promoted, or aborted, together: the keys of an algorithm that has
 * no active one are one group, each other key is its own. One that a DS names comes before a ZSK.
 */
export function publishedGroups(keys: readonly ZoneKey[]): PublishedKey[][] {
  const inUse = new Set(
    keys.filter((key) => key.state === 'active').map(({ algorithm }) => algorithm),
  );
  const published = keys.filter((key) => key.state === 'published');
  const entering = published.filter((key) => !inUse.has(key.algorithm));
  const others = published.filter((key) => inUse.has(key.algorithm)).map((key) => [key]);
  const groups = entering.length === 0 ? others : [entering, ...others];
  const waits = (group: readonly ZoneKey[]) => (group.some(({ role }) => bearsDs(role)) ? 0 : 1);
  return groups.sort((a, b) => waits(a) - waits(b));
}

/** True for published keys with which an algorithm enters the zone. */
export function entersAlgorithm(keys: readonly ZoneKey[], group: readonly ZoneKey[]): boolean {
  return group.some(({ algorithm }) =>
    keys.every((key) => key.state !== 'active' || key.algorithm !== algorithm),
  );
}

/** What an abort takes away: the published keys of the role, or else those that wait for the parent, or the ZSK. */
export function groupToAbort(
  keys: readonly ZoneKey[],
  role: string | null,
): PublishedKey[] | undefined {
  const isMeant = (group: readonly ZoneKey[]) =>
    role === null || group.some((key) => key.role === role);
  return publishedGroups(keys).find(isMeant);
}

/**
 * The published keys that leave the zone as if they had never come. Refused when there are none, as after their
 * promotion.
 */
export function keysToAbort({ zoneName, keys }: KeyRing, role: string | null): PublishedKey[] {
  const found = groupToAbort(keys, role);
  if (found !== undefined) return found;
  const published = keys.find((key) => key.state === 'published');
  if (published !== undefined) {
    throw new Problem(
      'INVALID_INPUT',
      `role: zone ${zoneName} has no published key of role '${role}'; key ${published.keyTag} is a ${published.role}`,
    );
  }
  const retired = keys.find((key) => key.state === 'retired');
  const why =
    retired === undefined
      ? 'no published key'
      : `no published key any more: key ${retired.keyTag} (${retired.role}) was replaced, which can not be undone`;
  throw new Problem('DNSSEC_NO_ROLLOVER_IN_PROGRESS', `zone ${zoneName} has ${why}`);
}

/**
 * The published keys that a caller may have promoted. A ZSK alone is promoted by the scheduler, for no DS has to be
 * seen to.
 */
export function promotableKeys(ring: KeyRing): PublishedKey[] {
  const { zoneName } = ring;
  const [published] = publishedGroups(ring.keys);
  if (published === undefined) {
    throw new Problem(
      'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
      `zone ${zoneName} has no published key to promote`,
    );
  }
  if (!published.some((key) => bearsDs(key.role))) {
    throw new Problem(
      'INVALID_INPUT',
      `zone ${zoneName} rolls its ZSK only: it is promoted without being asked when its wait is over`,
    );
  }
  return published;
}

/** Refuses keys that caches may not know yet, unless that is to be skipped: what is risked then. */
export function checkHolddown(
  { zoneName }: KeyRing,
  published: readonly PublishedKey[],
  isSkipped: boolean,
  now: number,
): readonly string[] {
  const waiting = published.find((key) => key.eligibleAt > now);
  if (waiting === undefined) return [];
  const until = Math.max(...published.map(({ eligibleAt }) => eligibleAt));
  return skippably(
    isSkipped,
    () => ({ by: 'skip_holddown', danger: dangerOfHaste(published, until) }),
    () => {
      throw new Problem(
        'INVALID_INPUT',
        `key ${waiting.keyTag} of zone ${zoneName} may be promoted from ${formatTime(waiting.eligibleAt)} on, ` +
          'when all caches know it',
      );
    },
  );
}

/** The active keys of the roles of published ones, which they replace. */
export function replacedBy(keys: readonly ZoneKey[], group: readonly ZoneKey[]): ZoneKey[] {
  const roles = new Set(group.map((key) => key.role));
  return keys.filter((key) => key.state === 'active' && roles.has(key.role));
}

/**
 * A group of published keys become active, and the active ones of their roles retire. Keys that an
 * algorithm roll replaces share one end, so that their DNSKEYs and signatures go together.
 */
export function promote(
  keys: readonly ZoneKey[],
  facts: WaitFacts,
  now: number,
  group: readonly ZoneKey[] = publishedGroups(keys)[0] ?? [],
): ZoneKey[] {
  const published = keys.filter((key) => group.some(({ id }) => id === key.id));
  const replaced = replacedBy(keys, published);
  const waits = replaced.map((key) => waitMs(`${key.role}-retired`, facts));
  const removableAt = now + Math.max(0, ...waits);
  return keys.map((key): ZoneKey => {
    if (published.includes(key)) {
      // Whoever promotes before the time takes it on himself that the parents may have the DS.
      const dsFrom = key.dsFrom === null ? null : Math.min(key.dsFrom, now);
      const times = { stateChangedAt: now, eligibleAt: null, dsFrom, reliedOnAt: undefined };
      return { ...key, state: 'active', ...times, signsBeside: undefined };
    }
    if (!replaced.includes(key)) return key;
    return { ...key, state: 'retired', stateChangedAt: now, eligibleAt: removableAt };
  });
}

/** Retired keys in groups that go together: the last keys of an algorithm are one group, each other key is its own. */
export function retiredGroups(keys: readonly ZoneKey[]): RetiredKey[][] {
  const groups: RetiredKey[][] = [];
  for (const ofAlgorithm of Map.groupBy(keys, (key) => key.algorithm).values()) {
    const retired = ofAlgorithm.filter((key) => key.state === 'retired');
    if (retired.length === ofAlgorithm.length) groups.push(retired);
    else for (const key of retired) groups.push([key]);
  }
  return groups;
}

/** The groups whose time is over. */
export function removableKeys(keys: readonly ZoneKey[], now: number): RetiredKey[][] {
  return retiredGroups(keys).filter((group) => group.every((key) => key.eligibleAt <= now));
}

/** True for retired keys with which their algorithm leaves the zone. */
export function leavesAlgorithm(keys: readonly ZoneKey[], group: readonly ZoneKey[]): boolean {
  return group.some(({ algorithm }) =>
    keys.every((key) => key.algorithm !== algorithm || group.some(({ id }) => id === key.id)),
  );
}

export function removeKeys(keys: readonly ZoneKey[], removed: readonly ZoneKey[]): ZoneKey[] {
  return keys.filter((key) => !removed.some((each) => each.id === key.id));
}

/** One thing to do. `at` is in milliseconds since 1970 and may lie in the past. */
export interface KeyAction {
  readonly kind: 'start-zsk-roll' | 'publish-cds' | 'promote' | 'remove';
  readonly at: number;
  readonly keys: readonly ZoneKey[];
  /**
   * What has to be seen to besides the time: all parents have to serve the DS of the new key; no parent
   * may rely on the key that goes.
   */
  readonly awaits: 'nothing' | 'ds-at-all-parents' | 'parents-let-go';
}

export interface ScheduleTerms {
  /** Days a ZSK is active; 0 when ZSKs are not rolled by themselves. */
  readonly zskLifetimeDays: number;
  /** When the zone was last signed: CDS that were due then are in it. */
  readonly signedAt: number;
  readonly withdrawing: boolean;
  /** Until when validators may insist on a leaving algorithm; null when that is not known. */
  readonly letGoUntil: number | null;
}

/** What an action is called, so that what is in its way can be reported with it. */
export function actionName({ kind, keys }: KeyAction): string {
  return `${kind} ${keys.map(({ id }) => id).join()}`;
}

/** All actions in the order of their times. */
export function keyActions(keys: readonly ZoneKey[], terms: ScheduleTerms): KeyAction[] {
  const actions = [
    ...cdsActions(keys, terms),
    ...promotions(keys),
    ...removals(keys, terms),
    ...zskRolls(keys, terms),
  ];
  return actions.sort((a, b) => a.at - b.at);
}

function cdsActions(keys: readonly ZoneKey[], terms: ScheduleTerms): KeyAction[] {
  if (terms.withdrawing) return [];
  return keys
    .filter((key) => key.state !== 'retired' && key.cdsFrom !== null)
    .filter((key) => key.cdsFrom! > terms.signedAt)
    .map((key) => ({ kind: 'publish-cds', at: key.cdsFrom!, keys: [key], awaits: 'nothing' }));
}

function promotions(keys: readonly ZoneKey[]): KeyAction[] {
  return publishedGroups(keys).map((group) => {
    const at = Math.max(...group.map((key) => key.eligibleAt));
    const ds = group.some((key) => bearsDs(key.role));
    return { kind: 'promote', at, keys: group, awaits: ds ? 'ds-at-all-parents' : 'nothing' };
  });
}

function removals(keys: readonly ZoneKey[], { letGoUntil }: ScheduleTerms): KeyAction[] {
  return retiredGroups(keys).map((group) => ({
    kind: 'remove',
    at: Math.max(
      ...group.map((key) => key.eligibleAt),
      (leavesAlgorithm(keys, group) ? letGoUntil : null) ?? 0,
    ),
    keys: group,
    awaits: group.some((key) => bearsDs(key.role)) ? 'parents-let-go' : 'nothing',
  }));
}

function zskRolls(keys: readonly ZoneKey[], { zskLifetimeDays }: ScheduleTerms): KeyAction[] {
  if (zskLifetimeDays === 0 || !isSplit(keys)) return [];
  const zsk = keys.find((key) => key.role === 'zsk' && key.state === 'active');
  // A ZSK that comes or goes is a roll already, of the algorithm too; a KSK that is may wait long.
  if (zsk === undefined || keys.some((key) => key.role === 'zsk' && key !== zsk)) return [];
  const at = zsk.stateChangedAt + zskLifetimeDays * dayMs;
  return [{ kind: 'start-zsk-roll', at, keys: [zsk], awaits: 'nothing' }];
}
