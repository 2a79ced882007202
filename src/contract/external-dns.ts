/** Operations for an external DNS controller (interface 4.8); served when api.external_dns_enabled is on. */
import { defineRoute } from './route.ts';
import {
  adjustAnswer,
  adjustBody,
  changesAnswer,
  changesBody,
  domainsAnswer,
  externalRecordsAnswer,
} from './schemas/external-dns.ts';

const externalDns = { tags: ['external-dns'], auth: 'token' } as const;

const exampleInput = { name: 'www.example.com', type: 'A', ttl: 300, values: ['192.0.2.1'] };
const exampleStored = { name: 'www.example.com.', type: 'A', ttl: 300, values: ['192.0.2.1'] };

export const listExternalDomains = defineRoute({
  ...externalDns,
  id: 'listExternalDomains',
  admission: { by: 'token' },
  method: 'GET',
  path: '/external-dns/domains',
  summary: 'List the domains a controller may manage',
  description:
    'A grant contributes its zone, or its subtree, where the role may read, create and delete ' +
    'records of one and the same type among A, AAAA, CNAME and TXT. A domain covers all below it.',
  action: 'none',
  success: { status: 200, description: 'Names of zones and subtrees.', schema: domainsAnswer },
  problems: ['ENDPOINT_NOT_FOUND'],
  examples: { response: { domains: ['example.com'] } },
});

export const listExternalRecords = defineRoute({
  ...externalDns,
  id: 'listExternalRecords',
  admission: { by: 'token' },
  method: 'GET',
  path: '/external-dns/records',
  summary: 'List the records of these domains',
  description: 'One entry for each name and type. Names of a deeper zone are that zone’s alone.',
  action: 'record:read, row by row',
  success: { status: 200, description: 'A, AAAA, CNAME and TXT.', schema: externalRecordsAnswer },
  problems: ['ENDPOINT_NOT_FOUND'],
  examples: { response: { records: [exampleStored] } },
});

export const adjustExternalRecords = defineRoute({
  ...externalDns,
  id: 'adjustExternalRecords',
  admission: { by: 'token' },
  method: 'POST',
  path: '/external-dns/adjust',
  summary: 'Spell records as they would be stored',
  description:
    'Answers in the order of the request and changes nothing. What can not be read as a name or a ' +
    'value stays as it is: only applying it is refused, and `check` asks why beforehand. Records of ' +
    'other types are refused, each listed in `errors`.',
  action: 'none',
  body: adjustBody,
  bodyLimit: 'bulk',
  success: { status: 200, description: 'The same records.', schema: adjustAnswer },
  problems: ['ENDPOINT_NOT_FOUND', 'INVALID_RECORD_VALUE'],
  itemList: 'records',
  examples: {
    request: { records: [{ name: 'WWW.example.com', type: 'a', values: ['192.0.2.1'] }] },
    response: { records: [{ ...exampleStored, ttl: null }] },
  },
});

export const applyExternalChanges = defineRoute({
  ...externalDns,
  id: 'applyExternalChanges',
  admission: { by: 'body', action: 'record:create', or: 'record:delete' },
  method: 'POST',
  path: '/external-dns/changes',
  summary: 'Apply the changes of a controller',
  description:
    'One transaction over all zones: all or nothing. A record goes to the most specific zone there ' +
    'is. What is so already is no change, and only zones that change take a step of their serial. A ' +
    'refusal lists in `errors` every item that can not be, by its list and index.',
  action: 'record:create on what is created, record:delete on what is deleted, both for updates',
  body: changesBody,
  bodyLimit: 'bulk',
  success: { status: 200, description: 'What changed.', schema: changesAnswer },
  problems: [
    'ENDPOINT_NOT_FOUND',
    'INVALID_RECORD_NAME',
    'INVALID_RECORD_VALUE',
    'FORBIDDEN',
    'ZONE_NOT_FOUND',
    'ZONE_CONFLICT',
    'RECORD_CONFLICT',
  ],
  itemList: 'creates',
  examples: {
    request: {
      creates: [exampleInput],
      deletes: [{ name: 'old.example.com', type: 'CNAME', values: ['www.example.com'] }],
      updates: [
        {
          old: { name: 'api.example.com', type: 'A', values: ['192.0.2.8'] },
          new: { name: 'api.example.com', type: 'A', ttl: 60, values: ['192.0.2.9'] },
        },
      ],
    },
    response: { added: 2, deleted: 2, changed_zones: ['example.com'], warnings: [] },
  },
});

export const externalDnsRoutes = [
  listExternalDomains,
  listExternalRecords,
  adjustExternalRecords,
  applyExternalChanges,
] as const;
