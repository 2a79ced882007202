/** What differs now from what a team last desired of a zone, as far as a caller may read it. */
import type { ResourceRecord } from '../dns/record.ts';
import type { Rights } from '../domain/access/rights.ts';
import { recordsOf } from '../domain/desired.ts';
import { diffRecords, type RecordDiff } from '../domain/diff.ts';
import { apexOf, noZone, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { DesiredQueries } from '../projection/desired-store.ts';
import { BlockScan } from './block-scan.ts';
import { StoredOwners } from './stored-owners.ts';
import { ZoneQueries } from './zone-queries.ts';

export interface Drift {
  /** As it is where the difference is read: it may have changed since it was found. */
  readonly zone: Zone;
  /** RRsets of the team that the caller may read. */
  readonly owned: number;
  /** From what was desired to what is there. */
  readonly diff: RecordDiff;
}

export class DriftQueries {
  readonly #desired: DesiredQueries;
  readonly #blocks: BlockScan;
  readonly #zones: ZoneQueries;

  constructor(connection: Connection) {
    this.#desired = new DesiredQueries(connection);
    this.#blocks = new BlockScan(connection);
    this.#zones = new ZoneQueries(connection);
  }

  of(rights: Rights, { id, name }: Zone, team: string): Drift {
    const zone = this.#zones.byId(id);
    if (zone === undefined) throw noZone(name);
    const stored = new StoredOwners(this.#blocks, id);
    const desired: ResourceRecord[] = [];
    const present: ResourceRecord[] = [];
    let owned = 0;
    for (const rrset of this.#desired.by(id, team)) {
      const { owner, type } = rrset;
      if (!rights.onRecord('record:read', id, owner, type)) continue;
      owned++;
      for (const record of recordsOf(rrset)) desired.push(record);
      for (const record of stored.at(owner)) if (record.type === type) present.push(record);
    }
    return { zone, owned, diff: diffRecords(apexOf(zone), desired, present) };
  }
}
