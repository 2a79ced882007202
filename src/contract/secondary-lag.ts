/** How far behind a secondary was lately. */
import * as v from 'valibot';
import { count, shape, time } from './fields.ts';

export const lag = shape({
  counted_since: [
    time,
    '2026-01-31T11:45:00.000Z',
    'Since when it has been counted: the first look at it after the service was started.',
  ],
  first_at: [time, '2026-01-30T12:10:00.000Z', 'When the first span began.'],
  span_seconds: [count, 600],
  behind_ms: [
    v.array(v.nullable(count)),
    [...Array.from({ length: 141 }, () => null), 0, 840_000, 0],
    'Of each span, oldest first, the current one last: for how long the zone that is furthest behind had been seen ' +
      'to be behind, the greatest in the span. 0 in sync, null where it was not asked or did not answer.',
  ],
});
