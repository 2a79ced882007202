/** Versions of zones as the interface shows and takes them (interface 2.5 and 4.2). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import {
  changedBy,
  changeSource,
  count,
  dryRun,
  int32,
  integer,
  listOf,
  recordValue,
  time,
} from './common.ts';
import {
  booleanParameter,
  dryRunParameter,
  pageParameters,
  serialParameter,
  timeParameter,
} from './query.ts';
import { recordDiff } from './record.ts';
import { warnings } from './warning.ts';

export const zoneVersion = v.object({
  serial: int32,
  created_at: time,
  change_source: changeSource,
  changed_by: changedBy,
  mname: v.string(),
  rname: v.string(),
  default_ttl: int32,
  minimum_ttl: int32,
  refresh: int32,
  retry: int32,
  expire: int32,
});

const versionRecord = v.object({
  name: v.pipe(v.string(), v.description('Relative to the zone, @ for the apex.')),
  type: v.string(),
  value: recordValue,
  ttl: int32,
  priority: v.pipe(v.nullable(int32), v.description('MX and SRV only.')),
});

export const versionList = listOf(zoneVersion);
export const versionAnswer = v.object({ version: zoneVersion, records: v.array(versionRecord) });
export const versionDiff = v.object({ diff: recordDiff, from_serial: int32, to_serial: int32 });

export const rollbackAnswer = v.object({
  applied: v.boolean(),
  dry_run: v.boolean(),
  target_serial: int32,
  new_serial: v.pipe(int32, v.description('The current one when nothing changed.')),
  summary: v.object({ added: count, deleted: count, unchanged: count, soa_changed: v.boolean() }),
  warnings,
});

const thenCurrent = 'The version that was current then';

export const listVersionsQuery = v.strictObject({
  include_signer_serials: v.pipe(
    v.optional(booleanParameter),
    v.description('Include past serials at which only derived DNSSEC records changed.'),
  ),
  at: v.pipe(v.optional(timeParameter), v.description(`${thenCurrent}, alone.`)),
  ...pageParameters,
});

export const diffVersionsQuery = v.strictObject({
  from: v.pipe(v.optional(serialParameter), v.description('Needed, or `at` instead of it.')),
  at: v.pipe(v.optional(timeParameter), v.description(`${thenCurrent}, instead of \`from\`.`)),
  to: v.pipe(v.optional(serialParameter), v.description('The current serial when left out.')),
  to_at: v.pipe(v.optional(timeParameter), v.description(`${thenCurrent}, instead of \`to\`.`)),
});

export const rollbackQuery = v.strictObject({ dry_run: dryRunParameter });
export const rollbackBody = v.strictObject({ dry_run: dryRun });

/** The earlier shape has the serial in the body. */
export const rollbackZoneBody = v.strictObject({
  serial: integer(0, limits.serial),
  dry_run: dryRun,
});

export const exportQuery = v.strictObject({
  signed: v.pipe(
    v.optional(booleanParameter),
    v.description('Append the derived DNSSEC records; such a file can not be imported.'),
  ),
  serial: v.pipe(v.optional(serialParameter), v.description('The current serial when left out.')),
  at: v.pipe(v.optional(timeParameter), v.description(`${thenCurrent}, instead of \`serial\`.`)),
});
