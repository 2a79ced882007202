/**
 * What is to happen next to the keys of a zone, and when: the reading of their states that the
 * scheduler acts on and a status shows. CSK and KSK never begin a roll by themselves.
 */
import { isSplit, leavesAlgorithm, publishedGroups, retiredGroups } from './key-roll.ts';
import { bearsDs, type ZoneKey } from './zone-key.ts';

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

const dayMs = 86_400_000;

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
