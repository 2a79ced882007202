/**
 * How far the addresses that a caller names may lead: to public ones, or to loopback and private ones too, which only
 * those name who run the service.
 */
import type { Rights } from './access/rights.ts';

export type Reach = 'private' | 'public';

/** Who may make zones or secondaries as they like knows the network of the service anyway. */
export function reachOf(rights: Rights): Reach {
  const runsIt = rights.everywhere('zone:create') || rights.everywhere('secondary:manage');
  return runsIt ? 'private' : 'public';
}
