/** Zones in and out as master files (interface 4.2 and 4.2.1). */
import { exampleAddition, exampleWarning, exampleZoneFile } from './examples.ts';
import { defineRoute } from './route.ts';
import { importBody, importReport } from './schemas/import.ts';
import { plainText } from './schemas/service.ts';
import { exportQuery } from './schemas/version.ts';

const zones = { tags: ['zones'], auth: 'token' } as const;

export const exportZone = defineRoute({
  ...zones,
  id: 'exportZone',
  admission: { by: 'zone', action: 'record:read', whole: true },
  method: 'GET',
  path: '/zones/{name}/export',
  summary: 'Export a zone as a master file',
  action: 'record:read without narrowing',
  query: exportQuery,
  alternatives: [{ names: ['serial', 'at'], isNeeded: false }],
  success: {
    status: 200,
    description: 'Master file (RFC 1035 5.1).',
    schema: plainText,
    mediaType: 'text/plain',
  },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND', 'VERSION_NOT_FOUND', 'OVERLOADED'],
  examples: { response: exampleZoneFile },
});

const imports = {
  ...zones,
  method: 'POST',
  description:
    'All records of the file are applied in one step or none: when one is bad, the answer is 422 with ' +
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
  body: importBody,
  bodyLimit: 'import',
  fileField: 'content',
  conditional: true,
  success: { status: 200, description: 'What was imported.', schema: importReport },
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
        warnings: [],
        diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
      },
    },
  ],
  problems: [
    'INVALID_ZONE_FIELD',
    'FORBIDDEN',
    'ZONE_NOT_FOUND',
    'TSIG_KEY_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
  ],
  examples: {
    request: { content: 'www 300 IN A 192.0.2.1\n', mode: 'append' },
    response: {
      applied: true,
      dry_run: false,
      errors: [],
      skipped_records: [],
      summary: { parsed: 1, added: 1, deleted: 0, updated: 0, unchanged: 0, skipped: 0 },
      warnings: [exampleWarning],
      diff: exampleAddition,
    },
  },
} as const;

export const importZone = defineRoute({
  ...imports,
  id: 'importZone',
  admission: { by: 'import' },
  path: '/zones/{name}/import',
  summary: 'Import a master file, or a zone from another server',
});

export const importZoneEarlier = defineRoute({
  ...imports,
  id: 'importZoneEarlier',
  admission: { by: 'import' },
  path: '/zones/{name}/imports',
  deprecated: true,
  summary: 'Import a master file (earlier path)',
});

export const exchangeRoutes = [exportZone, importZone, importZoneEarlier] as const;
