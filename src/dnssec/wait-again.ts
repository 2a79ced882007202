/** What a database that was taken back means for the keys of a zone that come or go. */
import { entersAlgorithm, publishedGroups, retiredGroups } from './key-roll.ts';
import { type WaitFacts, waitMs } from './key-timing.ts';
import { putOff, signsData, type ZoneKey } from './zone-key.ts';

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
    for (const { id } of group) ends.set(id, now + Math.max(...waits));
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
    return {
      ...putOff(key, ends.get(key.id)!, entering.has(key)),
      stateChangedAt: now,
      stateSerial: serial,
      isHeldBack: undefined,
      ...(signsData(key.role) && { signsBeside: true }),
    };
  });
}
