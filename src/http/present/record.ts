/** Records as JSON (interface 2.3): names absolute, values in their one shown form. */
import { type NameKey, printAbsoluteName, printLabels } from '../../dns/name.ts';
import { showRdata } from '../../dns/rdata/rdata.ts';
import { derivedTypes, printType } from '../../dns/rrtype.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { Caller } from '../authenticate.ts';

let lastApex: NameKey | undefined;
let lastApexText = '';

/** The absolute text of an owner. The apex is printed once for all the owners of one zone. */
export function absoluteName(owner: NameKey, apex: NameKey): string {
  if (apex !== lastApex) {
    lastApexText = printAbsoluteName(apex);
    lastApex = apex;
  }
  return owner === '' ? lastApexText : `${printLabels(owner)}.${lastApexText}`;
}

export const shownActions = ['record:read', 'record:update', 'record:delete'] as const;

/** Without a record: those of a caller with full rights. */
export function heldActions(
  rights: Rights,
  zone: Pick<Zone, 'id'>,
  record: ZoneRecord | undefined,
): readonly string[] {
  if (rights.isFull || record === undefined) return shownActions;
  const { owner, type } = record;
  return shownActions.filter((action) => rights.onRecord(action, zone.id, owner, type));
}

/** Derived records have no id, and nobody can do anything with them (interface 4.3 rule 2). */
export function presentRecord(
  zone: Zone,
  record: ZoneRecord,
  caller: Caller,
  apex: NameKey = apexOf(zone),
) {
  const { value, priority } = showRdata(record.type, record.rdata);
  const isDerived = derivedTypes.has(record.type);
  return {
    ...(isDerived ? {} : { id: record.id }),
    name: absoluteName(record.owner, apex),
    type: printType(record.type),
    value,
    ttl: record.ttl,
    priority,
    zone_id: zone.id,
    zone_name: zone.name,
    actions: isDerived ? [] : heldActions(caller.rights, zone, record),
  };
}
