/** Events: what was done, by whom and why, in the order of the journal. */
import * as v from 'valibot';
import { eventKinds } from '../base/event-kind.ts';
import { limits } from '../base/limits.ts';
import {
  actor,
  applied,
  booleanParameter,
  changeSource,
  count,
  described,
  dryRun,
  int32,
  int32Parameter,
  integerParameter,
  limitParameter,
  nextCursor,
  optional,
  reason,
  reference,
  sequenceParameter,
  shape,
  textParameter,
  time,
  timeParameter,
} from './fields.ts';
import { exampleAddition, exampleRemoval, recordDiff } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';
import { names, rollbackScope } from './versions.ts';
import { warnings } from './warning.ts';

export const event = shape({
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
  summary: [
    v.nullable(
      v.object({
        added: described(count, 'Records.'),
        removed: described(count, 'Records.'),
        changed: described(
          v.nullable(count),
          'RRsets that are different after it; null for over 1,000 records.',
        ),
      }),
    ),
    { added: 1, removed: 0, changed: 1 },
    'How much it changed; null where the diff is.',
  ],
  diff: [
    v.nullable(recordDiff),
    exampleAddition,
    'The first 100 RRsets that it changed, each with the records that it removed (`from`) and added (`to`) alone: ' +
      '`removed` says that it added none, and others of the RRset may have stayed. `versions/diff` has RRsets as a ' +
      'whole. Null for administration, and once retention has deleted it.',
  ],
  diff_truncated: [
    v.boolean(),
    false,
    'True when it changed more RRsets, or over 1,000 records, of which none is listed then.',
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
    'The tag or the versions that were deleted; of administration the role, grant, token, login, key, secondary or ' +
      'policy that it is about.',
  ],
  redacted: [v.boolean(), false, 'True when it had more than the caller may read.'],
  hash: [v.string(), 'c2a1…', 'SHA-256 of the event and of all before it.'],
  prev_hash: [v.string(), '9b0f…', 'That of the event before it.'],
});

export const pageOfEvents = v.object({
  items: v.array(event),
  next_after: described(
    v.nullable(count),
    '`after` of the next page, in ascending order; null at the end. A page of a narrow filter may be short, even ' +
      'empty, and not be the last.',
  ),
  next_before: described(v.nullable(count), 'The same in descending order, for `before`.'),
});

export const eventAnswer = v.object({ event, next_cursor: nextCursor });

/** An event in a stream, by its number or its id. */
const streamIdParameter = v.pipe(
  v.string(),
  v.regex(/^(?:\d{1,10}-)?\d{1,15}$/, 'must be the number of an event, or its id like 2-7'),
);

/** Between which numbers. */
const bounds = {
  after: described(v.optional(sequenceParameter), 'Only events with a greater number.'),
  before: described(v.optional(sequenceParameter), 'Only events with a lesser number.'),
};

export const eventKind = v.picklist(eventKinds, `must be one of ${eventKinds.join(', ')}`);

/** Which events: of a list, a stream and a webhook. */
const filters = {
  zone: described(v.optional(textParameter), 'The zone of this name.'),
  zone_id: described(v.optional(int32Parameter), 'The zone of this id, deleted or not.'),
  name: described(
    v.optional(textParameter),
    'Only changes of records at this owner: with `zone` relative to it, whatever name the zone had then; else ' +
      'absolute, as it was called then.',
  ),
  type: described(v.optional(textParameter), 'Only changes of records of this type.'),
  actor: described(v.optional(textParameter), 'Name of a token, TSIG key or user of the host.'),
  mine: described(v.optional(booleanParameter), 'Only what this caller did itself.'),
  source: v.optional(
    v.picklist(changeSource.options, `must be one of ${changeSource.options.join(', ')}`),
  ),
  kind: described(v.optional(eventKind), 'What happened.'),
  signing: described(
    v.optional(booleanParameter),
    'Whether it was a step of signing alone: false leaves those out.',
  ),
  since: described(v.optional(timeParameter), 'From this time on.'),
  until: described(v.optional(timeParameter), 'Up to this time.'),
  reason: described(v.optional(textParameter), 'A part of the reason or the reference.'),
};

const alternatives = [
  { names: ['zone', 'zone_id'], isNeeded: false },
  { names: ['actor', 'mine'], isNeeded: false },
] as const;

/** A stream is text; each event in it has the form of `GET /events/{seq}`. */
const exampleLine = JSON.stringify(event.example);

export const reversion = shape({
  applied: [applied.applied, true],
  dry_run: [applied.dry_run, false],
  event: [count, 7, 'The event that was undone.'],
  zone: [
    v.object({ id: int32, name: v.string(), deleted: v.boolean() }),
    { id: 1, name: 'example.com', deleted: false },
    'The zone as it is then.',
  ],
  serial: [int32, 3, 'The one of the zone then; it stays where nothing was left to undo.'],
  diff: [
    v.nullable(recordDiff),
    exampleRemoval,
    'Null for a zone that goes or comes back, and for over 3,000 records (500 in a signed zone), of which a dry run ' +
      'shows all.',
  ],
  settings_changed: [v.array(v.string()), [], 'Fields of the zone that got another value.'],
  warnings: [warnings, []],
});

