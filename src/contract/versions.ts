/** Versions of a zone (interface 2.5 and 4.2, decisions 2 and 16). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  actor,
  applied,
  booleanParameter,
  changedBy,
  changeSource,
  count,
  deletedIdParameter,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  flag,
  int32,
  integer,
  limitField,
  momentParameter,
  nextCursor,
  optional,
  pageParameters,
  partParameters,
  reason,
  recordValue,
  reference,
  shape,
  taggedSerialParameter,
  text,
  textParameter,
  thenCurrent,
  time,
  valueParameter,
} from './fields.ts';
import { exampleAddition, exampleRemoval, recordDiff } from './records.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { warnings } from './warning.ts';
import { settingsView } from './zone-settings.ts';
import { exampleZone } from './zones.ts';

/** What the SOA of a version says. */
const { mname, rname, default_ttl, minimum_ttl, refresh, retry, expire } = settingsView;

export const zoneVersion = shape({
  serial: [int32, 2],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  change_source: [changeSource, 'api'],
  changed_by: [changedBy, { kind: 'token', name: 'ci' }],
  actor: [actor, { kind: 'token', name: 'ci' }, 'The same with users of this host, as in events.'],
  change_reason: [reason, 'moves to the new rack'],
  change_reference: [reference, 'OPS-1234'],
  mname: [mname, exampleZone.mname],
  rname: [rname, exampleZone.rname],
  default_ttl: [default_ttl, exampleZone.default_ttl],
  minimum_ttl: [minimum_ttl, exampleZone.minimum_ttl],
  refresh: [refresh, exampleZone.refresh],
  retry: [retry, exampleZone.retry],
  expire: [expire, exampleZone.expire],
});

const versionRecord = shape({
  name: [v.string(), 'www', 'Relative to the zone, @ for the apex.'],
  type: [v.string(), 'A'],
  value: [recordValue, '192.0.2.1'],
  ttl: [int32, 300],
  priority: [v.nullable(int32), null, 'MX and SRV only.'],
});

export const versionAnswer = v.object({
  version: zoneVersion,
  records: v.array(versionRecord),
  next_cursor: nextCursor,
});

export const versionDiff = v.object({
  diff: described(recordDiff, 'Its summary counts the RRsets of this page.'),
  from_serial: int32,
  to_serial: int32,
  next_cursor: nextCursor,
});

/** What a zone is compared with, which may be a file, and then has no serial. */
export const zoneDiff = v.object({ ...versionDiff.entries, to_serial: v.nullable(int32) });

export const rollbackAnswer = v.object({
  ...applied,
  target_serial: int32,
  new_serial: described(int32, 'The current one when nothing changed.'),
  summary: v.object({ added: count, deleted: count, unchanged: count, soa_changed: v.boolean() }),
  warnings,
  diff: described(
    v.nullable(recordDiff),
    'Null when it changed over 3,000 records (500 in a signed zone): then compare the versions. A dry run shows all.',
  ),
});

/** Names and types to which a rollback or a revert can be narrowed. */
const namesRule = 'must be an array of at most 1000 strings';
export const names = v.pipe(v.array(text, namesRule), v.maxLength(1000, namesRule));

export const rollbackScope = {
  names: described(
    optional(names),
    'Only RRsets at these owners, relative to the zone, @ for the apex. Settings stay then.',
  ),
  types: described(optional(names), 'Only RRsets of these types. Settings stay then.'),
};

const list = {
  query: v.strictObject({
    include_signer_serials: described(
      v.optional(booleanParameter),
      'Include past serials at which only generated DNSSEC records changed.',
    ),
    at: described(v.optional(momentParameter), `${thenCurrent}, alone.`),
    deleted_id: deletedIdParameter,
    ...pageParameters,
  }),
  ...pageOf(zoneVersion, zoneVersion.example, 'A page of versions.'),
  admission: { by: 'zone', action: 'zone:read' },
} as const;

const valueRule =
  'Only RRsets with a value, of before or after, that has this in it: in master-file form, in upper or lower case.';

const diff = {
  description: 'What the way from one serial to another changes; it may lead back.',
  query: v.strictObject({
    from: described(
      v.optional(taggedSerialParameter),
      'A serial or `tag:NAME`; needed, or `at` instead of it.',
    ),
    at: described(v.optional(momentParameter), `${thenCurrent}, instead of \`from\`.`),
    to: described(
      v.optional(taggedSerialParameter),
      'A serial or `tag:NAME`; the current serial when left out.',
    ),
    to_at: described(v.optional(momentParameter), `${thenCurrent}, instead of \`to\`.`),
    deleted_id: deletedIdParameter,
    summary: described(v.optional(booleanParameter), 'Only count: the answer has no entries.'),
    value: described(v.optional(valueParameter), valueRule),
    actor: described(
      v.optional(textParameter),
      'Only RRsets that who has this name changed in between: a token, a TSIG key or a user of the host.',
    ),
    ...partParameters('RRsets'),
  }),
  alternatives: [
    { names: ['from', 'at'], isNeeded: true },
    { names: ['to', 'to_at'], isNeeded: false },
  ],
  ...answers(200, 'The difference.', versionDiff, {
    diff: exampleAddition,
    from_serial: 1,
    to_serial: 2,
    next_cursor: null,
  }),
  problems: ['VERSION_NOT_FOUND', 'INVALID_RECORD_NAME', 'OVERLOADED'],
  admission: { by: 'zone', action: 'record:read', whole: true },
} as const;

