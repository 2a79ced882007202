/** Zones in and out as zone files (interface 4.2 and 4.2.1). */
import * as v from 'valibot';
import {
  applied,
  booleanParameter,
  count,
  deletedIdParameter,
  described,
  dryRun,
  exampleApplied,
  flag,
  int32,
  momentParameter,
  optional,
  taggedSerialParameter,
  text,
  thenCurrent,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';
import { textBody } from './service.ts';
import { serverAddress } from './shapes.ts';
import { exampleWarning, warnings } from './warning.ts';
import { givenSettings } from './zone-settings.ts';

const importModes = ['append', 'upsert', 'replace'] as const;

/** A value of the new zone's SOA in place of the file's. */
function override<Schema extends v.GenericSchema>(schema: Schema, what: string) {
  return described(
    schema,
    `With create=true, for a zone that does not exist: ${what} in place of the file's.`,
  );
}

export const importReport = v.object({
  ...applied,
  errors: described(v.array(v.string()), 'What is wrong, line by line; then nothing was applied.'),
  skipped_records: v.array(v.string()),
  summary: v.object({
    parsed: described(count, 'Records of the file without the SOA.'),
    added: count,
    deleted: count,
    updated: described(count, 'Only the TTL changed.'),
    unchanged: count,
    skipped: count,
  }),
  new_serial: described(
    v.nullable(int32),
    'The serial that the zone gets; null when nothing of it changes. It may rise without a change of a record, ' +
      'where a server is ahead.',
  ),
  warnings,
  diff: v.exactOptional(recordDiff),
});

const exampleZoneFile = `$ORIGIN example.com.
$TTL 3600
@ IN SOA ns1.example.com. hostmaster.example.com. 1 300 60 3600000 86400
@ IN NS ns1.example.com.
www 300 IN A 192.0.2.1
`;

const imports = {
  description:
    'All records of the file are applied in one change or none: when one is bad, the answer is 422 with ' +
    'this report. TTLs are decimal seconds; $INCLUDE and $GENERATE are refused, and so are names with ' +
    'characters beyond ASCII: the line names the A-labels to write. With create=true the SOA of the file ' +
    'becomes that of the new zone. A value of it that can not be held is such a line too, which ends in ' +
    'the field of this body that takes its place: serial, mname, rname, minimum_ttl, refresh, retry or ' +
    'expire. These are 400 without create=true and 409 for a zone that exists, which keeps its SOA. ' +
    'upsert and replace refuse, as a bad file, one without a single record, and one of only an SOA ' +
    'unless the zone is new or empty; append takes it and changes nothing.',
  action:
    'record:create without narrowing; upsert and replace also record:delete; create also zone:create, ' +
    'all in all zones',
  body: v.strictObject({
    content: described(optional(text), 'Master file; this or from_server.'),
    from_server: described(
      optional(serverAddress),
      'host[:port] to transfer the zone from (AXFR); this or content. A private address needs zone:create or secondary:manage in all zones.',
    ),
    tsig_key_name: described(
      optional(text),
      'TSIG key that signs the transfer; unsigned when left out. It is for who holds access:manage, or all ' +
        "that the key's role allows.",
    ),
    mode: described(
      optional(v.picklist(importModes, `must be one of ${importModes.join(', ')}`)),
      'append (when left out) adds what is missing, upsert makes each RRset of the file equal to ' +
        "the file's, replace makes the zone equal to the file.",
    ),
    create: described(
      optional(flag),
      "Create the zone from the file's SOA when it does not exist; one that exists keeps its SOA. A " +
        'serial of 0 becomes 1, or the one after the last serial of a deleted zone of that name.',
    ),
    serial: override(givenSettings.serial, 'the first serial'),
    mname: override(givenSettings.mname, 'the primary name server'),
    rname: override(givenSettings.rname, 'the responsible party, in e-mail form'),
    minimum_ttl: override(givenSettings.minimum_ttl, 'the SOA minimum'),
    refresh: override(givenSettings.refresh, 'the refresh time'),
    retry: override(givenSettings.retry, 'the retry time'),
    expire: override(givenSettings.expire, 'the expire time'),
    skip_unsupported: described(
      optional(flag),
      'Pass over records of types that can not be stored (DNSSEC, ALIAS and alike), and list them. A zone that ' +
        "is created without them starts at the serial after the file's.",
    ),
    read_catalog: described(
      optional(flag),
      'With dry_run=true, from_server and create=true: the source is a catalog zone (RFC 9432) whose members are ' +
        "asked for. Its name may be that of this service's own catalog, under which no zone is made.",
    ),
    dry_run: dryRun,
  }),
  exampleBody: { content: 'www 300 IN A 192.0.2.1\n', mode: 'append' },
  bodyLimit: 'import',
  fileField: 'content',
  conditional: true,
  leftOut: ['diff'],
  ...answers(200, 'What was imported.', importReport, {
    ...exampleApplied,
    errors: [],
    skipped_records: [],
    summary: { parsed: 1, added: 1, deleted: 0, updated: 0, unchanged: 0, skipped: 0 },
    new_serial: 2,
    warnings: [exampleWarning],
    diff: exampleAddition,
  }),
  otherAnswers: [
    {
      status: 422,
      description: 'Bad file: nothing was applied.',
      example: {
        applied: false,
        dry_run: false,
        errors: [
          "line 1: SOA mname: '.' is not a host name of letters, digits, hyphen and underscore; give mname",
          "line 2: A value is an IPv4 address like 192.0.2.1, not '192.0.2'",
        ],
        skipped_records: [],
        summary: { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0, skipped: 0 },
        new_serial: null,
        warnings: [],
        diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
      },
    },
  ],
  problems: [
    'INVALID_ZONE_FIELD',
    'TSIG_KEY_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
    'GUARDED',
  ],
  admission: { by: 'import' },
} as const;

export const exchangeRoutes = resource('zones', {
  exportZone: defineRoute('GET /zones/{name}/export', {
    admission: { by: 'zone', action: 'record:read', whole: true },
    summary: 'Export a zone as a master file',
    query: v.strictObject({
      signed: described(
        v.optional(booleanParameter),
        'Append the generated DNSSEC records; such a file can not be imported.',
      ),
      serial: described(
        v.optional(taggedSerialParameter),
        'A serial or `tag:NAME`; the current serial when left out.',
      ),
      at: described(v.optional(momentParameter), `${thenCurrent}, instead of \`serial\`.`),
      deleted_id: deletedIdParameter,
    }),
    alternatives: [{ names: ['serial', 'at'], isNeeded: false }],
    ...answers(200, 'Master file (RFC 1035 5.1).', textBody, exampleZoneFile, 'text/plain'),
    problems: ['VERSION_NOT_FOUND', 'OVERLOADED'],
  }),

  importZone: defineRoute('POST /zones/{name}/import', {
    ...imports,
    summary: 'Import a master file, or a zone from another server',
  }),

  importZoneEarlier: defineRoute('POST /zones/{name}/imports', {
    ...imports,
    deprecated: true,
    summary: 'Import a master file (earlier path)',
  }),
});
