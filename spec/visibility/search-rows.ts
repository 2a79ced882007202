/** The model's answers to searches: what an administrator finds, row by row. */
import { type Asked, adminAnswer, isMisread } from './asked.ts';
import { ownerOf } from './model.ts';
import { shownTo } from './record-rows.ts';
import type { Answered, Json } from './world.ts';

export const searchFilters = () => ({
  q: [
    'www',
    'example',
    'moved',
    'hidden',
    'www.plain',
    'a.sub.plain.example',
    '192.0.2',
    '192.0.2.0/24',
    'words',
    'caller',
    'none',
    ' ',
  ],
  at: ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
  // Where a page ends depends on how many rows are passed over: all are on the first.
  limit: ['100'],
  cursor: ['x'],
});

export async function searchOf(asked: Asked): Promise<Answered> {
  const answer = await adminAnswer(asked);
  if (isMisread(answer)) return answer;
  const { model } = asked.caller;
  const { body } = answer;
  const reads = ({ name, zone_name, zone_id, type }: Json) =>
    model.onRecord('record:read', zone_id, ownerOf(name, zone_name), type);
  const readsAll = model.everywhere('record:read') && model.everywhere('access:manage');
  const found = {
    zones: body.zones.filter(({ id, deleted }: Json) =>
      deleted ? model.everywhere('zone:create') : model.sees(id),
    ),
    records: body.records.map((row: Json) => shownTo(asked, row)).filter(Boolean),
    deleted: body.deleted.filter(reads),
    actors: model.everywhere('access:manage') ? body.actors : [],
    complete_to: readsAll ? body.complete_to : null,
    deleted_from: readsAll ? body.deleted_from : null,
    next_cursor: null,
  };
  return { ...answer, body: found };
}