const get = {
  description: 'The serial may be a tag: `tag:NAME`.',
  tagged: true,
  query: v.strictObject({
    deleted_id: deletedIdParameter,
    summary: described(v.optional(booleanParameter), 'Without the records.'),
    ...partParameters('records'),
  }),
  ...answers(200, 'The zone as it was.', versionAnswer, {
    version: zoneVersion.example,
    records: [versionRecord.example],
    next_cursor: null,
  }),
  problems: ['INVALID_INPUT', 'VERSION_NOT_FOUND', 'INVALID_RECORD_NAME', 'OVERLOADED'],
  admission: { by: 'zone', action: 'record:read', whole: true },
} as const;

const rollback = {
  description:
    'Records and SOA return to an older version under a new serial. Name, description and enabled stay. A serial in ' +
    'the path may be a tag: `tag:NAME`.',
  action: 'zone:update, and record:read, record:create, record:delete without narrowing',
  query: v.strictObject({ dry_run: dryRunParameter }),
  conditional: true,
  ...answers(200, 'What changed.', rollbackAnswer, {
    ...exampleApplied,
    target_serial: 1,
    new_serial: 3,
    summary: { added: 0, deleted: 1, unchanged: 1, soa_changed: false },
    warnings: [],
    diff: exampleRemoval,
  }),
  problems: [
    'VERSION_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
    'INVALID_RECORD_NAME',
    'GUARDED',
  ],
  admission: { by: 'zone', action: 'zone:update' },
} as const;

export const versionRoutes = resource('zones', {
  listVersions: defineRoute('GET /zones/{name}/versions', {
    ...list,
    summary: 'List versions, newest first',
  }),

  listSnapshots: defineRoute('GET /zones/{name}/snapshots', {
    ...list,
    deprecated: true,
    summary: 'List versions (earlier path)',
  }),

  diffVersions: defineRoute('GET /zones/{name}/versions/diff', {
    ...diff,
    summary: 'Compare two versions',
  }),

  diffSnapshots: defineRoute('GET /zones/{name}/snapshots/diff', {
    ...diff,
    deprecated: true,
    summary: 'Compare two versions (earlier path)',
  }),

  diffZone: defineRoute('POST /zones/{name}/diff', {
    summary: 'Compare a zone with a master file or with another zone',
    description:
      'What the zone would have to change to be the same. The SOA and DNSSEC records are left out; owners in ' +
      'two zones are compared relative to them.',
    body: v.strictObject({
      content: described(optional(text), 'Master file, this or `other`.'),
      other: described(optional(text), 'Name of another zone, this or `content`.'),
      at: described(optional(text), `${thenCurrent}.`),
      other_at: described(optional(text), 'The same of the other zone.'),
      name: described(optional(text), 'Only this owner, relative to the zone.'),
      type: described(optional(text), 'Only RRsets of this type.'),
      value: described(optional(text), valueRule),
      summary: described(optional(flag), 'Only count: the answer has no entries.'),
      limit: described(optional(limitField), 'How many RRsets a page has; all when left out.'),
      cursor: described(optional(text), '`next_cursor` of the page before.'),
    }),
    exampleBody: { content: 'www 300 IN A 192.0.2.1\n' },
    bodyLimit: 'import',
    fileField: 'content',
    ...answers(200, 'The difference.', zoneDiff, {
      diff: exampleAddition,
      from_serial: 2,
      to_serial: null,
      next_cursor: null,
    }),
    problems: ['VERSION_NOT_FOUND', 'INVALID_RECORD_NAME'],
    action: 'record:read without narrowing, of both zones',
    admission: { by: 'zone', action: 'record:read', whole: true },
  }),

  getVersion: defineRoute('GET /zones/{name}/versions/{serial}', {
    ...get,
    summary: 'Get a version with its records',
  }),

  getSnapshot: defineRoute('GET /zones/{name}/snapshots/{serial}', {
    ...get,
    deprecated: true,
    summary: 'Get a version with its records (earlier path)',
  }),

  rollbackVersion: defineRoute('POST /zones/{name}/versions/{serial}/rollback', {
    ...rollback,
    summary: 'Roll back to a version',
    body: v.strictObject({ ...rollbackScope, dry_run: dryRun }),
    exampleBody: { dry_run: false },
    bodyOptional: true,
  }),

  rollbackZone: defineRoute('POST /zones/{name}/rollback', {
    ...rollback,
    summary: 'Roll back to a version or a time',
    body: v.strictObject({
      serial: described(optional(integer(0, limits.serial)), 'Needed, or `at` instead of it.'),
      at: described(optional(text), `${thenCurrent}, instead of \`serial\`.`),
      ...rollbackScope,
      dry_run: dryRun,
    }),
    exampleBody: { serial: 1 },
  }),
});
