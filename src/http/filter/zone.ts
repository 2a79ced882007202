/** The filter of a zone list, made of its query (decisions 16: exact after normalising). */
import { Problem } from '../../base/problem.ts';
import type { Checked } from '../../contract/validate.ts';
import type { zoneRoutes } from '../../contract/zones.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import type { ZoneFilter } from '../../projection/zone-queries.ts';

type Query = Checked<(typeof zoneRoutes.listZones)['query']>;

export function zoneFilterOf(query: Query): ZoneFilter {
  return {
    name: nameOf(query.name),
    id: query.id,
    mname: nameOf(query.mname),
    rname: responsibleOf(query.rname),
    defaultTtl: query.default_ttl,
    minDefaultTtl: query.min_default_ttl,
    maxDefaultTtl: query.max_default_ttl,
    serial: query.serial,
    minSerial: query.min_serial,
    maxSerial: query.max_serial,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    signed: query.signed,
    enabled: query.enabled,
    search: query.search === '' ? undefined : query.search,
  };
}

/** What deleted zones go with besides a page; the rest would be left out in silence. */
const goesWithDeleted = new Set(['deleted', 'search', 'limit', 'offset']);
const defaults = { sort: 'name', order: 'asc' };

/** The part of a name that deleted zones are sought by. */
export function searchDeleted(query: Query): string | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || goesWithDeleted.has(name)) continue;
    if ((name === 'sort' || name === 'order') && value === defaults[name]) continue;
    throw new Problem('INVALID_INPUT', `query parameter '${name}' does not go with 'deleted'`);
  }
  return query.search === '' ? undefined : query.search;
}

/** An empty name is no filter. */
function nameOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const name = normaliseZoneName(written);
  return name === '' ? undefined : name;
}

/** As it is stored: the domain in lower case, the local part as written; empty is no filter. */
function responsibleOf(written: string | undefined): string | undefined {
  const trimmed = written?.trim() ?? '';
  if (trimmed === '') return undefined;
  const at = trimmed.lastIndexOf('@');
  return at < 0 ? trimmed : `${trimmed.slice(0, at)}@${normaliseZoneName(trimmed.slice(at + 1))}`;
}
