/** What an operator should know about how a zone is signed: sentences for people. */
import { formatTime } from '../../base/clock.ts';
import { isSigned, type ZoneSigning } from '../../domain/signing.ts';
import type { Zone } from '../../domain/zone.ts';

export function signingHints(
  zone: Zone,
  signing: ZoneSigning,
  expiredSignatures: number,
  now: number,
): string[] {
  const hints: string[] = [];
  const { dsSeen } = signing;
  const dsUntil = dsSeen === null ? 0 : dsSeen.seenAt + dsSeen.ttlSeconds * 1000;
  if (!isSigned(signing)) {
    if (dsUntil > now) {
      hints.push(
        `the zone is not signed, but resolvers may hold its DS until ${formatTime(dsUntil)}: until then they may find it bogus`,
      );
    }
    return hints;
  }
  if (expiredSignatures > 0) {
    hints.push(
      `${expiredSignatures} signatures of zone '${zone.name}' have expired: sign it again`,
    );
  }
  if (signing.foreignDsSince !== null) {
    hints.push(
      `a parent server serves a DS set that names no key of the zone, seen since ${formatTime(signing.foreignDsSince)}: validators turn the zone away`,
    );
  }
  if (signing.withdrawing) {
    hints.push(
      dsUntil > now
        ? `the parent is asked to remove the DS; do not disable before ${formatTime(dsUntil)}, when the one last seen has left all caches`
        : 'the parent is asked to remove the DS',
    );
  }
  return hints;
}
