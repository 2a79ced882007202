/** Who changed what and when, and the way back from a deletion (decisions 2 and 12). */
import { exampleHistoryEntry, examplePagination, exampleZone } from './examples.ts';
import { defineRoute } from './route.ts';
import {
  historyList,
  recordHistoryQuery,
  restoreQuery,
  zoneHistoryQuery,
} from './schemas/history.ts';
import { zoneRestoration } from './schemas/zone.ts';

const history = {
  auth: 'token',
  method: 'GET',
  success: { status: 200, description: 'A page of changes, newest first.', schema: historyList },
  examples: { response: { items: [exampleHistoryEntry], pagination: examplePagination } },
} as const;

export const getZoneHistory = defineRoute({
  ...history,
  id: 'getZoneHistory',
  admission: { by: 'zone', action: 'record:read', whole: true },
  path: '/zones/{name}/history',
  tags: ['zones'],
  summary: 'List the changes of a zone',
  description: 'With name or type only changes of such records, those deleted since included.',
  action: 'record:read without narrowing',
  query: zoneHistoryQuery,
  problems: ['INVALID_RECORD_NAME', 'FORBIDDEN', 'ZONE_NOT_FOUND', 'OVERLOADED'],
});

export const getRecordHistory = defineRoute({
  ...history,
  id: 'getRecordHistory',
  admission: { by: 'record-ever', action: 'record:read' },
  path: '/records/{id}/history',
  tags: ['records'],
  summary: 'List the changes of a record',
  description:
    'Also of a record that has been deleted, while its zone is there. States at a name or of a type that ' +
    'the caller may not read are left out.',
  action: 'record:read on it, and on each of its states',
  query: recordHistoryQuery,
  problems: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'OVERLOADED'],
});

export const restoreZone = defineRoute({
  id: 'restoreZone',
  admission: { by: 'everywhere', action: 'zone:create' },
  auth: 'token',
  method: 'POST',
  path: '/zones/{name}/restore',
  tags: ['zones'],
  summary: 'Bring a deleted zone back',
  description: 'With its records and history, under a greater serial. Grants do not come back.',
  action: 'zone:create in all zones',
  query: restoreQuery,
  success: { status: 200, description: 'The zone as it is now.', schema: zoneRestoration },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'ZONE_CONFLICT'],
  examples: { response: { warnings: [], zone: { ...exampleZone, serial: 2 } } },
});

export const historyRoutes = [getZoneHistory, getRecordHistory, restoreZone] as const;
