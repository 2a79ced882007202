/** Lint: what is probably a mistake in the records of a zone, by the rules of the warnings of writes. */
import * as v from 'valibot';
import { described, limitParameter, textParameter } from './fields.ts';
import { answers, defineRoute, resource } from './route.ts';
import { exampleWarning, warning } from './warning.ts';

const pageOfLint = v.object({
  items: v.array(warning),
  next_cursor: described(
    v.nullable(v.string()),
    'The `cursor` of the next page; null at the end. A page may be short, even empty, and not be the last.',
  ),
});

export const lintRoutes = resource('zones', {
  getZoneLint: defineRoute('GET /zones/{name}/lint', {
    admission: { by: 'zone' },
    action: 'record:read on what each is about',
    summary: 'List what is probably a mistake in a zone',
    description:
      'Sorted by name and type. Targets, parents and children are looked up in all zones, as far as the caller may ' +
      'read them: what it may not read has no part in the answer.',
    query: v.strictObject({
      limit: limitParameter,
      cursor: described(v.optional(textParameter), '`next_cursor` of the page before.'),
    }),
    ...answers(200, 'A page of them.', pageOfLint, { items: [exampleWarning], next_cursor: null }),
    problems: ['OVERLOADED'],
  }),
});
