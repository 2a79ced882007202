/** Records and record diffs as the interface shows and takes them (interface 2.3, 2.4 and 4.3). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { action } from './access.ts';
import { count, dryRun, int32, integer, listOf, optional, recordValue, text } from './common.ts';
import {
  booleanParameter,
  dryRunParameter,
  int32Parameter,
  pageParameters,
  searchParameter,
  sortParameters,
  textParameter,
} from './query.ts';
import { ownerName, recordType } from './shapes.ts';
import { warnings } from './warning.ts';

const priority = v.pipe(v.nullable(int32), v.description('MX and SRV only.'));

export const record = v.object({
  id: v.pipe(v.optional(int32), v.description('Absent on derived DNSSEC rows.')),
  name: v.pipe(v.string(), v.description('Absolute, with trailing dot.')),
  type: v.string(),
  value: recordValue,
  ttl: int32,
  priority,
  zone_id: int32,
  zone_name: v.nullable(v.string()),
  actions: v.pipe(v.array(action), v.description('Actions the caller holds on the record.')),
});

export const diffValue = v.object({ value: recordValue, ttl: int32, priority });

export const diffEntry = v.object({
  change: v.picklist(['added', 'removed', 'changed']),
  name: v.pipe(v.string(), v.description('Absolute, with trailing dot.')),
  type: v.string(),
  from: v.array(diffValue),
  to: v.array(diffValue),
});

export const recordDiff = v.object({
  entries: v.array(diffEntry),
  summary: v.pipe(
    v.object({ added: count, changed: count, removed: count }),
    v.description('Counted by RRset.'),
  ),
});

export const recordList = listOf(record);
export const recordAnswer = v.object({ record });

const outcome = { applied: v.boolean(), dry_run: v.boolean(), warnings, diff: recordDiff };
export const recordChange = v.object({ ...outcome, record });
export const recordDeletion = v.object({ ...outcome, deleted: count, records: v.array(record) });
export const recordBulk = v.object({ ...outcome, added: count, records: v.array(record) });

const ttl = v.pipe(
  optional(integer(0, limits.ttl)),
  v.description("The zone's default_ttl when left out."),
);
const priorityField = v.pipe(
  optional(integer(0, 65_535)),
  v.description('MX and SRV only; 10 when left out.'),
);

export const recordInput = v.strictObject({
  name: ownerName,
  type: recordType,
  value: recordValue,
  ttl,
  priority: priorityField,
});

export const createRecordBody = v.strictObject({
  zone_name: text,
  ...recordInput.entries,
  dry_run: dryRun,
});

export const updateRecordBody = v.strictObject({
  name: optional(ownerName),
  type: v.pipe(optional(recordType), v.description('A new type needs a value as well.')),
  value: optional(recordValue),
  ttl: v.pipe(optional(integer(0, limits.ttl)), v.description('Moves the whole RRset.')),
  priority: priorityField,
  dry_run: dryRun,
});

const inputs = v.array(recordInput, 'must be an array of records');

export const createRecordsBody = v.strictObject({
  zone_name: text,
  records: inputs,
  dry_run: dryRun,
});

export const createRecordsInZoneBody = v.strictObject({ records: inputs, dry_run: dryRun });

export const listRecordsQuery = v.strictObject({
  zone_name: v.optional(textParameter),
  name: v.pipe(
    v.optional(textParameter),
    v.description('Exact owner: relative to its zone, or absolute.'),
  ),
  type: v.optional(textParameter),
  value: v.pipe(
    v.optional(searchParameter),
    v.description(
      'Part of the value as it is shown, or a whole one in any spelling (2001:DB8:0::1). Case counts in texts only.',
    ),
  ),
  ttl: v.optional(int32Parameter),
  min_ttl: v.optional(int32Parameter),
  max_ttl: v.optional(int32Parameter),
  priority: v.optional(int32Parameter),
  min_priority: v.optional(int32Parameter),
  max_priority: v.optional(int32Parameter),
  search: v.pipe(v.optional(searchParameter), v.description('Part of the name or value.')),
  ...sortParameters(['name', 'type', 'ttl', 'priority', 'created_at']),
  signed: v.pipe(
    v.optional(booleanParameter),
    v.description('Append the derived DNSSEC records of zone_name.'),
  ),
  ...pageParameters,
});

export const deleteRecordQuery = v.strictObject({ dry_run: dryRunParameter });

export const deleteRecordsQuery = v.strictObject({
  zone_name: textParameter,
  name: v.pipe(ownerName, v.description('Owner, relative to the zone.')),
  type: v.optional(recordType),
  value: v.pipe(
    v.optional(textParameter),
    v.description('One record, compared canonically; needs type. TXT segments: "a" "b".'),
  ),
  priority: v.pipe(
    v.optional(int32Parameter),
    v.description('MX and SRV only; any when left out.'),
  ),
  dry_run: dryRunParameter,
});
