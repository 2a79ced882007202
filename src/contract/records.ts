/** Records and record diffs (interface 2.3, 2.4 and 4.3). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { action } from './access.ts';
import {
  applied,
  booleanParameter,
  count,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  int32,
  int32Parameter,
  integer,
  momentParameter,
  optional,
  pageParameters,
  recordValue,
  searchParameter,
  shape,
  sortParameters,
  text,
  textParameter,
  thenCurrent,
  timeParameter,
  valueParameter,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { ownerName, recordType } from './shapes.ts';
import { warnings } from './warning.ts';

const priority = described(v.nullable(int32), 'MX and SRV only.');

export const record = shape({
  id: [v.optional(int32), 7, 'Absent on generated DNSSEC records.'],
  name: [v.string(), 'www.example.com.', 'Absolute, with trailing dot.'],
  type: [v.string(), 'A'],
  value: [recordValue, '192.0.2.1'],
  ttl: [int32, 300],
  priority: [priority, null],
  zone_id: [int32, 1],
  zone_name: [v.nullable(v.string()), 'example.com'],
  actions: [
    v.array(action),
    ['record:read', 'record:update', 'record:delete'],
    'Actions the caller holds on the record.',
  ],
});

export const diffValue = shape({
  value: [recordValue, '192.0.2.1'],
  ttl: [int32, 300],
  priority: [priority, null],
});

export const diffEntry = v.object({
  change: v.picklist(['added', 'removed', 'changed']),
  name: described(v.string(), 'Absolute, with trailing dot.'),
  type: v.string(),
  from: v.array(diffValue),
  to: v.array(diffValue),
});

export const recordDiff = v.object({
  entries: v.array(diffEntry),
  summary: described(
    v.object({ added: count, changed: count, removed: count }),
    'Counted by RRset.',
  ),
});

const recordAnswer = v.object({ record });
const outcome = { ...applied, warnings, diff: recordDiff };
export const recordChange = v.object({ ...outcome, record });
export const recordDeletion = v.object({ ...outcome, deleted: count, records: v.array(record) });
export const recordBulk = v.object({
  ...applied,
  warnings,
  diff: v.exactOptional(recordDiff),
  added: count,
  records: v.exactOptional(v.array(record)),
});
const ttl = described(optional(integer(0, limits.ttl)), "The zone's default_ttl when left out.");
const priorityField = described(optional(integer(0, 65_535)), 'MX and SRV only; 10 when left out.');

export const recordInput = v.strictObject({
  name: ownerName,
  type: recordType,
  value: recordValue,
  ttl,
  priority: priorityField,
});

const inputs = v.array(recordInput, 'must be an array of records');

export const exampleAddition = {
  entries: [
    { change: 'added', name: 'www.example.com.', type: 'A', from: [], to: [diffValue.example] },
  ],
  summary: { added: 1, changed: 0, removed: 0 },
};

export const exampleRemoval = {
  entries: [
    { change: 'removed', name: 'www.example.com.', type: 'A', from: [diffValue.example], to: [] },
  ],
  summary: { added: 0, changed: 0, removed: 1 },
};

const creation = [
  'INVALID_RECORD_NAME',
  'INVALID_RECORD_VALUE',
  'FORBIDDEN',
  'ZONE_NOT_FOUND',
  'ZONE_CONFLICT',
  'RECORD_CONFLICT',
  'GUARDED',
] as const;

const deletion = answers(200, 'The records as they were.', recordDeletion, {
  applied: true,
  deleted: 1,
  dry_run: false,
  warnings: [],
  diff: exampleRemoval,
  records: [record.example],
});

const bulk = {
  description: 'One transaction: all records are inserted or none.',
  action: 'record:create on each',
  conditional: true,
  leftOut: ['diff', 'records'],
  bodyLimit: 'bulk',
  ...answers(201, 'The new records.', recordBulk, {
    added: 1,
    ...exampleApplied,
    warnings: [],
    diff: exampleAddition,
    records: [record.example],
  }),
  problems: creation,
} as const;

const exampleInputs = [{ name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 }];

export const recordRoutes = resource('records', {
  listRecords: defineRoute('GET /records', {
    admission: { by: 'token' },
    summary: 'List records',
    description:
      'With changed_by or changed_since the changes of the zone since that time, or since the first one of who is ' +
      'named, are read for each page. What blame tells of an RRset decides.',
    action: 'record:read, row by row',
    query: v.strictObject({
      zone_name: v.optional(textParameter),
      name: described(v.optional(textParameter), 'Exact owner: relative to its zone, or absolute.'),
      below: described(
        v.optional(textParameter),
        'This owner and all below it, written like name; with zone_name.',
      ),
      type: v.optional(textParameter),
      value: described(
        v.optional(valueParameter),
        'Part of the value as it is returned, or a whole one in any spelling (2001:DB8:0::1), or a prefix that the ' +
          'address of an A or AAAA is in (192.0.2.0/24). Case counts in texts only.',
      ),
      ttl: v.optional(int32Parameter),
      min_ttl: v.optional(int32Parameter),
      max_ttl: v.optional(int32Parameter),
      priority: v.optional(int32Parameter),
      min_priority: v.optional(int32Parameter),
      max_priority: v.optional(int32Parameter),
      search: described(v.optional(searchParameter), 'Part of the name or value.'),
      changed_by: described(
        v.optional(textParameter),
        'Name of a token, TSIG key or user of the host that changed the RRset last; with zone_name.',
      ),
      changed_since: described(
        v.optional(timeParameter),
        'Only RRsets that were changed at this time or later; with zone_name.',
      ),
      ...sortParameters(['name', 'type', 'ttl', 'priority', 'created_at']),
      signed: described(
        v.optional(booleanParameter),
        'Append the generated DNSSEC records of zone_name.',
      ),
      at: described(v.optional(momentParameter), `${thenCurrent} of zone_name.`),
      ...pageParameters,
    }),
    ...pageOf(record, record.example, 'A page of records.'),
    problems: [
      'INVALID_RECORD_NAME',
      'FORBIDDEN',
      'ZONE_NOT_FOUND',
      'VERSION_NOT_FOUND',
      'OVERLOADED',
    ],
  }),

  createRecord: defineRoute('POST /records', {
    admission: { by: 'body', action: 'record:create' },
    summary: 'Create a record',
    conditional: true,
    body: v.strictObject({
      zone_name: text,
      ...recordInput.entries,
      dry_run: dryRun,
    }),
    exampleBody: {
      zone_name: 'example.com',
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
      ttl: 300,
    },
    ...answers(201, 'The new record.', recordChange, {
      ...exampleApplied,
      warnings: [],
      diff: exampleAddition,
      record: record.example,
    }),
    problems: creation,
  }),

  getRecord: defineRoute('GET /records/{id}', {
    admission: { by: 'record', action: 'record:read' },
    summary: 'Get a record',
    tagged: true,
    ...answers(200, 'The record.', recordAnswer, { record: record.example }),
  }),

  updateRecord: defineRoute('PUT /records/{id}', {
    admission: { by: 'record', action: 'record:update' },
    summary: 'Update a record',
    description: 'Only given fields change. Without record:read every field must be given.',
    action: 'record:update on the old and the new name and type',
    conditional: true,
    body: v.strictObject({
      name: optional(ownerName),
      type: described(optional(recordType), 'A new type needs a value as well.'),
      value: optional(recordValue),
      ttl: described(optional(integer(0, limits.ttl)), 'Moves the whole RRset.'),
      priority: priorityField,
      dry_run: dryRun,
    }),
    exampleBody: { value: '192.0.2.1' },
    ...answers(200, 'The record as it is now.', recordChange, {
      ...exampleApplied,
      warnings: [],
      diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
      record: record.example,
    }),
    problems: [...creation],
  }),

  deleteRecord: defineRoute('DELETE /records/{id}', {
    admission: { by: 'record', action: 'record:delete' },
    summary: 'Delete a record',
    conditional: true,
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...deletion,
    problems: ['ZONE_CONFLICT', 'RECORD_CONFLICT', 'GUARDED'],
  }),

  deleteRecords: defineRoute('DELETE /records', {
    admission: { by: 'records', action: 'record:delete' },
    summary: 'Delete records by filter',
    description:
      'A name takes every type at it, a type narrows to it, a value takes one record (RFC 2136 2.5). ' +
      'Matching nothing is no error and moves nothing.',
    action: 'record:delete, covering the whole filter',
    conditional: true,
    query: v.strictObject({
      zone_name: textParameter,
      name: described(ownerName, 'Owner, relative to the zone.'),
      type: v.optional(recordType),
      value: described(
        v.optional(valueParameter),
        'One record, compared canonically; needs type. TXT segments: "a" "b".',
      ),
      priority: described(v.optional(int32Parameter), 'MX and SRV only; any when left out.'),
      dry_run: dryRunParameter,
    }),
    ...deletion,
    problems: [
      'INVALID_RECORD_NAME',
      'INVALID_RECORD_VALUE',
      'ZONE_CONFLICT',
      'RECORD_CONFLICT',
      'GUARDED',
    ],
  }),

  createRecords: defineRoute('POST /records/bulk', {
    ...bulk,
    admission: { by: 'body', action: 'record:create' },
    summary: 'Insert many records',
    body: v.strictObject({
      zone_name: text,
      records: inputs,
      dry_run: dryRun,
    }),
    exampleBody: { zone_name: 'example.com', records: exampleInputs },
  }),

  createRecordsInZone: defineRoute('POST /zones/{zone_name}/records/bulk', {
    ...bulk,
    admission: { by: 'zone', action: 'record:create' },
    deprecated: true,
    summary: 'Insert many records (earlier path)',
    body: v.strictObject({ records: inputs, dry_run: dryRun }),
    exampleBody: { records: exampleInputs },
  }),
});
