/** Search: zones, records of now and of before, and who may do something, by a part of what they are called. */
import * as v from 'valibot';
import {
  count,
  described,
  int32,
  integerParameter,
  recordValue,
  shape,
  textParameter,
  time,
  timeParameter,
} from './fields.ts';
import { record } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';

/** Characters. */
const maxText = 255;

const foundZone = shape({
  id: [int32, 1],
  name: [v.string(), 'example.com'],
  deleted: [v.boolean(), false, 'It can be brought back.'],
});

const deletedRecord = shape({
  name: [v.string(), 'www.example.com.', 'Absolute, with trailing dot.'],
  type: [v.string(), 'A'],
  value: [recordValue, '192.0.2.9'],
  ttl: [int32, 300],
  priority: [v.nullable(int32), null],
  zone_id: [int32, 1],
  zone_name: [v.string(), 'example.com'],
  until: [
    v.object({ seq: count, serial: int32, at: time }),
    { seq: 7, serial: 2, at: '2026-01-31T12:00:00.000Z' },
    'The event that removed it: its number, the serial it led to, and when.',
  ],
});

const foundActor = shape({
  kind: [v.picklist(['token', 'tsig_key']), 'token'],
  name: [v.string(), 'ci'],
});

export const searchAnswer = shape({
  zones: [v.array(foundZone), [foundZone.example], 'By name; on the first page.'],
  records: [v.array(record), [record.example], 'Of now, or of `at`.'],
  deleted: [
    v.array(deletedRecord),
    [deletedRecord.example],
    'Records that were there and were deleted; none with `at`.',
  ],
  actors: [v.array(foundActor), [foundActor.example], 'By name; on the first page.'],
  complete_to: [
    v.nullable(count),
    7,
    'The number of the event up to which `records` is complete; null while the index is made for the first time, ' +
      'and for who may not read every event.',
  ],
  deleted_from: [
    v.nullable(count),
    1,
    'The number of the event from which on `deleted` is complete; null as `complete_to` is.',
  ],
  next_cursor: [
    v.nullable(v.string()),
    null,
    '`cursor` of the next page; null at the end. A page may be short, even empty, and not be the last.',
  ],
});

export const searchRoutes = resource('records', {
  search: defineRoute('GET /search', {
    admission: { by: 'token' },
    action: 'record:read on each record; access:manage for actors, zone:create for deleted zones',
    summary: 'Search all zones',
    description:
      'Case says nothing. Zones and actors are found by any part of their name; records, with three characters or ' +
      'more, by any part of their name within the zone, by their name and that of the zone, by an address, the ' +
      'beginning of one or a prefix like 192.0.2.0/24, and by the beginning of any word of their value.',
    query: v.strictObject({
      q: described(
        v.pipe(
          v.string(),
          v.regex(
            /^[^\u0000]*[^\u0000\s][^\u0000]*$/,
            'must say what to look for, without the character NUL',
          ),
          v.maxLength(maxText, `must have at most ${maxText} characters`),
        ),
        'What is sought.',
      ),
      at: described(v.optional(timeParameter), 'Records as they were at this time.'),
      limit: described(v.optional(integerParameter(1, 100), '20'), 'Rows of each kind at most.'),
      cursor: described(v.optional(textParameter), '`next_cursor` of the page before.'),
    }),
    ...answers(200, 'What was found.', searchAnswer, searchAnswer.example),
    problems: ['OVERLOADED'],
  }),
});
