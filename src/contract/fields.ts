/**
 * Fields that every resource uses: numbers, texts and times of bodies and answers, pages, errors, and query
 * parameters, which are text from a URL made into values.
 *
 * Fields of requests carry the rule as their message. Ranges of numbers that the domain rules judge are
 * only documented here, so that a refusal has the code that fits it. Of parameters, integers are strictly digits with
 * an optional minus, booleans strictly true or false, times RFC 3339. Anything else is refused with the rule.
 */
import * as v from 'valibot';
import { parseTime } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { problemCodes } from '../base/problem.ts';

/** A schema with what the specification says of it. */
export function described<Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.pipe(schema, v.description<v.InferOutput<Schema>, string>(description));
}

/** One field of an answer: its schema, an example of it, and what the specification says of it. */
type Field = readonly [schema: v.GenericSchema, example: unknown, description?: string];

/** A shape of answers, and as its `example` one of it, field by field. */
export function shape<const Fields extends Readonly<Record<string, Field>>>(fields: Fields) {
  const entries: Record<string, v.GenericSchema> = {};
  const example: Record<string, unknown> = {};
  for (const [name, [schema, sample, description]] of Object.entries<Field>(fields)) {
    entries[name] = description === undefined ? schema : described(schema, description);
    example[name] = sample;
  }
  type Entries = { -readonly [Name in keyof Fields]: Fields[Name][0] };
  const shaped = Object.assign(v.object(entries), { example });
  type Shape = v.ObjectSchema<Entries, undefined>;
  return shaped as unknown as Shape & { readonly example: v.InferOutput<Shape> };
}

export const text = v.string('must be a string');

/** A text whose greatest length the domain rules judge. */
export function textUpTo(characters: number) {
  return v.pipe(text, v.metadata({ maxLength: characters }));
}

export const flag = v.boolean('must be true or false');
const integerRule = 'must be a whole number';

/** A whole number; the range is documentation, the domain rules judge it. */
export function integer(min: number, max: number, format: 'int32' | 'int64' = 'int32') {
  return v.pipe(
    v.number(integerRule),
    v.integer(integerRule),
    v.metadata({ minimum: min, maximum: max, format }),
  );
}

/** A field that may be left out or null: both mean not given. */
export const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema);

/** One string, or the segments of a TXT. */
export const recordValue = v.union(
  [v.string(), v.array(v.string())],
  'must be a string or an array of strings',
);

export const dryRun = described(
  optional(flag),
  'Validate and report what would change; write nothing.',
);

/** What the answer of a change begins with. */
export const applied = { applied: v.boolean(), dry_run: v.boolean() };
export const exampleApplied = { applied: true, dry_run: false };

/** Of what may be asked for though it is so. */
export const unchanged = described(
  v.boolean(),
  'True when all was so already: nothing is written.',
);

/** Numbers, texts and times of answers. */
export const int32 = v.pipe(v.number(), v.integer(), v.metadata({ format: 'int32' }));
const countRule = 'must be a whole number from 0 on';
export const count = v.pipe(v.number(countRule), v.integer(countRule), v.minValue(0, countRule));
export const time = v.pipe(v.string(), v.metadata({ format: 'date-time' }));

/** Who did something; a user of the host is only claimed. */
export const actor = v.nullable(
  v.object({
    kind: v.picklist(['token', 'tsig_key', 'local']),
    name: v.string(),
    uid: v.optional(count),
    claimed: v.optional(v.literal(true)),
  }),
);

/** Who changed something, and by which API. */
export const changeSource = v.picklist(['api', 'cli', 'nsupdate', 'external-dns', 'system']);

export const changedBy = described(
  v.nullable(v.object({ kind: v.picklist(['token', 'tsig_key']), name: v.string() })),
  'Null for the command line on the host, the service itself and calls without token.',
);

/** Why something was changed, and where to read more, as the headers of its request said. */
export const reason = described(v.nullable(v.string()), 'Zonebook-Reason of the request.');
export const reference = described(v.nullable(v.string()), 'Zonebook-Reference of the request.');

export const pagination = v.object({
  limit: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int32' })),
  offset: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int64' })),
  total: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int64' })),
});

