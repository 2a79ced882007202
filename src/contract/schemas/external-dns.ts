/** What an external DNS controller asks and gets (interface 2.12 and 4.8). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { count, flag, int32, integer, itemErrors, optional, text } from './common.ts';
import { domainName, externalType } from './shapes.ts';
import { warnings } from './warning.ts';

const type = v.pipe(v.string(), v.description('A, AAAA, CNAME or TXT.'));
const values = v.pipe(v.array(v.string()), v.description('Presentation form, sorted, each once.'));
const name = v.pipe(v.string(), v.description('Absolute, with trailing dot.'));

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
  name: v.pipe(domainName, v.description('Absolute, with or without trailing dot.')),
  type: externalType,
  ttl: v.pipe(
    optional(integer(0, limits.ttl)),
    v.description("The zone's default_ttl when left out."),
  ),
  values: v.array(text, 'must be an array of strings'),
});

const inputs = v.array(externalRecordInput, 'must be an array of records');

/** What a controller's sources have, whether it could be stored or not. */
const adjustedInput = v.strictObject({
  name: v.pipe(text, v.description('What can not be read as a name stays as it is.')),
  type: externalType,
  ttl: optional(v.pipe(v.number('must be a whole number'), v.integer('must be a whole number'))),
  values: v.pipe(
    v.array(text, 'must be an array of strings'),
    v.description('What can not be read as a value stays as it is.'),
  ),
});

export const adjustBody = v.strictObject({
  records: v.array(adjustedInput, 'must be an array of records'),
  check: v.pipe(
    optional(flag),
    v.description('Answer with `errors` too: the records that could never be stored, and why.'),
  ),
});
export const adjustAnswer = v.object({
  records: v.array(adjustedRecord),
  errors: v.pipe(v.optional(itemErrors), v.description('Only where `check` asks for it.')),
});

export const changesBody = v.strictObject({
  creates: optional(inputs),
  deletes: optional(inputs),
  updates: optional(
    v.array(
      v.strictObject({ old: externalRecordInput, new: externalRecordInput }),
      'must be an array of updates',
    ),
  ),
  exclusive: v.pipe(
    optional(flag),
    v.description('Refuse to create an RRset that exists with other values: RECORD_CONFLICT.'),
  ),
});

export const changesAnswer = v.object({
  added: v.pipe(count, v.description('Records; one whose TTL changed is both added and deleted.')),
  deleted: count,
  changed_zones: v.pipe(
    v.array(v.string()),
    v.description('Zones that took a step of their serial.'),
  ),
  warnings,
});

export const domainsAnswer = v.object({ domains: v.array(v.string()) });
export const externalRecordsAnswer = v.object({ records: v.array(externalRecord) });
