/**
 * What an external DNS controller asks and gets (interface 2.12 and 4.8); served when
 * api.external_dns_enabled is on.
 */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  boundedInteger,
  count,
  described,
  dryRun,
  flag,
  int32,
  integer,
  itemErrors,
  optional,
  text,
} from './fields.ts';
import { answers, defineRoute, resource } from './route.ts';
import { domainName, externalType } from './shapes.ts';
import { warnings } from './warning.ts';

const type = described(v.string(), 'A, AAAA, CNAME or TXT.');
const values = described(v.array(v.string()), 'Presentation form, sorted, each once.');
const name = described(v.string(), 'Absolute, with trailing dot.');

/** An RRset of a zone. */
export const externalRecord = v.object({ name, type, ttl: int32, values });

/** An RRset of nobody's zone yet: its TTL may still be open. */
const adjustedRecord = v.object({
  name,
  type,
  ttl: v.nullable(v.pipe(v.number(), v.integer())),
  values,
});

export const externalRecordInput = v.strictObject({
  name: described(domainName, 'Absolute, with or without trailing dot.'),
  type: externalType,
  ttl: described(optional(integer(0, limits.ttl)), "The zone's default_ttl when left out."),
  values: v.array(text, 'must be an array of strings'),
});

const inputs = v.array(externalRecordInput, 'must be an array of records');

/** What a controller's sources have, whether it could be stored or not. */
const adjustedInput = v.strictObject({
  name: described(text, 'What can not be read as a name stays as it is.'),
  type: externalType,
  ttl: optional(v.pipe(v.number('must be a whole number'), v.integer('must be a whole number'))),
  values: described(
    v.array(text, 'must be an array of strings'),
    'What can not be read as a value stays as it is.',
  ),
});

const adjustAnswer = v.object({
  records: v.array(adjustedRecord),
  errors: described(v.optional(itemErrors), 'Only where `check` asks for it.'),
});

const changesAnswer = v.object({
  added: described(count, 'Records; one whose TTL changed is both added and deleted.'),
  deleted: count,
  changed_zones: described(v.array(v.string()), 'Zones whose serial was incremented.'),
  deletions: described(
    v.optional(v.array(v.object({ zone_name: v.string(), count }))),
    'What the guards of zones count: records that do not only get another value or TTL. In dry runs, and where ' +
      '`deletions` is given.',
  ),
  warnings,
});

const domainsAnswer = v.object({ domains: v.array(v.string()) });
const externalRecordsAnswer = v.object({ records: v.array(externalRecord) });
const externalDns = {
  option: 'externalDnsEnabled',
} as const;
const exampleInput = { name: 'www.example.com', type: 'A', ttl: 300, values: ['192.0.2.1'] };
const exampleStored = { name: 'www.example.com.', type: 'A', ttl: 300, values: ['192.0.2.1'] };

export const externalDnsRoutes = resource('external-dns', {
  listExternalDomains: defineRoute('GET /external-dns/domains', {
    ...externalDns,
    admission: { by: 'token' },
    summary: 'List the domains a controller may manage',
    description:
      'A grant contributes its zone, or its subtree, where the role may read, create and delete ' +
      'records of one and the same type among A, AAAA, CNAME and TXT. A domain covers all below it.',
    action: 'none',
    ...answers(200, 'Names of zones and subtrees.', domainsAnswer, { domains: ['example.com'] }),
  }),

  listExternalRecords: defineRoute('GET /external-dns/records', {
    ...externalDns,
    admission: { by: 'token' },
    summary: 'List the records of these domains',
    description: 'One entry for each name and type. Names of a deeper zone are that zone’s alone.',
    action: 'record:read, row by row',
    ...answers(200, 'A, AAAA, CNAME and TXT.', externalRecordsAnswer, { records: [exampleStored] }),
  }),

  adjustExternalRecords: defineRoute('POST /external-dns/adjust', {
    ...externalDns,
    admission: { by: 'token' },
    summary: 'Spell records as they would be stored',
    description:
      'Answers in the order of the request and changes nothing. What can not be read as a name or a ' +
      'value stays as it is: only applying it is refused, and `check` asks why beforehand. Records of ' +
      'other types are refused, each listed in `errors`.',
    action: 'none',
    body: v.strictObject({
      records: v.array(adjustedInput, 'must be an array of records'),
      check: described(
        optional(flag),
        'Answer with `errors` too: the records that could never be stored, and why.',
      ),
    }),
    exampleBody: { records: [{ name: 'WWW.example.com', type: 'a', values: ['192.0.2.1'] }] },
    bodyLimit: 'bulk',
    ...answers(200, 'The same records.', adjustAnswer, {
      records: [{ ...exampleStored, ttl: null }],
    }),
    problems: ['ENDPOINT_NOT_FOUND', 'INVALID_RECORD_VALUE'],
    itemList: 'records',
  }),

  applyExternalChanges: defineRoute('POST /external-dns/changes', {
    ...externalDns,
    admission: { by: 'body', action: 'record:create', or: 'record:delete' },
    summary: 'Apply the changes of a controller',
    waits: true,
    instead: "in the body of POST /changes 'if_match' of each zone",
    description:
      'One transaction over all zones: all or nothing. A record goes to the most specific zone there ' +
      'is. What is so already is no change, and only the serials of zones that change are incremented. A ' +
      'refusal lists in `errors` every item that can not be, by its list and index. One call takes at ' +
      `most ${limits.externalDnsCallItems} creations, deletions and updates.`,
    action: 'record:create on what is created, record:delete on what is deleted, both for updates',
    body: v.strictObject({
      creates: optional(inputs),
      deletes: optional(inputs),
      updates: optional(
        v.array(
          v.strictObject({ old: externalRecordInput, new: externalRecordInput }),
          'must be an array of updates',
        ),
      ),
      exclusive: described(
        optional(flag),
        'Refuse to create an RRset that exists with other values: RECORD_CONFLICT.',
      ),
      deletions: described(
        optional(
          v.array(
            v.strictObject({ zone_name: text, count: boundedInteger(0, limits.id) }),
            'must be an array of zones',
          ),
        ),
        'Of changes that are sent in parts: what is still to be deleted in each zone, this part included. Guards ' +
          'judge that, where it is more than what this part deletes. Dry runs of the parts say how much it is.',
      ),
      dry_run: dryRun,
    }),
    exampleBody: {
      creates: [exampleInput],
      deletes: [{ name: 'old.example.com', type: 'CNAME', values: ['www.example.com'] }],
      updates: [
        {
          old: { name: 'api.example.com', type: 'A', values: ['192.0.2.8'] },
          new: { name: 'api.example.com', type: 'A', ttl: 60, values: ['192.0.2.9'] },
        },
      ],
    },
    bodyLimit: 'bulk',
    ...answers(200, 'What changed.', changesAnswer, {
      added: 2,
      deleted: 2,
      changed_zones: ['example.com'],
      warnings: [],
    }),
    problems: [
      'ENDPOINT_NOT_FOUND',
      'INVALID_RECORD_NAME',
      'INVALID_RECORD_VALUE',
      'FORBIDDEN',
      'ZONE_NOT_FOUND',
      'ZONE_CONFLICT',
      'RECORD_CONFLICT',
      'GUARDED',
    ],
    itemList: 'creates',
  }),
});
