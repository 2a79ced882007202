/** What a database that was taken back means for the keys of a zone that come or go. */
import { entersAlgorithm, publishedGroups, retiredGroups } from './key-roll.ts';
import { type WaitFacts, waitMs } from './key-timing.ts';
import { signsData, type ZoneKey } from './zone-key.ts';

/**
 * The keys of a zone that was taken back: since their states began it may have been served without them, or
 * by them alone. So what comes or goes signs and waits again from now, and no wait becomes shorter.
 * Secondaries may have greater serials from then, and have to have `serial`.
 */
export function waitAgain(
  keys: readonly ZoneKey[],
  facts: WaitFacts,
  serial: number,
  now: number,
): ZoneKey[] {
  const ends = new Map<number, number>();
  const noteEnds = (group: readonly ZoneKey[], waits: readonly number[]) => {
    const end = now + Math.max(...waits);
    for (const { id, eligibleAt } of group) ends.set(id, Math.max(eligibleAt ?? 0, end));
  };
  const entering = new Set<ZoneKey>();
  for (const group of publishedGroups(keys)) {
    const enters = entersAlgorithm(keys, group);
    if (enters) for (const key of group) entering.add(key);
    noteEnds(group, [waitMs(enters ? 'algorithm-published' : 'key-published', facts)]);
  }
  for (const group of retiredGroups(keys)) {
    const waits = group.map(({ role }) => waitMs(`${role}-retired`, facts));
    noteEnds(group, waits);
  }
  return keys.map((key): ZoneKey => {
    if (key.state === 'active') return key;
    const eligibleAt = ends.get(key.id)!;
    const fromThen = (time: number | null) => (time === null ? null : Math.max(time, eligibleAt));
    const { cdsFrom, dsFrom } = key;
    return {
      ...key,
      stateChangedAt: now,
      eligibleAt,
      // Parents hear of a new algorithm when caches have its signatures, as when it came; one that has the DS
      // is not asked to take it away.
      ...(entering.has(key) &&
        key.dsSeenAt === null && { cdsFrom: fromThen(cdsFrom), dsFrom: fromThen(dsFrom) }),
      stateSerial: serial,
      isHeldBack: undefined,
      ...(signsData(key.role) && { signsBeside: true }),
    };
  });
}
