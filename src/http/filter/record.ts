/** The filter of a record list, made of its query (interface 4.3, decisions 16). */
import { Problem } from '../../base/problem.ts';
import type { recordRoutes } from '../../contract/records.ts';
import type { Checked } from '../../contract/validate.ts';
import { emptyName, keyFromLabels, NameError, splitNameText } from '../../dns/name.ts';
import { derivedTypes, isStorable, parseType } from '../../dns/rrtype.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { RecordFilter } from '../../projection/record-queries.ts';
import type { ZoneView } from '../view/zones.ts';

type Query = Checked<(typeof recordRoutes.listRecords)['query']>;

/** `zones`: those that the caller sees. */
export function recordFilterOf(query: Query, zones: ZoneView): RecordFilter {
  const signed = query.signed ?? false;
  const zoneName = query.zone_name === '' ? undefined : query.zone_name;
  if (signed && zoneName === undefined) {
    throw new Problem('INVALID_INPUT', "query parameter 'signed' needs 'zone_name' beside it");
  }
  if (signed && query.value !== undefined) {
    throw new Problem('INVALID_INPUT', "query parameter 'value' can not be combined with 'signed'");
  }
  const type = query.type === undefined ? undefined : typeOf(query.type, signed);
  const zone = zoneName === undefined ? undefined : zones.get(zoneName);
  return {
    zoneId: zone?.id,
    ...ownerOf(query.name, zone),
    type,
    value: query.value === '' ? undefined : query.value,
    ttl: query.ttl,
    minTtl: query.min_ttl,
    maxTtl: query.max_ttl,
    priority: query.priority,
    minPriority: query.min_priority,
    maxPriority: query.max_priority,
    search: query.search === '' ? undefined : query.search,
    signed: signed || undefined,
  };
}

function typeOf(written: string, signed: boolean): number {
  const type = parseType(written.trim());
  if (type !== undefined && isStorable(type)) return type;
  if (type !== undefined && derivedTypes.has(type)) {
    if (signed) return type;
    throw new Problem(
      'INVALID_INPUT',
      `type ${written.toUpperCase()} is shown with signed=true only`,
    );
  }
  throw new Problem(
    'INVALID_INPUT',
    `type '${written.slice(0, 60)}' is no record type stored here`,
  );
}

/**
 * The owner as requests write it (decisions 6): in its zone, or, when no zone is given, in each. Empty
 * is no filter.
 */
function ownerOf(
  written: string | undefined,
  zone: Zone | undefined,
): Pick<RecordFilter, 'owner' | 'absoluteName' | 'openName'> {
  const name = written?.trim() ?? '';
  if (name === '') return {};
  if (zone !== undefined) return { owner: parseOwner(name, apexOf(zone)) };
  if (name === '@') return { openName: emptyName };
  try {
    const { labels, absolute } = splitNameText(name);
    const key = keyFromLabels(labels);
    return absolute ? { absoluteName: key } : { openName: key };
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw new Problem('INVALID_RECORD_NAME', `name: '${name.slice(0, 60)}' ${error.message}`);
  }
}
