/** What a change of keys may go by of what parents said: of the servers that the zone has, and said lately. */
import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../base/problem.ts';
import type { ParentAnswer, ParentsSaid } from '../dnssec/parent-ds.ts';
import type { ZoneSigning } from './signing.ts';
import type { Zone } from './zone.ts';

/** Milliseconds. Parents that read CDS may publish a DS, or remove one, at any time. */
const maxAgeMs = 60_000;

/** The answers; refused with DNSSEC_DS_UNVERIFIED when they tell nothing any more, or were not asked for (null). */
export function answersToGoBy(
  said: ParentsSaid | null,
  zone: Pick<Zone, 'name'>,
  signing: ZoneSigning,
  now: number,
): readonly ParentAnswer[] {
  const reason = reasonAgainst(said, signing, now);
  if (said !== null && reason === null) return said.answers;
  throw new Problem(
    'DNSSEC_DS_UNVERIFIED',
    `the parent of zone '${zone.name}' ${reason}: try again`,
  );
}

/** Whether they tell something of the parent that the zone has now. */
export function isToGoBy(said: ParentsSaid, signing: ZoneSigning, now: number): boolean {
  return reasonAgainst(said, signing, now) === null;
}

function reasonAgainst(said: ParentsSaid | null, signing: ZoneSigning, now: number): string | null {
  if (said === null) return 'was not asked for the DS, because the keys were others then';
  if (!isDeepStrictEqual(said.servers, signing.parentNsAddrs)) {
    return 'had other servers when it was asked for the DS';
  }
  // Whichever way the clock was set meanwhile.
  const ageMs = Math.abs(now - said.askedAt);
  return ageMs > maxAgeMs ? `was asked for the DS ${Math.round(ageMs / 1000)} s ago` : null;
}
