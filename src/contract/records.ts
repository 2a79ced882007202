/** Operations on records (interface 4.3). */
import { exampleAddition, examplePagination, exampleRecord, exampleRemoval } from './examples.ts';
import { defineRoute } from './route.ts';
import {
  createRecordBody,
  createRecordsBody,
  createRecordsInZoneBody,
  deleteRecordQuery,
  deleteRecordsQuery,
  listRecordsQuery,
  recordAnswer,
  recordBulk,
  recordChange,
  recordDeletion,
  recordList,
  updateRecordBody,
} from './schemas/record.ts';

const records = { tags: ['records'], auth: 'token' } as const;

export const listRecords = defineRoute({
  ...records,
  id: 'listRecords',
  admission: { by: 'token' },
  method: 'GET',
  path: '/records',
  summary: 'List records',
  action: 'record:read, row by row',
  query: listRecordsQuery,
  success: { status: 200, description: 'A page of records.', schema: recordList },
  problems: ['INVALID_RECORD_NAME', 'ZONE_NOT_FOUND'],
  examples: { response: { items: [exampleRecord], pagination: examplePagination } },
});

const creation = [
  'INVALID_RECORD_NAME',
  'INVALID_RECORD_VALUE',
  'FORBIDDEN',
  'ZONE_NOT_FOUND',
  'ZONE_CONFLICT',
  'RECORD_CONFLICT',
] as const;

export const createRecord = defineRoute({
  ...records,
  id: 'createRecord',
  admission: { by: 'body', action: 'record:create' },
  method: 'POST',
  path: '/records',
  summary: 'Create a record',
  action: 'record:create',
  conditional: true,
  body: createRecordBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new record.', schema: recordChange },
  problems: creation,
  examples: {
    request: {
      zone_name: 'example.com',
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
      ttl: 300,
    },
    response: {
      applied: true,
      dry_run: false,
      warnings: [],
      diff: exampleAddition,
      record: exampleRecord,
    },
  },
});

export const getRecord = defineRoute({
  ...records,
  id: 'getRecord',
  admission: { by: 'record', action: 'record:read' },
  method: 'GET',
  path: '/records/{id}',
  summary: 'Get a record',
  action: 'record:read',
  tagged: true,
  success: { status: 200, description: 'The record.', schema: recordAnswer },
  problems: ['RECORD_NOT_FOUND'],
  examples: { response: { record: exampleRecord } },
});

export const updateRecord = defineRoute({
  ...records,
  id: 'updateRecord',
  admission: { by: 'record', action: 'record:update' },
  method: 'PUT',
  path: '/records/{id}',
  summary: 'Update a record',
  description: 'Only given fields change. Without record:read every field must be given.',
  action: 'record:update on the old and the new name and type',
  conditional: true,
  body: updateRecordBody,
  bodyLimit: 'ordinary',
  success: { status: 200, description: 'The record as it is now.', schema: recordChange },
  problems: [...creation, 'RECORD_NOT_FOUND'],
  examples: {
    request: { value: '192.0.2.1' },
    response: {
      applied: true,
      dry_run: false,
      warnings: [],
      diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
      record: exampleRecord,
    },
  },
});

const deletion = {
  status: 200,
  description: 'The records as they were.',
  schema: recordDeletion,
} as const;

const exampleDeletion = {
  applied: true,
  deleted: 1,
  dry_run: false,
  warnings: [],
  diff: exampleRemoval,
  records: [exampleRecord],
};

export const deleteRecord = defineRoute({
  ...records,
  id: 'deleteRecord',
  admission: { by: 'record', action: 'record:delete' },
  method: 'DELETE',
  path: '/records/{id}',
  summary: 'Delete a record',
  action: 'record:delete',
  conditional: true,
  query: deleteRecordQuery,
  success: deletion,
  problems: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'ZONE_CONFLICT', 'RECORD_CONFLICT'],
  examples: { response: exampleDeletion },
});

export const deleteRecords = defineRoute({
  ...records,
  id: 'deleteRecords',
  admission: { by: 'records', action: 'record:delete' },
  method: 'DELETE',
  path: '/records',
  summary: 'Delete records by filter',
  description:
    'A name takes every type at it, a type narrows to it, a value takes one record (RFC 2136 2.5). ' +
    'Matching nothing is no error and moves nothing.',
  action: 'record:delete, covering the whole filter',
  conditional: true,
  query: deleteRecordsQuery,
  success: deletion,
  problems: [
    'INVALID_RECORD_NAME',
    'INVALID_RECORD_VALUE',
    'FORBIDDEN',
    'ZONE_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
  ],
  examples: { response: exampleDeletion },
});

const bulk = {
  ...records,
  method: 'POST',
  description: 'One transaction: all records are inserted or none.',
  action: 'record:create on each',
  conditional: true,
  bodyLimit: 'bulk',
  success: { status: 201, description: 'The new records.', schema: recordBulk },
  problems: creation,
} as const;

const exampleInputs = [{ name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 }];
const exampleBulk = {
  added: 1,
  applied: true,
  dry_run: false,
  warnings: [],
  diff: exampleAddition,
  records: [exampleRecord],
};

export const createRecords = defineRoute({
  ...bulk,
  id: 'createRecords',
  admission: { by: 'body', action: 'record:create' },
  path: '/records/bulk',
  summary: 'Insert many records',
  body: createRecordsBody,
  examples: {
    request: { zone_name: 'example.com', records: exampleInputs },
    response: exampleBulk,
  },
});

export const createRecordsInZone = defineRoute({
  ...bulk,
  id: 'createRecordsInZone',
  admission: { by: 'zone', action: 'record:create' },
  path: '/zones/{zone_name}/records/bulk',
  deprecated: true,
  summary: 'Insert many records (earlier path)',
  body: createRecordsInZoneBody,
  examples: { request: { records: exampleInputs }, response: exampleBulk },
});

export const recordRoutes = [
  listRecords,
  createRecord,
  getRecord,
  updateRecord,
  deleteRecord,
  deleteRecords,
  createRecords,
  createRecordsInZone,
] as const;
