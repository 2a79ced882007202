/** Versions of a zone (interface 2.5 and 4.2, decisions 2 and 16). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  applied,
  booleanParameter,
  changedBy,
  changeSource,
  count,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  int32,
  integer,
  pageParameters,
  reason,
  recordValue,
  reference,
  serialParameter,
  shape,
  thenCurrent,
  time,
  timeParameter,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { warnings } from './warning.ts';
import { exampleZone, shownSettings } from './zones.ts';

/** What the SOA of a version says. */
const { mname, rname, default_ttl, minimum_ttl, refresh, retry, expire } = shownSettings;

export const zoneVersion = shape({
  serial: [int32, 2],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  change_source: [changeSource, 'api'],
  changed_by: [changedBy, { kind: 'token', name: 'ci' }],
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

export const versionAnswer = v.object({ version: zoneVersion, records: v.array(versionRecord) });
export const versionDiff = v.object({ diff: recordDiff, from_serial: int32, to_serial: int32 });

export const rollbackAnswer = v.object({
  ...applied,
  target_serial: int32,
  new_serial: described(int32, 'The current one when nothing changed.'),
  summary: v.object({ added: count, deleted: count, unchanged: count, soa_changed: v.boolean() }),
  warnings,
});

const list = {
  query: v.strictObject({
    include_signer_serials: described(
      v.optional(booleanParameter),
      'Include past serials at which only derived DNSSEC records changed.',
    ),
    at: described(v.optional(timeParameter), `${thenCurrent}, alone.`),
    ...pageParameters,
  }),
  ...pageOf(zoneVersion, zoneVersion.example, 'A page of versions.'),
  admission: { by: 'zone', action: 'zone:read' },
} as const;

const diff = {
  description: 'What the way from one serial to another changes; it may lead back.',
  query: v.strictObject({
    from: described(v.optional(serialParameter), 'Needed, or `at` instead of it.'),
    at: described(v.optional(timeParameter), `${thenCurrent}, instead of \`from\`.`),
    to: described(v.optional(serialParameter), 'The current serial when left out.'),
    to_at: described(v.optional(timeParameter), `${thenCurrent}, instead of \`to\`.`),
  }),
  alternatives: [
    { names: ['from', 'at'], isNeeded: true },
    { names: ['to', 'to_at'], isNeeded: false },
  ],
  ...answers(200, 'The difference.', versionDiff, {
    diff: exampleAddition,
    from_serial: 1,
    to_serial: 2,
  }),
  problems: ['VERSION_NOT_FOUND', 'OVERLOADED'],
  admission: { by: 'zone', action: 'record:read', whole: true },
} as const;

const get = {
  tagged: true,
  ...answers(200, 'The zone as it was.', versionAnswer, {
    version: zoneVersion.example,
    records: [versionRecord.example],
  }),
  problems: ['INVALID_INPUT', 'VERSION_NOT_FOUND', 'OVERLOADED'],
  admission: { by: 'zone', action: 'record:read', whole: true },
} as const;

const rollback = {
  description:
    'Records and SOA return to an older version under a new serial. Name, description and enabled stay.',
  action: 'zone:update, and record:read, record:create, record:delete without narrowing',
  query: v.strictObject({ dry_run: dryRunParameter }),
  conditional: true,
  ...answers(200, 'What changed.', rollbackAnswer, {
    ...exampleApplied,
    target_serial: 1,
    new_serial: 3,
    summary: { added: 0, deleted: 1, unchanged: 1, soa_changed: false },
    warnings: [],
  }),
  problems: ['VERSION_NOT_FOUND', 'ZONE_CONFLICT', 'RECORD_CONFLICT'],
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
    body: v.strictObject({ dry_run: dryRun }),
    exampleBody: { dry_run: false },
    bodyOptional: true,
  }),

  rollbackZone: defineRoute('POST /zones/{name}/rollback', {
    ...rollback,
    deprecated: true,
    summary: 'Roll back to a version (earlier path)',
    body: v.strictObject({ serial: integer(0, limits.serial), dry_run: dryRun }),
    exampleBody: { serial: 1 },
  }),
});
