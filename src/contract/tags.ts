/** Tags: names for serials of a zone, taken wherever a moment is. */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  actor,
  applied,
  described,
  dryRun,
  dryRunParameter,
  exampleApplied,
  int32,
  integer,
  optional,
  pageQuery,
  reason,
  shape,
  text,
  thenCurrent,
  time,
  unchanged,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';

export const zoneTag = shape({
  name: [v.string(), 'before-move'],
  serial: [int32, 7],
  created_at: [time, '2026-01-31T12:00:00.000Z', 'When the serial got the name.'],
  created_by: [actor, { kind: 'token', name: 'ci' }],
  reason: [reason, 'moves to the new rack'],
});

export const tagChange = v.object({
  ...applied,
  unchanged,
  name: v.string(),
  serial: v.nullable(int32),
});

const change = {
  admission: { by: 'zone', action: 'zone:update' },
  conditional: true,
  problems: ['VERSION_NOT_FOUND'],
} as const;

export const tagRoutes = resource('zones', {
  listTags: defineRoute('GET /zones/{name}/tags', {
    admission: { by: 'zone', action: 'zone:read' },
    summary: 'List the tags of a zone',
    query: pageQuery,
    ...pageOf(zoneTag, zoneTag.example, 'A page of tags, by name.'),
  }),

  tagZone: defineRoute('POST /zones/{name}/tags', {
    ...change,
    summary: 'Give a serial of a zone a name',
    description:
      'A tag that exists moves. `tag:NAME` is taken wherever a serial or a time is. The zone gets no new serial; ' +
      'what retention deletes is not kept by a tag.',
    body: v.strictObject({
      name: described(text, '1 to 64 letters, digits, dots, underscores or hyphens.'),
      serial: described(
        optional(integer(0, limits.serial)),
        'This or `at`; the current one when left out.',
      ),
      at: described(optional(text), `${thenCurrent}.`),
      dry_run: dryRun,
    }),
    exampleBody: { name: 'before-move' },
    ...answers(201, 'The tag.', tagChange, {
      ...exampleApplied,
      unchanged: false,
      name: 'before-move',
      serial: 7,
    }),
  }),

  untagZone: defineRoute('DELETE /zones/{name}/tags/{tag}', {
    ...change,
    summary: 'Take a tag away',
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...answers(200, 'The tag is away.', tagChange, {
      ...exampleApplied,
      unchanged: false,
      name: 'before-move',
      serial: null,
    }),
  }),
});
