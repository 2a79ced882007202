/**
 * Shapes that every resource uses: numbers and texts of bodies, pages, errors and messages.
 *
 * Fields of requests carry the rule as their message. Ranges of numbers that the law judges are
 * only documented here, so that a refusal has the code that fits it.
 */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { problemCodes } from '../../base/problem.ts';

export const text = v.string('must be a string');

/** A text whose greatest length the law judges. */
function textUpTo(characters: number) {
  return v.pipe(text, v.metadata({ maxLength: characters }));
}

export const flag = v.boolean('must be true or false');

const integerRule = 'must be a whole number';

/** A whole number; the range is documentation, the law judges it. */
export function integer(least: number, most: number, format: 'int32' | 'int64' = 'int32') {
  return v.pipe(
    v.number(integerRule),
    v.integer(integerRule),
    v.metadata({ minimum: least, maximum: most, format }),
  );
}

/** A field that may be left out or null: both mean not given. */
export const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema);

/** One string, or the segments of a TXT. */
export const recordValue = v.union(
  [v.string(), v.array(v.string())],
  'must be a string or an array of strings',
);

export const dryRun = v.pipe(
  optional(flag),
  v.description('Validate and report what would change; write nothing.'),
);

/** Numbers, texts and times of answers. */
export const int32 = v.pipe(v.number(), v.integer(), v.metadata({ format: 'int32' }));
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const time = v.pipe(v.string(), v.metadata({ format: 'date-time' }));

/** Who changed something, and by which door. */
export const changeSource = v.picklist(['api', 'cli', 'nsupdate', 'external-dns', 'system']);
export const changedBy = v.pipe(
  v.nullable(v.object({ kind: v.picklist(['token', 'tsig_key']), name: v.string() })),
  v.description(
    'Null for the command line on the host, the service itself and calls without token.',
  ),
);

export const pagination = v.object({
  limit: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int32' })),
  offset: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int64' })),
  total: v.pipe(v.number(), v.integer(), v.minValue(0), v.metadata({ format: 'int64' })),
});

export const errorCode = v.pipe(
  v.picklist(problemCodes),
  v.description('What went wrong, for programs.'),
);

/** What is wrong with some of many things that were asked for at once. */
export const itemErrors = v.array(
  v.object({
    index: v.pipe(count, v.description('Where in its list, from 0.')),
    list: v.pipe(v.string(), v.description('The list of the request.')),
    code: errorCode,
    message: v.pipe(v.string(), v.description('What went wrong, for people.')),
  }),
);

export const errorBody = v.object({
  error: v.pipe(v.string(), v.description('What went wrong, for people.')),
  code: errorCode,
  errors: v.pipe(
    v.optional(itemErrors),
    v.description('Everything that is wrong, where an operation says so.'),
  ),
});

export const message = v.object({ message: v.string() });

export function listOf<Item extends v.GenericSchema>(item: Item) {
  return v.object({ items: v.array(item), pagination });
}

export const descriptionText = v.pipe(
  textUpTo(limits.descriptionCharacters),
  v.description('Operator note.'),
);
