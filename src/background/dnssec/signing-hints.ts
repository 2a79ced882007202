/** What an operator should know about how a zone is signed: sentences for people. */
import { formatTime } from '../../base/clock.ts';
import { dsCachedUntil } from '../../dnssec/parent-ds.ts';
import { isSigned, type ZoneSigning } from '../../domain/signing.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SignatureFacts } from '../../query/signature-scan.ts';

export function signingHints(
  zone: Zone,
  signing: ZoneSigning,
  signatures: Pick<SignatureFacts, 'expired' | 'future'>,
  now: number,
): string[] {
  const hints: string[] = [];
  const dsUntil = dsCachedUntil(signing);
  if (!isSigned(signing)) {
    if (dsUntil > now) {
      hints.push(
        `the zone is not signed, but resolvers may hold its DS until ${formatTime(dsUntil)}: until then they may find it bogus`,
      );
    }
    return hints;
  }
  const { expired, future } = signatures;
  if (expired > 0) {
    hints.push(`${expired} signatures of zone '${zone.name}' have expired: sign it again`);
  }
  if (future > 0) {
    hints.push(
      `${future} signatures of zone '${zone.name}' are not valid yet, because the clock was ahead when they were made: the next run of the scheduler makes them anew, or sign it again`,
    );
  }
  if (signing.foreignDsSince !== null) {
    hints.push(
      `a parent server serves a DS set that names no key of the zone to validators, seen since ${formatTime(signing.foreignDsSince)}: they turn the zone away`,
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
