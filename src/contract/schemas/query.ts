/**
 * Query parameters: text from a URL made into values.
 *
 * Integers are strictly digits with an optional minus, booleans strictly true or false, times
 * RFC 3339. Anything else is refused with the rule.
 */
import * as v from 'valibot';
import { parseTime } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';

const digits = /^-?\d+$/;

function integerParameter(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(),
    v.regex(digits, rule),
    v.transform(Number),
    v.number(),
    v.minValue(least, rule),
    v.maxValue(most, rule),
    v.metadata({ type: 'integer', format: 'int32' }),
  );
}

const int32Least = -2_147_483_648;
const int32Most = 2_147_483_647;
const int64Most = 2n ** 63n - 1n;

export const int32Parameter = integerParameter(int32Least, int32Most);
export const serialParameter = integerParameter(0, int32Most);

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

/** No text of ours holds a NUL, and SQLite would compare what stands before it only. */
export const textParameter = v.pipe(
  v.string(),
  v.regex(/^[^\u0000]*$/, 'must not hold the character NUL'),
);

/** Text that filters by a part of something, without wildcards. */
export const searchParameter = v.pipe(textParameter, v.description('Partial match.'));

export const dryRunParameter = v.pipe(
  v.optional(booleanParameter),
  v.description('Validate and report what would change; write nothing.'),
);

const offsetRule = `must be a whole number from 0 to ${int64Most}`;

/** Rows to pass over. No list comes near the greatest exact number, so above it all are the same. */
const offsetParameter = v.pipe(
  v.string(),
  v.regex(digits, offsetRule),
  v.check((text) => BigInt(text) <= int64Most, offsetRule),
  v.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  v.number(),
  v.minValue(0, offsetRule),
  v.metadata({ type: 'integer', format: 'int64' }),
);

/** The page of a list. */
export const pageParameters = {
  limit: v.optional(integerParameter(1, limits.pageMaximum), String(limits.pageDefault)),
  offset: v.optional(offsetParameter, '0'),
};

/** How many transfers to list: as many as there may be, unless told otherwise (interface 8). */
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
