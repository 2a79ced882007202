/** Zones (interface 2.2 and 4.2). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { signingStates } from '../base/signing-state.ts';
import {
  actor,
  applied,
  booleanParameter,
  count,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  flag,
  int32,
  int32Parameter,
  integer,
  integerParameter,
  message,
  momentParameter,
  optional,
  pageParameters,
  reason,
  reference,
  searchParameter,
  serialParameter,
  sortParameters,
  taggedSerialParameter,
  text,
  textParameter,
  thenCurrent,
  time,
  timeParameter,
  unchanged,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { comparedProbe, propagation, zoneStatus } from './secondaries.ts';
import { hostName, responsible, zoneName } from './shapes.ts';
import { warnings } from './warning.ts';
import { givenSettings, settingsView } from './zone-settings.ts';

/** Those of which creating a zone, or updating it, says something of its own, and the others. */
const { name, mname, rname, serial, description, enabled, guard, ...otherSettings } = givenSettings;

export const zone = v.object({
  id: int32,
  ...settingsView,
  name: described(v.string(), 'Lower-case, without trailing dot.'),
  mname: described(v.string(), 'Primary name server of the SOA.'),
  rname: described(v.string(), 'Responsible party of the SOA, in e-mail form.'),
  default_ttl: described(int32, 'TTL of the SOA and of records that name none.'),
});

/** A zone as it was when it was deleted. */
export const deletedZone = v.object({
  ...zone.entries,
  deleted_at: time,
  deleted_by: described(actor, 'Null for the service itself, and where nobody was named.'),
  deleted_reason: reason,
  deleted_reference: reference,
  records: described(count, 'What is kept: records of users, as they were at the end.'),
  versions: described(count, 'Earlier ones are read with `deleted_id`.'),
  ds_key_tags: described(
    v.array(count),
    'Of the keys that it comes back with and that a DS at the parent can name; none when it was not signed.',
  ),
  ds_withdrawing: described(
    v.boolean(),
    'Whether its parent was asked to remove the DS, and is asked again when it comes back.',
  ),
  roles_lost: described(
    v.nullable(v.array(v.string())),
    'Roles with grants in this zone alone, which went with it and do not come back. Null without access:manage, ' +
      'and for a zone that was deleted before this was written down.',
  ),
  restoring: described(
    v.array(v.string()),
    'What comes of bringing it back, sentence by sentence: its records, the grants that are lost, the DS that its ' +
      'parent is to have.',
  ),
  purge_at: described(v.nullable(time), 'When retention purges it; null when it never does.'),
});
const zoneAnswer = v.object({
  zone,
  signed: described(v.boolean(), 'Whether it is signed now, also with `at`.'),
});

const zoneChange = v.object({
  ...applied,
  warnings,
  zone,
});

export const zoneUpdate = v.object({ ...zoneChange.entries, unchanged });

export const zoneRestoration = v.object({ warnings, zone });

export const zoneDeletion = v.object({
  ...applied,
  records_deleted: count,
  versions_deleted: count,
  warnings,
  zone,
});

const notifyQuery = v.strictObject({
  bump_serial: described(
    v.optional(booleanParameter),
    'Advance the serial first, so that secondaries transfer even without a change.',
  ),
});

/** The notify body of the earlier shape: `force` is what bump_serial is now. */
const notifyZonesBody = v.strictObject({
  force: optional(flag),
  zone_name: described(optional(text), 'All zones when left out.'),
});

export const exampleZone = {
  id: 1,
  name: 'example.com',
  mname: 'ns1.example.com',
  rname: 'hostmaster@example.com',
  default_ttl: 3600,
  minimum_ttl: 86_400,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
  serial: 1,
  description: null,
  enabled: true,
  guard: null,
};

/** Retired names of zones; `ttl` is still a name of records. */
const zones = {
  retired: {
    ttl: "use 'default_ttl'",
    min_ttl: "use 'min_default_ttl'",
    max_ttl: "use 'max_default_ttl'",
    records: 'read records with GET /records?zone_name=',
  },
} as const;

const notify = {
  ...zones,
  waits: true,
  success: { status: 200, description: 'Every enabled secondary was notified.', schema: message },
} as const;

