/** Who changed what and when, the way back from a deletion, and the deletion of history (decisions 2, 12 and 16). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  actor,
  applied,
  changedBy,
  changeSource,
  count,
  deletedIdParameter,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  int32,
  int32Parameter,
  integerParameter,
  limitParameter,
  momentParameter,
  nextCursor,
  pageParameters,
  pageQuery,
  reason,
  reference,
  shape,
  text,
  textParameter,
  thenCurrent,
  time,
  timeParameter,
  unchanged,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { warnings } from './warning.ts';
import { exampleZone, zone, zoneDeletion, zoneRestoration } from './zones.ts';

export const historyEntry = shape({
  serial: [v.nullable(int32), 2, 'The serial it led to; null for a deletion, which takes none.'],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  kind: [v.string(), 'records.changed', 'What happened, like records.changed.'],
  change_source: [changeSource, 'api'],
  changed_by: [changedBy, { kind: 'token', name: 'ci' }],
  actor: [actor, { kind: 'token', name: 'ci' }, 'The same with users of this host, as in events.'],
  request_id: [
    v.nullable(v.string()),
    '9f8a6c3e-5d41-4c1b-8f0e-2f6d7a1b3c4d',
    'X-Request-Id of the request.',
  ],
  reason: [reason, 'moves to the new rack'],
  reference: [reference, 'OPS-1234'],
  signing: [
    v.nullable(v.object({ reason: v.string(), key_tags: v.array(count) })),
    null,
    'What it did to the signing of the zone, like key-published, and to which keys.',
  ],
  diff: [
    recordDiff,
    exampleAddition,
    'What this change removed (`from`) and added (`to`), as in events: none of the records that stayed, and only ' +
      'what the filter asks for.',
  ],
  diff_left_out: [
    v.boolean(),
    false,
    'True when it changed more than is returned here; versions/diff has it all.',
  ],
  records_added: [count, 1],
  records_removed: [count, 0],
  settings_changed: [
    v.array(v.string()),
    [],
    'Fields of the zone that got another value, the serial left out.',
  ],
});

const blamedRrset = shape({
  name: [v.string(), 'www.example.com.', 'Absolute.'],
  type: [v.string(), 'A'],
  ttl: [int32, 300],
  records: [count, 1, 'How many records it has.'],
  event: [
    v.nullable(
      v.object({
        seq: count,
        at: time,
        kind: v.string(),
        serial: v.nullable(int32),
        actor,
        source: changeSource,
        request_id: v.nullable(v.string()),
        reason,
        reference,
      }),
    ),
    {
      seq: 7,
      at: '2026-01-31T12:00:00.000Z',
      kind: 'records.changed',
      serial: 2,
      actor: { kind: 'token', name: 'ci' },
      source: 'api',
      request_id: '9f8a6c3e-5d41-4c1b-8f0e-2f6d7a1b3c4d',
      reason: 'moves to the new rack',
      reference: 'OPS-1234',
    },
    'The last one that changed it; null once retention has deleted what that one did.',
  ],
});

export const blame = v.object({
  items: v.array(blamedRrset),
  serial: described(
    v.nullable(int32),
    'The version that it is about; with `at`, null to a caller who reads neither versions nor the whole zone.',
  ),
  next_cursor: nextCursor,
});

export const activitySpan = shape({
  at: [time, '2026-01-31T12:00:00.000Z', 'When it begins; it ends where the next one begins.'],
  changes: [count, 3, 'Serials, without those that only re-signed the zone.'],
  signing: [count, 1, 'Serials that only re-signed the zone.'],
  added: [count, 2, 'Records of users.'],
  removed: [count, 0],
  by_source: [
    v.record(v.string(), count),
    { api: 3, system: 1 },
    'All serials, by where the change came from.',
  ],
});

export const activity = v.object({
  items: v.array(activitySpan),
  to: described(time, 'When the last one ends.'),
});

const restoreQuery = v.strictObject({
  id: described(
    v.optional(int32Parameter),
    'One of several deleted zones of that name; the last deleted when left out.',
  ),
});

const purgeQuery = v.strictObject({
  ...restoreQuery.entries,
  serial: described(
    v.optional(int32Parameter),
    'Refuses another deletion than the one at this serial, as of a zone that was restored and deleted again since.',
  ),
  dry_run: dryRunParameter,
});

export const forgetAnswer = v.object({
  ...applied,
  unchanged,
  warnings,
  versions_forgotten: count,
  oldest_serial: described(int32, 'The oldest version that is still there.'),
  zone,
});

const history = {
  ...pageOf(historyEntry, historyEntry.example, 'A page of changes, newest first.'),
} as const;

export const historyRoutes = resource('zones', {
  getZoneHistory: defineRoute('GET /zones/{name}/history', {
    ...history,
    admission: { by: 'zone', action: 'record:read', whole: true },
    summary: 'List the changes of a zone',
    description: 'With name or type only changes of such records, those deleted since included.',
    query: v.strictObject({
      name: described(
        v.optional(textParameter),
        'Only changes at this owner, relative to the zone.',
      ),
      type: described(v.optional(textParameter), 'Only changes of records of this type.'),
      deleted_id: deletedIdParameter,
      ...pageParameters,
    }),
    problems: ['INVALID_RECORD_NAME', 'OVERLOADED'],
  }),

  blameZone: defineRoute('GET /zones/{name}/blame', {
    admission: { by: 'zone' },
    summary: 'List the RRsets of a zone, each with the event that made it what it is',
    description:
      'In canonical order, as far as the caller may read them. DNSSEC records are left out.',
    action: 'record:read, row by row',
    query: v.strictObject({
      name: described(v.optional(textParameter), 'Only this owner, relative to the zone.'),
      type: described(v.optional(textParameter), 'Only RRsets of this type.'),
      at: described(v.optional(momentParameter), `${thenCurrent}.`),
      deleted_id: deletedIdParameter,
      limit: limitParameter,
      cursor: described(v.optional(textParameter), '`next_cursor` of the page before.'),
    }),
    ...answers(200, 'A page of RRsets.', blame, {
      items: [blamedRrset.example],
      serial: 2,
      next_cursor: null,
    }),
    problems: ['INVALID_RECORD_NAME', 'FORBIDDEN', 'VERSION_NOT_FOUND', 'OVERLOADED'],
  }),

  getZoneActivity: defineRoute('GET /zones/{name}/activity', {
    admission: { by: 'zone', action: 'record:read', whole: true },
    summary: 'Count the changes of a zone over time',
    description:
      'In spans of equal length, for drawings. Records that retention has deleted the changes of are not counted.',
    query: v.strictObject({
      from: described(v.optional(timeParameter), 'The creation of the zone when left out.'),
      to: described(v.optional(timeParameter), 'Up to before this time; now when left out.'),
      buckets: described(
        v.optional(integerParameter(1, limits.activitySpans), '50'),
        'Number of spans.',
      ),
      deleted_id: deletedIdParameter,
    }),
    ...answers(200, 'The spans, in order.', activity, {
      items: [activitySpan.example],
      to: '2026-02-01T12:00:00.000Z',
    }),
    problems: ['OVERLOADED'],
  }),

  getRecordHistory: defineRoute('GET /records/{id}/history', {
    tag: 'records',
    ...history,
    admission: { by: 'record-ever', action: 'record:read' },
    summary: 'List the changes of a record',
    description:
      'Also of a record that has been deleted, while its zone is there. States at a name or of a type that ' +
      'the caller may not read are left out.',
    action: 'record:read on it, and on each of its states',
    query: pageQuery,
    problems: ['OVERLOADED'],
  }),

  restoreZone: defineRoute('POST /zones/{name}/restore', {
    admission: { by: 'everywhere', action: 'zone:create' },
    summary: 'Bring a deleted zone back',
    waits: true,
    description: 'With its records and history, under a greater serial. Grants do not come back.',
    query: restoreQuery,
    ...answers(200, 'The zone as it is now.', zoneRestoration, {
      warnings: [],
      zone: { ...exampleZone, serial: 2 },
    }),
    problems: ['ZONE_NOT_FOUND', 'ZONE_CONFLICT'],
  }),

  purgeZone: defineRoute('POST /zones/{name}/purge', {
    admission: { by: 'everywhere', action: 'zone:delete' },
    summary: 'Purge a deleted zone',
    description: 'Its records and versions can not be brought back. That it existed stays known.',
    query: purgeQuery,
    ...answers(200, 'What was purged.', zoneDeletion, {
      ...exampleApplied,
      records_deleted: 1,
      versions_deleted: 1,
      warnings: [],
      zone: exampleZone,
    }),
    problems: ['ZONE_NOT_FOUND', 'ZONE_CONFLICT'],
  }),

  forgetHistory: defineRoute('POST /zones/{name}/forget-history', {
    admission: { by: 'zone', action: 'zone:delete' },
    summary: 'Delete old versions of a zone',
    description:
      'The version in force at that time stays, older ones go, with all that later ones took away ' +
      'from them. Who changed the zone when stays known.',
    body: v.strictObject({
      before: v.pipe(
        text,
        v.metadata({ format: 'date-time' }),
        v.description('Versions replaced before this time go; it must not lie in the future.'),
      ),
      dry_run: dryRun,
    }),
    exampleBody: { before: '2026-01-31T12:00:00Z' },
    ...answers(200, 'What was deleted.', forgetAnswer, {
      ...exampleApplied,
      unchanged: false,
      warnings: [],
      versions_forgotten: 12,
      oldest_serial: 13,
      zone: { ...exampleZone, serial: 20 },
    }),
    problems: ['INVALID_INPUT'],
  }),
});
