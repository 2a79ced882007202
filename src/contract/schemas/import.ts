/** Imports as the interface shows and takes them (interface 4.2.1). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { count, dryRun, flag, integer, optional, text } from './common.ts';
import { recordDiff } from './record.ts';
import { hostName, responsible, serverAddress } from './shapes.ts';
import { timer } from './zone.ts';
import { warnings } from './warning.ts';

const importModes = ['append', 'upsert', 'replace'] as const;

/** A value of the new zone's SOA in place of the file's. */
function override<Schema extends v.GenericSchema>(schema: Schema, what: string) {
  return v.pipe(
    optional(schema),
    v.description(
      `With create=true, for a zone that does not exist: ${what} in place of the file's.`,
    ),
  );
}

export const importBody = v.strictObject({
  content: v.pipe(optional(text), v.description('Master file; this or from_server.')),
  from_server: v.pipe(
    optional(serverAddress),
    v.description(
      'host[:port] to transfer the zone from (AXFR); this or content. A private address needs zone:create or secondary:manage in all zones.',
    ),
  ),
  tsig_key_name: v.pipe(
    optional(text),
    v.description(
      'TSIG key that signs the transfer; unsigned when left out. It is for who holds access:manage, or all ' +
        "that the key's role allows.",
    ),
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
    v.description(
      "Create the zone from the file's SOA when it does not exist; one that exists keeps its SOA. A " +
        'serial of 0 becomes 1, or the one after the last serial of a deleted zone of that name.',
    ),
  ),
  serial: override(integer(1, limits.startingSerial), 'the first serial'),
  mname: override(hostName, 'the primary name server'),
  rname: override(responsible, 'the responsible party, in e-mail form'),
  minimum_ttl: override(timer, 'the SOA minimum'),
  refresh: override(timer, 'the refresh time'),
  retry: override(timer, 'the retry time'),
  expire: override(timer, 'the expire time'),
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
  warnings,
  diff: recordDiff,
});