export const eventRoutes = resource('events', {
  listEvents: defineRoute('GET /events', {
    admission: { by: 'token' },
    summary: 'List events',
    description:
      'Of the zones that the caller may read, with the records that it may read of them; of roles, tokens and TSIG ' +
      'keys with access:manage, of secondaries with secondary:read, of policies with dnssec:read in all zones.',
    query: v.strictObject({
      ...bounds,
      limit: limitParameter,
      order: described(
        v.optional(v.picklist(['asc', 'desc'], 'must be asc or desc'), 'desc'),
        'By number.',
      ),
      ...filters,
    }),
    alternatives,
    ...answers(200, 'A page of events.', pageOfEvents, {
      items: [event.example],
      next_after: null,
      next_before: null,
    }),
    problems: ['ZONE_NOT_FOUND', 'INVALID_RECORD_NAME', 'OVERLOADED'],
  }),

  streamEvents: defineRoute('GET /events/stream', {
    admission: { by: 'token' },
    summary: 'Follow events',
    description:
      'Those that GET /events lists, in ascending order, and then each new one once it is on disk; none is left ' +
      'out and none comes twice. It begins behind the event in Last-Event-ID, else behind `after`, else with the ' +
      'next event; it ends at `before` or `until`. As text/event-stream `id` is the number and `data` the event. ' +
      'Events since a restore have the epoch before the number, like `2-7`. An `id` alone comes first, and says ' +
      'where the stream begins: a client that sends an `id` of before gets what came behind the last event that ' +
      'is the same; EVENTS_TAKEN_BACK where that is not known. ' +
      'As application/x-ndjson each line is an event, without an id. ' +
      'A comment, or an empty line, comes every 15 s. Grants are those of the moment ' +
      'an event is sent, and a token that is deleted or expires ends the stream. A client ' +
      'that leaves more than 1 MiB unread is cut off; it asks again from the last id it has.',
    query: v.strictObject({
      ...bounds,
      after: described(
        v.optional(streamIdParameter),
        'Only events behind this one: its number in the journal as it is, or its id with the epoch, like 1-7.',
      ),
      ...filters,
    }),
    alternatives,
    ...answers(
      200,
      'Events as they come.',
      v.unknown(),
      `id: 7\ndata: ${exampleLine}\n\n`,
      'text/event-stream',
    ),
    otherMediaTypes: { 'application/x-ndjson': `${exampleLine}\n` },
    problems: [
      'ZONE_NOT_FOUND',
      'INVALID_RECORD_NAME',
      'EVENT_NOT_FOUND',
      'EVENTS_TAKEN_BACK',
      'OVERLOADED',
    ],
  }),

  getEvent: defineRoute('GET /events/{seq}', {
    admission: { by: 'event' },
    summary: 'Get an event',
    description:
      'As far as the caller may read what it is about. Its diff comes in pages, also that of a very large change.',
    query: v.strictObject({
      limit: described(
        v.optional(integerParameter(1, limits.pageMaximum), '100'),
        'How many RRsets of the diff a page has.',
      ),
      cursor: described(v.optional(textParameter), '`next_cursor` of the page before.'),
    }),
    ...answers(200, 'The event.', eventAnswer, { event: event.example, next_cursor: null }),
    problems: ['OVERLOADED'],
  }),

  revertEvent: defineRoute('POST /events/{seq}/revert', {
    admission: { by: 'event' },
    summary: 'Undo an event',
    description:
      'The inverse of this change alone, under a new serial; later changes stay. An RRset or setting that changed ' +
      'since is a conflict and nothing is done, unless `force_names` takes it. A zone that was created is deleted ' +
      'if nothing changed in it since, a deleted one restored, both as a whole: `names` and `types` are refused ' +
      'there. What has no inverse is EVENT_NOT_REVERTIBLE: ' +
      'signing, keys, tags, increments of the serial, purges, administration, and what retention has deleted.',
    action: 'what the same change would need by itself, and record:read on what it changes',
    body: v.strictObject({
      ...rollbackScope,
      force_names: described(
        optional(names),
        'Owners that go back also where they changed since; @ takes the settings too.',
      ),
      dry_run: dryRun,
    }),
    bodyOptional: true,
    exampleBody: { dry_run: false },
    conditional: true,
    ...answers(200, 'What changed.', reversion, reversion.example),
    problems: [
      'EVENT_NOT_REVERTIBLE',
      'REVERT_CONFLICT',
      'FORBIDDEN',
      'ZONE_NOT_FOUND',
      'VERSION_NOT_FOUND',
      'ZONE_CONFLICT',
      'RECORD_CONFLICT',
      'INVALID_RECORD_NAME',
      'INVALID_ZONE_FIELD',
      'GUARDED',
    ],
  }),
});
