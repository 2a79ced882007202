/** Operations on the versions of a zone (interface 4.2, decisions 2 and 16). */
import { exampleAddition, examplePagination, exampleVersion } from './examples.ts';
import { defineRoute } from './route.ts';
import {
  diffVersionsQuery,
  listVersionsQuery,
  rollbackAnswer,
  rollbackBody,
  rollbackQuery,
  rollbackZoneBody,
  versionAnswer,
  versionDiff,
  versionList,
} from './schemas/version.ts';

const zones = { tags: ['zones'], auth: 'token' } as const;

const list = {
  ...zones,
  method: 'GET',
  action: 'zone:read',
  query: listVersionsQuery,
  success: { status: 200, description: 'A page of versions.', schema: versionList },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  examples: { response: { items: [exampleVersion], pagination: examplePagination } },
} as const;

export const listVersions = defineRoute({
  ...list,
  id: 'listVersions',
  admission: { by: 'zone', action: 'zone:read' },
  path: '/zones/{name}/versions',
  summary: 'List versions, newest first',
});

export const listSnapshots = defineRoute({
  ...list,
  id: 'listSnapshots',
  admission: { by: 'zone', action: 'zone:read' },
  path: '/zones/{name}/snapshots',
  deprecated: true,
  summary: 'List versions (earlier path)',
});

const diff = {
  ...zones,
  method: 'GET',
  description: 'What the way from one serial to another changes; it may lead back.',
  action: 'record:read without narrowing',
  query: diffVersionsQuery,
  alternatives: [
    { names: ['from', 'at'], isNeeded: true },
    { names: ['to', 'to_at'], isNeeded: false },
  ],
  success: { status: 200, description: 'The difference.', schema: versionDiff },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'VERSION_NOT_FOUND', 'OVERLOADED'],
  examples: { response: { diff: exampleAddition, from_serial: 1, to_serial: 2 } },
} as const;

export const diffVersions = defineRoute({
  ...diff,
  id: 'diffVersions',
  admission: { by: 'zone', action: 'record:read', whole: true },
  path: '/zones/{name}/versions/diff',
  summary: 'Compare two versions',
});

export const diffSnapshots = defineRoute({
  ...diff,
  id: 'diffSnapshots',
  admission: { by: 'zone', action: 'record:read', whole: true },
  path: '/zones/{name}/snapshots/diff',
  deprecated: true,
  summary: 'Compare two versions (earlier path)',
});

const get = {
  ...zones,
  method: 'GET',
  action: 'record:read without narrowing',
  tagged: true,
  success: { status: 200, description: 'The zone as it was.', schema: versionAnswer },
  problems: ['INVALID_INPUT', 'FORBIDDEN', 'ZONE_NOT_FOUND', 'VERSION_NOT_FOUND', 'OVERLOADED'],
  examples: {
    response: {
      version: exampleVersion,
      records: [{ name: 'www', type: 'A', value: '192.0.2.1', ttl: 300, priority: null }],
    },
  },
} as const;

export const getVersion = defineRoute({
  ...get,
  id: 'getVersion',
  admission: { by: 'zone', action: 'record:read', whole: true },
  path: '/zones/{name}/versions/{serial}',
  summary: 'Get a version with its records',
});

export const getSnapshot = defineRoute({
  ...get,
  id: 'getSnapshot',
  admission: { by: 'zone', action: 'record:read', whole: true },
  path: '/zones/{name}/snapshots/{serial}',
  deprecated: true,
  summary: 'Get a version with its records (earlier path)',
});

const rollback = {
  ...zones,
  method: 'POST',
  description:
    'Records and SOA return to an older version under a new serial. Name, description and enabled stay.',
  action: 'zone:update, and record:read, record:create, record:delete without narrowing',
  query: rollbackQuery,
  conditional: true,
  success: { status: 200, description: 'What changed.', schema: rollbackAnswer },
  problems: [
    'FORBIDDEN',
    'ZONE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
  ],
} as const;

const rollbackResponse = {
  applied: true,
  dry_run: false,
  target_serial: 1,
  new_serial: 3,
  summary: { added: 0, deleted: 1, unchanged: 1, soa_changed: false },
  warnings: [],
};

export const rollbackVersion = defineRoute({
  ...rollback,
  id: 'rollbackVersion',
  admission: { by: 'zone', action: 'zone:update' },
  path: '/zones/{name}/versions/{serial}/rollback',
  summary: 'Roll back to a version',
  body: rollbackBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  examples: { request: { dry_run: false }, response: rollbackResponse },
});

export const rollbackZone = defineRoute({
  ...rollback,
  id: 'rollbackZone',
  admission: { by: 'zone', action: 'zone:update' },
  path: '/zones/{name}/rollback',
  deprecated: true,
  summary: 'Roll back to a version (earlier path)',
  body: rollbackZoneBody,
  bodyLimit: 'ordinary',
  examples: { request: { serial: 1 }, response: rollbackResponse },
});

export const versionRoutes = [
  listVersions,
  listSnapshots,
  diffVersions,
  diffSnapshots,
  getVersion,
  getSnapshot,
  rollbackVersion,
  rollbackZone,
] as const;
