/**
 * Prerequisites of a dynamic update (RFC 2136 3.2), judged on the records as they are stored.
 *
 * Names match literally: a wildcard stands for nothing but itself, an empty non-terminal is not in use.
 * The SOA exists at the apex and nowhere else. TTLs do not count.
 */
import { unreachable } from '../base/problem.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import { rdataKey } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Prerequisite, UpdateVerdict } from './dynamic-update.ts';
import type { ZoneRecord } from './record.ts';
import { soaRdata, type Zone } from './zone.ts';

/** The records at an owner. */
export type RecordsAt = (owner: NameKey) => readonly ZoneRecord[];

/**
 * The RCODE of the first prerequisite that does not hold, or NOERROR. Wherever they stand in the message, RRsets that
 * are to be exactly so are judged last, as their records are gathered until its end (RFC 2136 3.2.5).
 */
export function judgePrerequisites(
  prerequisites: readonly Prerequisite[],
  zone: Zone,
  recordsAt: RecordsAt,
): UpdateVerdict {
  const isGathered = ({ kind }: Prerequisite) => kind === 'rrset-equals';
  const inTurn = prerequisites.filter((prerequisite) => !isGathered(prerequisite));
  for (const prerequisite of [...inTurn, ...prerequisites.filter(isGathered)]) {
    const verdict = judge(prerequisite, zone, recordsAt);
    if (verdict !== 'NOERROR') return verdict;
  }
  return 'NOERROR';
}

function judge(prerequisite: Prerequisite, zone: Zone, recordsAt: RecordsAt): UpdateVerdict {
  const { kind, owner } = prerequisite;
  const isInUse = () => owner === emptyName || recordsAt(owner).length > 0;
  const rdatasOf = (type: number): readonly Buffer[] => {
    if (type === rrtype.SOA) return owner === emptyName ? [soaRdata(zone)] : [];
    const records = recordsAt(owner).filter((record) => record.type === type);
    return records.map(({ rdata }) => rdata);
  };
  switch (kind) {
    case 'name-in-use':
      return isInUse() ? 'NOERROR' : 'NXDOMAIN';
    case 'name-not-in-use':
      return isInUse() ? 'YXDOMAIN' : 'NOERROR';
    case 'rrset-exists':
      return rdatasOf(prerequisite.type).length > 0 ? 'NOERROR' : 'NXRRSET';
    case 'rrset-absent':
      return rdatasOf(prerequisite.type).length > 0 ? 'YXRRSET' : 'NOERROR';
    case 'rrset-equals': {
      const { type, rdatas } = prerequisite;
      return isSameSet(type, rdatasOf(type), rdatas) ? 'NOERROR' : 'NXRRSET';
    }
    default:
      return unreachable(kind);
  }
}

/** A record that the message names twice counts once (RFC 2181 5); stored ones are all different. */
function isSameSet(type: number, stored: readonly Buffer[], wanted: readonly Buffer[]): boolean {
  const missing = new Set(wanted.map((rdata) => rdataKey(type, rdata)));
  return (
    stored.length === missing.size && stored.every((rdata) => missing.has(rdataKey(type, rdata)))
  );
}
