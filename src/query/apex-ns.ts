/** Zones whose apex has no NS: other servers refuse to load them. Reads the first block of each zone. */
import { emptyName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Connection } from '../journal/database.ts';
import { recordsAtOwner } from '../projection/block.ts';

/** The names of enabled zones without apex NS, in their order, and how many enabled zones there are. */
export function zonesWithoutApexNs(connection: Connection): { names: string[]; zones: number } {
  const firstBlocks = connection.prepare(
    `SELECT zone.name, block.records FROM zone
     JOIN block ON block.content = zone.content AND block.first = x''
     WHERE zone.enabled = 1 ORDER BY zone.name`,
  );
  const names: string[] = [];
  let zones = 0;
  for (const row of firstBlocks.iterate()) {
    const { name, records } = row as { name: string; records: Buffer };
    zones++;
    const types = recordsAtOwner(records, emptyName).map(({ type }) => type);
    if (!types.includes(rrtype.NS)) names.push(name);
  }
  return { names, zones };
}
