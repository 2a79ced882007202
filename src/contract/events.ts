/** Events: what was done, by whom and why, in the order of the journal. */
import * as v from 'valibot';
import {
  changeSource,
  count,
  described,
  int32,
  int32Parameter,
  limitParameter,
  reason,
  reference,
  sequenceParameter,
  shape,
  textParameter,
  time,
  timeParameter,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';

const actor = v.nullable(
  v.object({
    kind: v.picklist(['token', 'tsig_key', 'local']),
    name: v.string(),
    uid: v.optional(count),
    claimed: v.optional(v.literal(true)),
  }),
);

const event = shape({
  seq: [count, 7, 'Its number in the journal, from 1 on without a gap.'],
  at: [time, '2026-01-31T12:00:00.000Z'],
  kind: [v.string(), 'records.changed', 'What happened, like records.changed.'],
  zone: [
    v.nullable(
      v.object({ id: int32, name: v.string(), deleted: described(v.boolean(), 'Since then.') }),
    ),
    { id: 1, name: 'example.com', deleted: false },
    'The zone it is about, by its name after it; null for administration.',
  ],
  serial: [v.nullable(int32), 2, 'The serial it led to; null for what takes none.'],
  actor: [
    actor,
    { kind: 'token', name: 'ci' },
    'Who did it: a token, a TSIG key, or a user of the host, who is only claimed. Null for the service itself.',
  ],
  source: [changeSource, 'api'],
  request_id: [v.nullable(v.string()), '9f8a6c3e-5d41-4c1b-8f0e-2f6d7a1b3c4d'],
  reason: [reason, 'moves to the new rack'],
  reference: [reference, 'OPS-1234'],
  records_removed: [count, 0],
  records_added: [count, 1],
  diff: [
    v.nullable(recordDiff),
    exampleAddition,
    'The first 100 RRsets that it changed; null for administration, and once retention has deleted it.',
  ],
  diff_truncated: [
    v.boolean(),
    false,
    'True when it changed more RRsets, or over 1,000 records, of which none is shown then.',
  ],
  settings_changed: [v.array(v.string()), [], 'Fields of the zone that got another value.'],
  signing: [
    v.nullable(v.object({ reason: v.string(), key_tags: v.array(count) })),
    null,
    'What it did to the signing of the zone, and to which keys.',
  ],
  details: [
    v.nullable(v.looseObject({})),
    null,
    'Of administration: the role, grant, token, key, secondary or policy that it is about.',
  ],
  redacted: [v.boolean(), false, 'True when it had more than the caller may read.'],
  hash: [v.string(), 'c2a1…', 'SHA-256 of the event and of all before it.'],
  prev_hash: [v.string(), '9b0f…', 'That of the event before it.'],
});

const pageOfEvents = v.object({
  items: v.array(event),
  next: described(
    v.nullable(count),
    'Where the next page begins: `after` in ascending order, `before` in descending order. Null at the end. ' +
      'A page of a narrow filter may be short, even empty, and not be the last.',
  ),
});

const eventAnswer = v.object({ event });

export const eventRoutes = resource('events', {
  listEvents: defineRoute('GET /events', {
    admission: { by: 'token' },
    summary: 'List events',
    description:
      'Of the zones that the caller may read, with the records that it may read of them; of roles, tokens and TSIG ' +
      'keys with access:manage, of secondaries with secondary:read, of policies with dnssec:read in all zones.',
    query: v.strictObject({
      after: described(v.optional(sequenceParameter), 'Only events with a greater number.'),
      before: described(v.optional(sequenceParameter), 'Only events with a lesser number.'),
      limit: limitParameter,
      order: described(
        v.optional(v.picklist(['asc', 'desc'], 'must be asc or desc'), 'desc'),
        'By number.',
      ),
      zone: described(v.optional(textParameter), 'The zone of this name.'),
      zone_id: described(v.optional(int32Parameter), 'The zone of this id, deleted or not.'),
      name: described(
        v.optional(textParameter),
        'Only changes of records at this owner: relative to `zone`, else absolute.',
      ),
      type: described(v.optional(textParameter), 'Only changes of records of this type.'),
      actor: described(v.optional(textParameter), 'Name of a token, TSIG key or user of the host.'),
      source: v.optional(
        v.picklist(changeSource.options, `must be one of ${changeSource.options.join(', ')}`),
      ),
      kind: described(v.optional(textParameter), 'What happened, like records.changed.'),
      since: described(v.optional(timeParameter), 'From this time on.'),
      until: described(v.optional(timeParameter), 'Up to this time.'),
      reason: described(v.optional(textParameter), 'A part of the reason or the reference.'),
    }),
    alternatives: [{ names: ['zone', 'zone_id'], isNeeded: false }],
    ...answers(200, 'A page of events.', pageOfEvents, { items: [event.example], next: null }),
    problems: ['ZONE_NOT_FOUND', 'INVALID_RECORD_NAME', 'OVERLOADED'],
  }),

  getEvent: defineRoute('GET /events/{seq}', {
    admission: { by: 'event' },
    summary: 'Get an event',
    description: 'As far as the caller may read what it is about.',
    ...answers(200, 'The event.', eventAnswer, { event: event.example }),
    problems: ['OVERLOADED'],
  }),
});
