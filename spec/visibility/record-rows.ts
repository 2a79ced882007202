/** The model's answers about records: row by row, state by state. */
import {
  type Asked,
  adminAnswer,
  forbidden,
  isMisread,
  missing,
  ofList,
  urlOf,
  zoneIn,
} from './asked.ts';
import { ownerOf } from './model.ts';
import type { Answered, Json, WorldZone } from './world.ts';

const readableActions = ['record:read', 'record:update', 'record:delete'];
const recordActions = [...readableActions, 'record:create'];

/** A row for a caller: with the actions it holds on it; undefined when it may not read it. */
export function shownTo({ caller }: Asked, row: Json): Json | undefined {
  const owner = ownerOf(row.name, row.zone_name);
  const holds = (action: string) => caller.model.onRecord(action, row.zone_id, owner, row.type);
  if (!holds('record:read')) return undefined;
  return { ...row, actions: row.id === undefined ? [] : readableActions.filter(holds) };
}

export async function listOf(asked: Asked): Promise<Answered> {
  const answer = await adminAnswer(asked);
  if (isMisread(answer)) return answer;
  const zoneName = asked.query.get('zone_name') ?? '';
  const zone = asked.world.zoneOf(zoneName);
  if (zoneName !== '' && (zone === undefined || !asked.caller.model.sees(zone.id))) {
    return missing('ZONE_NOT_FOUND', `zone '${zoneName}'`);
  }
  return refusedTag(asked, zone, answer) ?? ofList(asked, (row) => shownTo(asked, row));
}

/** Whether a caller may know of versions of a zone. */
function readsVersions({ caller: { model } }: Asked, { id }: WorldZone): boolean {
  return model.inZone('zone:read', id) || model.whole('record:read', id);
}

/** What a tag in `at` is answered with to who may not know which exist, whether or not it does. */
function refusedTag(
  asked: Asked,
  zone: WorldZone | undefined,
  { status }: Answered,
): Answered | undefined {
  const isTag = asked.query.get('at')?.startsWith('tag:') ?? false;
  if (!isTag || zone === undefined || status === 400 || readsVersions(asked, zone))
    return undefined;
  return forbidden('zone:read', `in zone '${zone.name}'`);
}

/** The RRsets of a zone that a caller may read. */
export async function blameOf(asked: Asked): Promise<Answered> {
  const { world, path, query, params } = asked;
  const [zoneName] = params as [string];
  const { zone, hidden } = zoneIn(asked, zoneName);
  const whole = new Map([...query, ['limit', '1000']]);
  if (zone === undefined || !asked.caller.model.sees(zone.id)) return hidden;
  const answer = await world.admin(urlOf(path, whole));
  const refusal = refusedTag(asked, zone, answer);
  if (refusal !== undefined || answer.status !== 200) return refusal ?? answer;
  const rows = answer.body.items.filter(({ name, type }: Json) =>
    asked.caller.model.onRecord('record:read', zone.id, ownerOf(name, zone.name), type),
  );
  const items = rows.slice(0, Number(query.get('limit') ?? 50));
  const next = items.length < rows.length ? 'more' : null;
  const isKnown = !query.has('at') || readsVersions(asked, zone);
  const serial = isKnown ? answer.body.serial : null;
  return { ...answer, body: { ...answer.body, items, serial, next_cursor: next } };
}

/** What a team wants and a caller may read; all of it has drifted. */
export async function driftOf(asked: Asked): Promise<Answered> {
  const { caller, params } = asked;
  const { zone, hidden } = zoneIn(asked, params[0]!);
  if (zone === undefined || !caller.model.sees(zone.id)) return hidden;
  const answer = await adminAnswer(asked);
  const entries = answer.body.diff.entries.filter(({ name, type }: Json) =>
    caller.model.onRecord('record:read', zone.id, ownerOf(name, zone.name), type),
  );
  const { length: drifted } = entries;
  const summary = { added: 0, changed: 0, removed: drifted };
  const body = { ...answer.body, owned: drifted, drifted, diff: { entries, summary } };
  return { ...answer, body };
}

interface Place {
  readonly zoneId: number;
  readonly zoneName: string;
  readonly name: string;
  readonly type: string;
}

/** The refusal for who sees a record but may not read it, or sees none. */
function refusalAt({ caller, params }: Asked, place: Place | undefined): Answered | undefined {
  const hidden = missing('RECORD_NOT_FOUND', `record ${params[0]}`);
  if (place === undefined) return hidden;
  const owner = ownerOf(place.name, place.zoneName);
  const holds = (action: string) => caller.model.onRecord(action, place.zoneId, owner, place.type);
  if (!recordActions.some(holds)) return hidden;
  return holds('record:read')
    ? undefined
    : forbidden('record:read', `on ${place.name} ${place.type}`);
}

export async function recordOf(asked: Asked): Promise<Answered> {
  const answer = await adminAnswer(asked);
  const record = answer.body.record;
  const place = record && { ...record, zoneId: record.zone_id, zoneName: record.zone_name };
  const refusal = refusalAt(asked, place);
  if (refusal !== undefined) return refusal;
  return { ...answer, body: { record: shownTo(asked, record) } };
}

/** Where a record stands, or stood last. */
function lastPlaceOf({ world, params }: Asked, history: Answered): Place | undefined {
  const [newest] = history.body.items ?? [];
  const zone = world.zoneOfRecord(Number(params[0]));
  if (newest === undefined || zone === undefined) return undefined;
  const entries: Json[] = newest.diff.entries;
  const entry = entries.find(({ to }) => to.length > 0) ?? entries[0];
  return { zoneId: zone.id, zoneName: zone.name, name: entry.name, type: entry.type };
}

export async function historyOf(asked: Asked): Promise<Answered> {
  const { world, path, caller } = asked;
  const whole = await world.admin(`${path}?limit=1000`);
  const place = lastPlaceOf(asked, whole);
  const refusal = refusalAt(asked, place);
  if (refusal !== undefined || place === undefined) return refusal!;
  return ofList(asked, (step) => {
    const entries = step.diff.entries.filter((entry: Json) =>
      caller.model.onRecord(
        'record:read',
        place.zoneId,
        ownerOf(entry.name, place.zoneName),
        entry.type,
      ),
    );
    if (entries.length === 0) return undefined;
    const summary = { added: 0, changed: 0, removed: 0 } as Record<string, number>;
    for (const { change } of entries) summary[change]!++;
    const count = (half: string) => entries.flatMap((entry: Json) => entry[half]).length;
    return {
      ...step,
      diff: { entries, summary },
      records_added: count('to'),
      records_removed: count('from'),
    };
  });
}
