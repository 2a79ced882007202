/** What lets history go, as the interface shows it. */
import * as v from 'valibot';
import { count, dryRun, flag, int32, text } from './common.ts';
import { restoreQuery } from './history.ts';
import { dryRunParameter } from './query.ts';
import { warnings } from './warning.ts';
import { zone } from './zone.ts';

export const purgeQuery = v.strictObject({ ...restoreQuery.entries, dry_run: dryRunParameter });

export const forgetBody = v.strictObject({
  before: v.pipe(
    text,
    v.metadata({ format: 'date-time' }),
    v.description('Versions replaced before this time go; it must not lie in the future.'),
  ),
  dry_run: dryRun,
});

export const forgetAnswer = v.object({
  applied: flag,
  dry_run: flag,
  warnings,
  versions_forgotten: count,
  oldest_serial: v.pipe(int32, v.description('The oldest version that is still there.')),
  zone,
});
