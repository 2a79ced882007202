/** Checks of a change of keys that whoever knows better may have skipped, and what that risks. */
import { formatTime } from '../base/clock.ts';
import { DetailedProblem, Problem } from '../base/problem.ts';
import { bearsDs, type ZoneKey } from './zone-key.ts';

/** What lets a refused change through, and what becomes bogus then, until when. */
export interface Skippable {
  readonly by: 'skip_ds_check' | 'skip_holddown' | 'skip_secondaries';
  readonly danger: string;
}

/** The refusal of a check that may be skipped. */
function skippableProblem(
  { code, message }: Pick<Problem, 'code' | 'message'>,
  skippable: Skippable,
): DetailedProblem {
  return new DetailedProblem(code, message, { skippable });
}

/** Makes a check, unless it is to be skipped: what it refuses says how. What is risked without it. */
export function skippably(
  isSkipped: boolean,
  skippable: () => Skippable,
  check: () => void,
): readonly string[] {
  if (isSkipped) return [skippable().danger];
  try {
    check();
    return [];
  } catch (error) {
    throw error instanceof Problem ? skippableProblem(error, skippable()) : error;
  }
}

/** `key 31415`, `keys 31415 and 27182`. */
export function keysText(keys: readonly Pick<ZoneKey, 'keyTag'>[]): string {
  const tags = keys.map(({ keyTag }) => keyTag);
  return `${tags.length === 1 ? 'key' : 'keys'} ${tags.join(' and ')}`;
}

/** Until when caches may hold a DS that a parent serves; `ttl` is null where it is not known. */
function dsEnd(ttl: number | null, now: number, which = 'that DS'): string {
  if (ttl === null) return `the TTL of ${which} (often a day) is over`;
  const until = formatTime(now + ttl * 1000);
  return `the TTL of ${which} (${ttl} s) is over, which is ${until} at the earliest`;
}

/** Of a zone that is not to be signed any more. */
export function dangerOfDs(dsTtl: number | null, now: number): string {
  return (
    'While a server of the parent has a DS, validators find all of the zone bogus: nobody behind one reaches it. ' +
    `It stays so until the DS is removed and ${dsEnd(dsTtl, now)}.`
  );
}

/** Of a zone that is not to be signed any more, whose DS caches may hold. */
export function dangerOfCachedDs(until: number): string {
  return `Resolvers may hold its DS until ${formatTime(until)} and find the zone bogus until then.`;
}

/** Of keys that take over before a parent has their DS. */
export function dangerOfMissingDs(
  fresh: readonly ZoneKey[],
  replaced: readonly ZoneKey[],
  dsTtl: number | null,
  now: number,
): string {
  const [next, old] = [keysText(withDs(fresh)), keysText(withDs(replaced))];
  return (
    `The DS of ${old} stays valid, as it goes on signing the DNSKEY records. Where a server of the parent drops ` +
    `that DS before it has the one of ${next}, all of the zone is bogus, until it has it and ${dsEnd(dsTtl, now)}.`
  );
}

/** Of keys that take over before caches know them. */
export function dangerOfHaste(fresh: readonly ZoneKey[], until: number): string {
  return (
    `Resolvers that hold the DNSKEY records without ${keysText(fresh)} find what ${signs(fresh)} bogus, ` +
    `until ${formatTime(until)}.`
  );
}

/** Of keys that take over before every secondary serves them. */
export function dangerOfLateSecondary(
  fresh: readonly ZoneKey[],
  replaced: readonly ZoneKey[],
  dnskeyTtlSeconds: number,
): string {
  return (
    `Resolvers that get the DNSKEY records without ${keysText(fresh)} from a secondary that is behind find what ` +
    `${signs(fresh)} bogus, until the secondary has caught up and ${dnskeyTtlSeconds} s more. ` +
    `The removal of ${keysText(replaced)} does not wait for it either.`
  );
}

function signs(keys: readonly ZoneKey[]): string {
  return keys.length === 1 ? 'it signs' : 'they sign';
}

/** Of keys that go before they have taken over. */
export function dangerOfReliance(
  going: readonly ZoneKey[],
  left: readonly ZoneKey[],
  dsTtl: number | null,
  now: number,
): string {
  const entries = withDs(going);
  if (entries.length === 0) {
    return `Caches that know no other key than ${keysText(going)} find bogus what is signed without it.`;
  }
  return (
    `Where the DS of ${keysText(entries)} is the only one at a server of the parent, all of the zone is bogus, ` +
    `until that has the DS of ${keysText(withDs(left))} and ${dsEnd(dsTtl, now, 'the other one')}.`
  );
}

/** Those of them that a DS names. */
function withDs(keys: readonly ZoneKey[]): ZoneKey[] {
  return keys.filter(({ role }) => bearsDs(role));
}
