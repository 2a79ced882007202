/** Zones that are stored and served and that secondaries refuse all the same: those without apex NS. */
import type { Connection } from '../../journal/database.ts';
import { type Finding, fail, ok, skip } from './finding.ts';

const check = 'apex ns';

/** Zones that a message names. */
const namesShown = 5;

export async function apexFinding(connection: Connection): Promise<Finding> {
  const { zonesWithoutApexNs } = await import('../../projection/apex-ns.ts');
  const { names, zones } = zonesWithoutApexNs(connection);
  if (zones === 0) return skip(check, 'there is no enabled zone');
  if (names.length === 0) return ok(check, `all ${zones} enabled zones have NS at their apex`);
  const shown = names.slice(0, namesShown).join(', ');
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  const message = `no NS at the apex of ${shown}${more}: secondaries refuse to load such a zone`;
  const advice = `'zonebook record create ${names[0]} @ NS ns1.example.net.', or disable the zone`;
  return fail(check, message, advice);
}