export const errorCode = described(v.picklist(problemCodes), 'What went wrong, for programs.');

/** What is wrong with some of many things that were asked for at once. */
export const itemErrors = v.array(
  v.object({
    pointer: described(v.optional(v.string()), 'Where in the body, as a JSON pointer (RFC 6901).'),
    index: described(v.optional(count), 'Where in its list, from 0.'),
    list: described(v.optional(v.string()), 'The list of the request.'),
    code: errorCode,
    message: described(v.string(), 'What went wrong, for people.'),
  }),
);

export const errorBody = v.object({
  error: described(v.string(), 'What went wrong, for people.'),
  code: errorCode,
  errors: described(v.optional(itemErrors), 'What is wrong with the body, the first in front.'),
  conflicts: described(
    v.optional(v.array(v.looseObject({}))),
    'With REVERT_CONFLICT the RRsets that changed since: `from` what is there, `to` what the revert would put.',
  ),
  guarded: described(
    v.optional(v.looseObject({})),
    'With GUARDED what was held back: `deleted`; `of` and `limit`, null for who may not read the whole zone; the ' +
      'first `names`; or the lock of the zone.',
  ),
  skippable: described(
    v.optional(v.object({ by: v.string(), danger: v.string() })),
    'Of a check that may be skipped, at a danger: the parameter that does it, and what turns bogus then, until when.',
  ),
  settings: described(
    v.optional(v.array(v.looseObject({}))),
    'The same of fields of the zone: `setting`, `from` and `to`.',
  ),
});

export const message = v.object({ message: v.string() });

export const descriptionText = described(textUpTo(limits.descriptionCharacters), 'Operator note.');
const digits = /^-?\d+$/;

function rangeRule(min: number, max: number): string {
  return `must be a whole number from ${min} to ${max}`;
}

/** A whole number of a body whose bounds are checked before anything is read. */
export function boundedInteger(min: number, max: number) {
  const rule = rangeRule(min, max);
  return v.pipe(
    v.number(rule),
    v.integer(rule),
    v.minValue(min, rule),
    v.maxValue(max, rule),
    v.metadata({ format: 'int32' }),
  );
}

export function integerParameter(min: number, max: number) {
  const rule = rangeRule(min, max);
  return v.pipe(
    v.string(),
    v.regex(digits, rule),
    v.transform(Number),
    v.number(),
    v.minValue(min, rule),
    v.maxValue(max, rule),
    v.metadata({ type: 'integer', format: 'int32' }),
  );
}

const int32Min = -2_147_483_648;
const int32Max = 2_147_483_647;
const int64Max = 2n ** 63n - 1n;
export const int32Parameter = integerParameter(int32Min, int32Max);
export const serialParameter = integerParameter(0, int32Max);

export const booleanParameter = v.pipe(
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((text) => text === 'true'),
  v.boolean(),
);

/** Milliseconds since 1970. */
export const timeParameter = v.pipe(
  v.string(),
  v.check((text) => parseTime(text) !== undefined, 'must be a time like 2026-01-31T12:00:00Z'),
  v.transform((text) => parseTime(text) ?? Number.NaN),
  v.number(),
  // In the URL it is text; only inside it becomes a number.
  v.metadata({ type: 'string', format: 'date-time' }),
);

/** A version as a query names it: its serial, a time while it was current, in milliseconds since 1970, or a tag. */
export type Moment =
  | { readonly serial: number }
  | { readonly at: number }
  | { readonly tag: string };

/** Undefined for a text that is none. */
export function parseMoment(text: string): Moment | undefined {
  const [, tag] = /^tag:([a-z0-9._-]+)$/i.exec(text) ?? [];
  if (tag !== undefined) return { tag: tag.toLowerCase() };
  if (!/^\d+$/.test(text)) {
    const at = parseTime(text);
    return at === undefined ? undefined : { at };
  }
  const serial = Number(text);
  return serial <= int32Max ? { serial } : undefined;
}

