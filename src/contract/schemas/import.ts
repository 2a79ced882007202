/** Imports as the interface shows and takes them (interface 4.2.1). */
import * as v from 'valibot';
import { count, dryRun, flag, optional, text } from './common.ts';
import { recordDiff } from './record.ts';

const importModes = ['append', 'upsert', 'replace'] as const;

export const importBody = v.strictObject({
  content: v.pipe(optional(text), v.description('Master file; this or from_server.')),
  from_server: v.pipe(
    optional(text),
    v.description('host[:port] to transfer the zone from (AXFR); this or content.'),
  ),
  tsig_key_name: v.pipe(
    optional(text),
    v.description('TSIG key that signs the transfer; unsigned when left out.'),
  ),
  mode: v.pipe(
    optional(v.picklist(importModes, `must be one of ${importModes.join(', ')}`)),
    v.description(
      'append (when left out) adds what is missing, upsert makes each RRset of the file equal to ' +
        "the file's, replace makes the zone equal to the file.",
    ),
  ),
  create: v.pipe(
    optional(flag),
    v.description("Create the zone from the file's SOA when it does not exist."),
  ),
  skip_unsupported: v.pipe(
    optional(flag),
    v.description(
      'Pass over records of types that can not be stored (DNSSEC, ALIAS and alike), and list them.',
    ),
  ),
  dry_run: dryRun,
});

export const importReport = v.object({
  applied: v.boolean(),
  dry_run: v.boolean(),
  errors: v.pipe(
    v.array(v.string()),
    v.description('What is wrong, line by line; then nothing was applied.'),
  ),
  skipped_records: v.array(v.string()),
  summary: v.object({
    parsed: v.pipe(count, v.description('Records of the file without the SOA.')),
    added: count,
    deleted: count,
    updated: v.pipe(count, v.description('Only the TTL changed.')),
    unchanged: count,
    skipped: count,
  }),
  diff: recordDiff,
});