export const zoneRoutes = resource('zones', {
  listZones: defineRoute('GET /zones', {
    ...zones,
    admission: { by: 'token' },
    summary: 'List zones',
    action:
      'any grant that reaches the zone; with deleted=true zone:create, with sort=records record:read in all zones, ' +
      'with lagging or changed_by zone:read in all zones, with signing dnssec:read in all zones',
    query: v.strictObject({
      name: v.optional(textParameter),
      id: v.optional(int32Parameter),
      mname: v.optional(textParameter),
      rname: v.optional(textParameter),
      default_ttl: v.optional(int32Parameter),
      min_default_ttl: v.optional(int32Parameter),
      max_default_ttl: v.optional(int32Parameter),
      serial: v.optional(serialParameter),
      min_serial: v.optional(serialParameter),
      max_serial: v.optional(serialParameter),
      created_after: described(v.optional(timeParameter), 'Inclusive.'),
      created_before: described(v.optional(timeParameter), 'Inclusive.'),
      changed_after: described(
        v.optional(timeParameter),
        'Inclusive; changes of signing alone are none.',
      ),
      changed_by: described(
        v.optional(textParameter),
        'Name of the token, key or local user that made the last change that was not of signing alone.',
      ),
      signed: v.optional(booleanParameter),
      signing: described(
        v.optional(v.picklist(signingStates, `must be one of ${signingStates.join(', ')}`)),
        'rolling: a key comes or goes. troubled: a parent serves a DS that names no key of the zone, a step of its ' +
          'keys waits for somebody, or its signatures could not be made anew when that was last tried. ' +
          'waiting: of these, those with a step that waits, such as for the DS at the parents.',
      ),
      enabled: v.optional(booleanParameter),
      lagging: described(
        v.optional(booleanParameter),
        'Whether an enabled secondary was behind when it was last asked; those that are not asked by somebody are ' +
          'asked every 15 minutes.',
      ),
      deleted: described(
        v.optional(booleanParameter),
        'The deleted zones that can be restored, last deleted first; goes with search, limit, ' +
          'offset and cursor only.',
      ),
      search: described(v.optional(searchParameter), 'Part of the name.'),
      encloses: described(v.optional(textParameter), 'A name: only zones that it is in.'),
      ...sortParameters(['name', 'serial', 'default_ttl', 'created_at', 'changed_at', 'records']),
      ...pageParameters,
    }),
    ...pageOf(v.union([deletedZone, zone]), exampleZone, 'A page of zones.'),
    problems: ['FORBIDDEN'],
  }),

  createZone: defineRoute('POST /zones', {
    ...zones,
    admission: { by: 'everywhere', action: 'zone:create' },
    summary: 'Create a zone',
    waits: true,
    body: v.strictObject({
      name: zoneName,
      mname: hostName,
      rname: responsible,
      ...otherSettings,
      apex_ns: described(
        optional(flag),
        'Start with an apex NS record naming mname; true when left out.',
      ),
      serial: described(serial, 'First serial; settable only at creation.'),
      description,
      dry_run: dryRun,
    }),
    exampleBody: { name: 'example.com', mname: 'ns1.example.com', rname: 'hostmaster@example.com' },
    ...answers(201, 'The new zone.', zoneChange, {
      ...exampleApplied,
      warnings: [],
      zone: exampleZone,
    }),
    problems: ['INVALID_ZONE_FIELD', 'ZONE_CONFLICT'],
  }),

  getZone: defineRoute('GET /zones/{name}', {
    ...zones,
    admission: { by: 'zone' },
    summary: 'Get a zone',
    description: 'SOA metadata only; records are read with GET /records?zone_name=.',
    action: 'any grant that reaches the zone; with at zone:read',
    query: v.strictObject({ at: described(v.optional(momentParameter), `${thenCurrent}.`) }),
    tagged: true,
    ...answers(200, 'The zone.', zoneAnswer, { zone: exampleZone, signed: false }),
    problems: ['VERSION_NOT_FOUND', 'FORBIDDEN'],
  }),

  updateZone: defineRoute('PUT /zones/{name}', {
    ...zones,
    admission: { by: 'zone', action: 'zone:update' },
    summary: 'Update or rename a zone',
    description: 'Only given fields change. Versions and history move along with a rename.',
    action: 'zone:update; a rename also zone:create in all zones',
    conditional: true,
    body: v.strictObject({
      name: described(name, 'A different name renames the zone.'),
      mname,
      rname,
      ...otherSettings,
      serial: described(
        optional(integer(0, limits.serial)),
        'Accepted only when it is the current serial.',
      ),
      description: described(description, 'The empty string clears it.'),
      enabled,
      guard,
      dry_run: dryRun,
    }),
    exampleBody: { description: 'main zone' },
    ...answers(200, 'The zone as it is now.', zoneUpdate, {
      ...exampleApplied,
      unchanged: false,
      warnings: [],
      zone: { ...exampleZone, serial: 2, description: 'main zone' },
    }),
    problems: ['INVALID_ZONE_FIELD', 'ZONE_CONFLICT', 'GUARDED'],
  }),

  deleteZone: defineRoute('DELETE /zones/{name}', {
    ...zones,
    admission: { by: 'zone', action: 'zone:delete' },
    summary: 'Delete a zone with its records and versions',
    conditional: true,
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...answers(200, 'What was deleted.', zoneDeletion, {
      ...exampleApplied,
      records_deleted: 1,
      versions_deleted: 1,
      warnings: [],
      zone: exampleZone,
    }),
    problems: ['ZONE_CONFLICT', 'GUARDED'],
  }),

  getZoneStatus: defineRoute('GET /zones/{name}/status', {
    ...zones,
    admission: { by: 'zone', action: 'zone:read' },
    summary: 'Ask every enabled secondary which serial of the zone it serves',
    ...answers(200, 'The serials, ours and theirs.', zoneStatus, {
      zone_name: 'example.com',
      serial: 2,
      secondaries: [comparedProbe.example],
      warnings: [],
    }),
  }),

  getPropagation: defineRoute('GET /zones/{name}/propagation', {
    ...zones,
    admission: { by: 'zone', action: 'zone:read' },
    summary: 'Tell which secondaries serve a serial of the zone, and wait for them',
    description:
      'Each enabled secondary is asked for its SOA, again and again while there is time: after 50 ms, then after ' +
      'half as much more each time, and at once when it has transferred the zone.',
    query: v.strictObject({
      serial: described(
        v.optional(taggedSerialParameter),
        'A serial or `tag:NAME`; the latest when left out.',
      ),
      wait: described(
        v.optional(integerParameter(0, limits.propagationSeconds), '0'),
        'Seconds to wait at most; with 0 each secondary is asked once.',
      ),
    }),
    ...answers(200, 'Where the serial is.', propagation, propagation.example),
    problems: ['VERSION_NOT_FOUND', 'OVERLOADED'],
  }),

  notifyZone: defineRoute('POST /zones/{name}/notify', {
    ...notify,
    admission: { by: 'zone-or-catalog', action: 'zone:update' },
    summary: 'Send NOTIFY for a zone',
    query: notifyQuery,
    problems: ['ZONE_CONFLICT', 'NOTIFY_FAILED'],
    exampleAnswer: { message: "NOTIFY sent for zone 'example.com'" },
  }),

  notifyAll: defineRoute('POST /notify', {
    ...notify,
    admission: { by: 'everywhere', action: 'zone:update' },
    summary: 'Send NOTIFY for the catalog zone and all zones',
    query: notifyQuery,
    problems: ['ZONE_CONFLICT', 'NOTIFY_FAILED'],
    exampleAnswer: { message: 'NOTIFY sent for the catalog and all zones' },
  }),

  notifyZones: defineRoute('POST /notify/zones', {
    ...notify,
    admission: { by: 'body', action: 'zone:update' },
    deprecated: true,
    summary: 'Send NOTIFY for one zone or all (earlier path)',
    action: 'zone:update; without zone_name in all zones',
    body: notifyZonesBody,
    exampleBody: { force: true, zone_name: 'example.com' },
    bodyOptional: true,
    problems: ['ZONE_CONFLICT', 'NOTIFY_FAILED'],
    exampleAnswer: { message: "NOTIFY sent for zone 'example.com'" },
  }),
});
