/** Walks over a zone and a sorted table of records side by side, owner by owner. */
import type { NameKey } from '../../dns/name.ts';
import { hasRulesAlone } from '../../domain/node-rules.ts';
import { type FileTable, PresentedRecord } from './file-table.ts';
import type { OwnerGroup, ZoneWalk } from './zone-walk.ts';

/** What a change makes of the records of a table. */
export interface TablePlan {
  /** Takes a new record, alone at a new owner, of a type without rules for that. It stays bytes. */
  alone(owner: NameKey, presented: PresentedRecord): Promise<void>;
  /** Takes all others: at an owner, the records of the table at places from `start` to `end`. */
  owner(owner: NameKey, stored: OwnerGroup | undefined, start: number, end: number): Promise<void>;
}

/** Goes from a place of the table on, as far as an owner; returns the place it came to. */
export async function walkTable(
  walk: ZoneWalk,
  table: FileTable,
  plan: TablePlan,
  start = 0,
  limit?: NameKey,
): Promise<number> {
  const presented = new PresentedRecord();
  let at = start;
  while (at < table.count) {
    const owner = table.ownerAt(at);
    if (limit !== undefined && owner >= limit) break;
    const end = table.endOfOwner(at);
    const stored = await walk.to(owner);
    table.show(at, presented);
    const isAlone = stored === undefined && end === at + 1 && !walk.isBelowDname;
    if (isAlone && !hasRulesAlone(presented.type, presented.rdataBytes))
      await plan.alone(owner, presented);
    else await plan.owner(owner, stored, at, end);
    at = end;
  }
  return at;
}