/** A serial as a query names it: the number, or a tag that stands for it. */
export const taggedSerialParameter = v.pipe(
  v.string(),
  v.check((text) => {
    const moment = parseMoment(text);
    return moment !== undefined && !('at' in moment);
  }, 'must be a whole number from 0 to 2147483647, or tag:NAME'),
  v.transform((text) => text.trim()),
  v.string(),
);

/** A text that `parseMoment` reads. */
export const momentParameter = v.pipe(
  v.string(),
  v.check(
    (text) => parseMoment(text) !== undefined,
    'must be a serial or a time like 2026-01-31T12:00:00Z, or tag:NAME',
  ),
  // OpenAPI shows what stands behind the check, which it has no word for.
  v.transform((text) => text.trim()),
  v.string(),
);

/** For reads of what is kept of a deleted zone. */
export const deletedIdParameter = described(
  v.optional(int32Parameter),
  'The deleted zone of this id and name; only grants in all zones reach it.',
);

/** What a moment in a query names. */
export const thenCurrent = 'A serial, `tag:NAME`, or a time: the version that was current then';

/** No name holds a NUL, and SQLite would compare what stands before it only. */
export const textParameter = v.pipe(
  v.string(),
  v.regex(/^[^\u0000]*$/, 'must not hold the character NUL'),
);

/** The value of a record, or a part of one: those of TXT may hold a NUL, and no SQL compares them. */
export const valueParameter = v.string();

/** Text that filters by a part of something, without wildcards. */
export const searchParameter = described(textParameter, 'Partial match.');

export const dryRunParameter = described(
  v.optional(booleanParameter),
  'Validate and report what would change; write nothing.',
);

const offsetRule = `must be a whole number from 0 to ${int64Max}`;

/** The number of an event. */
export const sequenceParameter = v.pipe(
  integerParameter(0, Number.MAX_SAFE_INTEGER),
  v.metadata({ type: 'integer', format: 'int64' }),
);

/** Rows to pass over. No list comes near the greatest exact number, so above it all are the same. */
const offsetParameter = v.pipe(
  v.string(),
  v.regex(digits, offsetRule),
  v.check((text) => BigInt(text) <= int64Max, offsetRule),
  v.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  v.number(),
  v.minValue(0, offsetRule),
  v.metadata({ type: 'integer', format: 'int64' }),
);

/** The page of a list. */
export const limitParameter = v.optional(
  integerParameter(1, limits.pageMaximum),
  String(limits.pageDefault),
);

/** The same as a field of a body, where a schema's bounds are checked only when it says so. */
export const limitField = boundedInteger(1, limits.pageMaximum);

/** Of a part of what is answered as a whole when none is asked for; `rows` are what a page consists of. */
export const partParameters = (rows: string) => ({
  name: described(v.optional(textParameter), 'Only this owner, relative to the zone.'),
  type: described(v.optional(textParameter), 'Only records of this type.'),
  limit: described(
    v.optional(integerParameter(1, limits.pageMaximum)),
    `How many ${rows} a page has; all when left out.`,
  ),
  cursor: described(v.optional(textParameter), '`next_cursor` of the page before.'),
});

export const nextCursor = described(
  v.nullable(v.string()),
  '`cursor` of the next page; null at the end.',
);

export const pageParameters = {
  limit: limitParameter,
  offset: v.optional(offsetParameter, '0'),
  cursor: described(
    v.optional(textParameter),
    '`next_cursor` of the page before, in place of `offset`: rows that others add or delete meanwhile ' +
      'move no other row.',
  ),
};

/** The query of a list that has only pages. */
export const pageQuery = v.strictObject(pageParameters);

/** How many transfers to list: as many as there may be, unless asked otherwise (interface 8). */
export const transferLimitParameter = v.optional(
  integerParameter(1, limits.pageMaximum),
  String(limits.pageMaximum),
);

/** Sort key, the first of which is the default, and direction; ties go by id. */
export function sortParameters<const Key extends string>(keys: readonly [Key, ...Key[]]) {
  return {
    sort: v.optional(v.picklist(keys, `must be one of ${keys.join(', ')}`), keys[0]),
    order: v.optional(v.picklist(['asc', 'desc'], 'must be asc or desc'), 'asc'),
  };
}
