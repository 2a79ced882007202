/** Operations on zones (interface 4.2). */
import * as v from 'valibot';
import { examplePagination, exampleProbe, exampleZone } from './examples.ts';
import { retiredZoneNames } from './retired.ts';
import { defineRoute } from './route.ts';
import { message } from './schemas/common.ts';
import { dryRunParameter } from './schemas/query.ts';
import { zoneStatus } from './schemas/secondary.ts';
import {
  createZoneBody,
  listZonesQuery,
  notifyQuery,
  notifyZonesBody,
  updateZoneBody,
  zoneAnswer,
  zoneChange,
  zoneDeletion,
  zoneList,
} from './schemas/zone.ts';

const zones = { tags: ['zones'], auth: 'token', retired: retiredZoneNames } as const;

export const listZones = defineRoute({
  ...zones,
  id: 'listZones',
  admission: { by: 'token' },
  method: 'GET',
  path: '/zones',
  summary: 'List zones',
  action: 'any grant that reaches the zone; with deleted=true zone:create in all zones',
  query: listZonesQuery,
  success: { status: 200, description: 'A page of zones.', schema: zoneList },
  problems: ['FORBIDDEN'],
  examples: { response: { items: [exampleZone], pagination: examplePagination } },
});

export const createZone = defineRoute({
  ...zones,
  id: 'createZone',
  admission: { by: 'everywhere', action: 'zone:create' },
  method: 'POST',
  path: '/zones',
  summary: 'Create a zone',
  action: 'zone:create in all zones',
  body: createZoneBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new zone.', schema: zoneChange },
  problems: ['INVALID_ZONE_FIELD', 'FORBIDDEN', 'ZONE_CONFLICT'],
  examples: {
    request: { name: 'example.com', mname: 'ns1.example.com', rname: 'hostmaster@example.com' },
    response: { applied: true, dry_run: false, warnings: [], zone: exampleZone },
  },
});

export const getZone = defineRoute({
  ...zones,
  id: 'getZone',
  admission: { by: 'zone' },
  method: 'GET',
  path: '/zones/{name}',
  summary: 'Get a zone',
  description: 'SOA metadata only; records are read with GET /records?zone_name=.',
  action: 'any grant that reaches the zone',
  tagged: true,
  success: { status: 200, description: 'The zone.', schema: zoneAnswer },
  problems: ['ZONE_NOT_FOUND'],
  examples: { response: { zone: exampleZone } },
});

export const updateZone = defineRoute({
  ...zones,
  id: 'updateZone',
  admission: { by: 'zone', action: 'zone:update' },
  method: 'PUT',
  path: '/zones/{name}',
  summary: 'Update or rename a zone',
  description: 'Only given fields change. Versions and history move along with a rename.',
  action: 'zone:update; a rename also zone:create in all zones',
  conditional: true,
  body: updateZoneBody,
  bodyLimit: 'ordinary',
  success: { status: 200, description: 'The zone as it is now.', schema: zoneChange },
  problems: ['INVALID_ZONE_FIELD', 'FORBIDDEN', 'ZONE_NOT_FOUND', 'ZONE_CONFLICT'],
  examples: {
    request: { description: 'main zone' },
    response: {
      applied: true,
      dry_run: false,
      warnings: [],
      zone: { ...exampleZone, serial: 2, description: 'main zone' },
    },
  },
});

export const deleteZone = defineRoute({
  ...zones,
  id: 'deleteZone',
  admission: { by: 'zone', action: 'zone:delete' },
  method: 'DELETE',
  path: '/zones/{name}',
  summary: 'Delete a zone with its records and versions',
  action: 'zone:delete',
  conditional: true,
  query: v.strictObject({ dry_run: dryRunParameter }),
  success: { status: 200, description: 'What was deleted.', schema: zoneDeletion },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'ZONE_CONFLICT'],
  examples: {
    response: {
      applied: true,
      dry_run: false,
      records_deleted: 1,
      versions_deleted: 1,
      warnings: [],
      zone: exampleZone,
    },
  },
});

export const getZoneStatus = defineRoute({
  ...zones,
  id: 'getZoneStatus',
  admission: { by: 'zone', action: 'zone:read' },
  method: 'GET',
  path: '/zones/{name}/status',
  summary: 'Ask every enabled secondary which serial of the zone it serves',
  action: 'zone:read',
  success: { status: 200, description: 'The serials, ours and theirs.', schema: zoneStatus },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  examples: {
    response: { zone_name: 'example.com', serial: 2, secondaries: [exampleProbe], warnings: [] },
  },
});

const notify = {
  ...zones,
  method: 'POST',
  success: { status: 200, description: 'Every enabled secondary was told.', schema: message },
} as const;

export const notifyZone = defineRoute({
  ...notify,
  id: 'notifyZone',
  admission: { by: 'zone-or-catalog', action: 'zone:update' },
  path: '/zones/{name}/notify',
  summary: 'Send NOTIFY for a zone',
  action: 'zone:update',
  query: notifyQuery,
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'ZONE_CONFLICT', 'NOTIFY_FAILED'],
  examples: { response: { message: "NOTIFY sent for zone 'example.com'" } },
});

export const notifyAll = defineRoute({
  ...notify,
  id: 'notifyAll',
  admission: { by: 'everywhere', action: 'zone:update' },
  path: '/notify',
  summary: 'Send NOTIFY for all zones',
  action: 'zone:update in all zones',
  query: notifyQuery,
  problems: ['FORBIDDEN', 'ZONE_CONFLICT', 'NOTIFY_FAILED'],
  examples: { response: { message: 'NOTIFY sent for all zones' } },
});

export const notifyZones = defineRoute({
  ...notify,
  id: 'notifyZones',
  admission: { by: 'body', action: 'zone:update' },
  path: '/notify/zones',
  deprecated: true,
  summary: 'Send NOTIFY for one zone or all (earlier path)',
  action: 'zone:update; without zone_name in all zones',
  body: notifyZonesBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'ZONE_CONFLICT', 'NOTIFY_FAILED'],
  examples: {
    request: { force: true, zone_name: 'example.com' },
    response: { message: "NOTIFY sent for zone 'example.com'" },
  },
});

export const zoneRoutes = [
  listZones,
  createZone,
  getZone,
  updateZone,
  deleteZone,
  getZoneStatus,
  notifyZone,
  notifyAll,
  notifyZones,
] as const;
