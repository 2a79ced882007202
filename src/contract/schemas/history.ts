/** The history of zones and records as the interface shows it (decisions 2 and 12). */
import * as v from 'valibot';
import { changedBy, changeSource, count, int32, listOf, time } from './common.ts';
import { int32Parameter, pageParameters, textParameter } from './query.ts';
import { recordDiff } from './record.ts';

export const historyEntry = v.object({
  serial: v.pipe(
    v.nullable(int32),
    v.description('The serial it led to; null for a deletion, which takes none.'),
  ),
  created_at: time,
  kind: v.pipe(v.string(), v.description('What happened, like records.changed.')),
  change_source: changeSource,
  changed_by: changedBy,
  request_id: v.pipe(v.nullable(v.string()), v.description('X-Request-Id of the request.')),
  diff: v.pipe(recordDiff, v.description('Of this step, only what the filter asks for.')),
  diff_left_out: v.pipe(
    v.boolean(),
    v.description('True when the step changed more than is shown here; versions/diff has it all.'),
  ),
  records_added: count,
  records_removed: count,
  settings_changed: v.pipe(
    v.array(v.string()),
    v.description('Fields of the zone that got another value, the serial left out.'),
  ),
});

export const historyList = listOf(historyEntry);

export const zoneHistoryQuery = v.strictObject({
  name: v.pipe(
    v.optional(textParameter),
    v.description('Only changes at this owner, relative to the zone.'),
  ),
  type: v.pipe(v.optional(textParameter), v.description('Only changes of records of this type.')),
  ...pageParameters,
});

export const recordHistoryQuery = v.strictObject(pageParameters);

export const restoreQuery = v.strictObject({
  id: v.pipe(
    v.optional(int32Parameter),
    v.description('One of several deleted zones of that name; the last deleted when left out.'),
  ),
});
