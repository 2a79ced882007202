/** Zones as the interface shows and takes them (interface 2.2 and 4.2). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import {
  count,
  descriptionText,
  dryRun,
  flag,
  int32,
  integer,
  listOf,
  optional,
  text,
  time,
} from './common.ts';
import {
  booleanParameter,
  int32Parameter,
  pageParameters,
  searchParameter,
  serialParameter,
  sortParameters,
  textParameter,
  timeParameter,
} from './query.ts';
import { hostName, responsible, zoneName } from './shapes.ts';
import { warnings } from './warning.ts';

export const zone = v.object({
  id: int32,
  name: v.pipe(v.string(), v.description('Lower-case, without trailing dot.')),
  mname: v.pipe(v.string(), v.description('Primary name server of the SOA.')),
  rname: v.pipe(v.string(), v.description('Responsible party of the SOA, in e-mail form.')),
  default_ttl: v.pipe(int32, v.description('TTL of the SOA and of records that name none.')),
  minimum_ttl: int32,
  refresh: int32,
  retry: int32,
  expire: int32,
  serial: v.nullable(int32),
  description: v.nullable(v.string()),
  enabled: v.boolean(),
});

/** A zone as it was when it was deleted. */
export const deletedZone = v.object({ ...zone.entries, deleted_at: time });

export const zoneList = listOf(v.union([deletedZone, zone]));
export const zoneAnswer = v.object({ zone });
export const zoneChange = v.object({
  applied: v.boolean(),
  dry_run: v.boolean(),
  warnings,
  zone,
});
export const zoneRestoration = v.object({ warnings, zone });
export const zoneDeletion = v.object({
  applied: v.boolean(),
  dry_run: v.boolean(),
  records_deleted: count,
  versions_deleted: count,
  warnings,
  zone,
});

/** Seconds of an SOA field. */
export const timer = integer(1, limits.ttl);
const timers = {
  default_ttl: optional(integer(60, 604_800)),
  minimum_ttl: optional(timer),
  refresh: optional(timer),
  retry: optional(timer),
  expire: optional(timer),
};

export const createZoneBody = v.strictObject({
  name: zoneName,
  mname: hostName,
  rname: responsible,
  ...timers,
  apex_ns: v.pipe(
    optional(flag),
    v.description('Start with an apex NS record naming mname; true when left out.'),
  ),
  serial: v.pipe(
    optional(integer(1, limits.startingSerial)),
    v.description('First serial; settable only at creation.'),
  ),
  description: optional(descriptionText),
  dry_run: dryRun,
});

export const updateZoneBody = v.strictObject({
  name: v.pipe(optional(zoneName), v.description('A different name renames the zone.')),
  mname: optional(hostName),
  rname: optional(responsible),
  ...timers,
  serial: v.pipe(
    optional(integer(0, limits.serial)),
    v.description('Accepted only when it is the current serial.'),
  ),
  description: v.pipe(optional(descriptionText), v.description('The empty string clears it.')),
  enabled: optional(flag),
  dry_run: dryRun,
});

export const listZonesQuery = v.strictObject({
  name: v.optional(textParameter),
  id: v.optional(int32Parameter),
  mname: v.optional(textParameter),
  rname: v.optional(textParameter),
  default_ttl: v.optional(int32Parameter),
  min_default_ttl: v.optional(int32Parameter),
  max_default_ttl: v.optional(int32Parameter),
  serial: v.optional(serialParameter),
  min_serial: v.optional(serialParameter),
  max_serial: v.optional(serialParameter),
  created_after: v.pipe(v.optional(timeParameter), v.description('Inclusive.')),
  created_before: v.pipe(v.optional(timeParameter), v.description('Inclusive.')),
  signed: v.optional(booleanParameter),
  enabled: v.optional(booleanParameter),
  deleted: v.pipe(
    v.optional(booleanParameter),
    v.description(
      'The deleted zones that can be restored, last deleted first; goes with search, limit and ' +
        'offset only.',
    ),
  ),
  search: v.pipe(v.optional(searchParameter), v.description('Part of the name.')),
  ...sortParameters(['name', 'serial', 'default_ttl', 'created_at']),
  ...pageParameters,
});

export const notifyQuery = v.strictObject({
  bump_serial: v.pipe(
    v.optional(booleanParameter),
    v.description('Advance the serial first, so that secondaries transfer even without a change.'),
  ),
});

/** The notify body of the earlier shape: `force` is what bump_serial is now. */
export const notifyZonesBody = v.strictObject({
  force: optional(flag),
  zone_name: v.pipe(optional(text), v.description('All zones when left out.')),
});
