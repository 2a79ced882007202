/** The model's answers about events: all that an administrator reads, event by event with what grants leave of it. */
import { adminAnswer, type Asked, missing } from './asked.ts';
import { ownerOf } from './model.ts';
import { type Answered, formerNames, type Json, missingZone, type World } from './world.ts';

const times = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
const numbers = ['0', '1', '20', '60', '100000'];
const names = ({ zones }: World) => [...zones.map(({ name }) => name), missingZone, ...formerNames];

export const eventFilters = (world: World) => ({
  after: numbers,
  before: numbers,
  limit: ['1', '3', '1000'],
  order: ['asc', 'desc'],
  zone: names(world),
  zone_id: ['0', '999', ...world.zones.map(({ id }) => String(id))],
  name: names(world).flatMap((name) => [`www.${name}.`, `suba.${name}.`, `none.${name}.`]),
  type: ['A', 'TXT', 'NS', 'MX'],
  actor: ['none'],
  source: ['cli', 'api', 'system'],
  kind: ['records.changed', 'zone.created', 'zone.deleted', 'role.created', 'none'],
  since: times,
  until: times,
  reason: ['none'],
});

const all = async (world: World): Promise<Json[]> =>
  (await world.admin('/events?limit=1000&order=asc')).body.items;

export async function eventsOf(asked: Asked): Promise<Answered> {
  const { world, caller, query } = asked;
  const zone = query.get('zone');
  const known = zone === undefined ? undefined : world.zoneOf(zone);
  const isExcluded = zone !== undefined && query.has('zone_id');
  if (!isExcluded && zone !== undefined && !(known && caller.model.sees(known.id))) {
    return missing('ZONE_NOT_FOUND', `zone '${zone}'`);
  }
  const answer = await adminAnswer(asked);
  if (answer.status !== 200) return answer;
  const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise);
  const low = number('after', 0);
  const high = number('before', Number.MAX_SAFE_INTEGER);
  const since = Date.parse(query.get('since') ?? times[0]!);
  const until = Date.parse(query.get('until') ?? times[1]!);
  const zoneId = known?.id ?? (query.has('zone_id') ? number('zone_id', 0) : undefined);
  const inOrder = (await all(world)).filter(
    (event) =>
      event.seq > low &&
      event.seq < high &&
      Date.parse(event.at) >= since &&
      Date.parse(event.at) <= until &&
      (zoneId === undefined || (event.zone?.id ?? 0) === zoneId),
  );
  if (query.get('order') !== 'asc') inOrder.reverse();
  const items: Json[] = [];
  let last: number | null = null;
  for (const event of inOrder) {
    if (items.length === number('limit', 50)) return { ...answer, body: { items, next: last } };
    last = event.seq;
    const seen = passes(event, query) ? seenBy(asked, event) : undefined;
    if (seen !== undefined) items.push(seen);
  }
  return { ...answer, body: { items, next: null } };
}

export async function eventOf(asked: Asked): Promise<Answered> {
  const [seq] = asked.params;
  const event = (await all(asked.world)).find((one) => String(one.seq) === seq);
  const seen = event && seenBy(asked, event);
  if (seen === undefined) return missing('EVENT_NOT_FOUND', `event ${seq}`);
  return { status: 200, body: { event: seen }, etag: null };
}

function passes(event: Json, query: Asked['query']): boolean {
  const fits = (name: string, value: unknown) => !query.has(name) || query.get(name) === value;
  return (
    fits('kind', event.kind) &&
    fits('source', event.source) &&
    fits('actor', event.actor?.name) &&
    (!query.has('reason') || (event.reason ?? '').includes(query.get('reason')!))
  );
}

/** What a caller sees of an event, of records only what a query asks for. */
function seenBy({ caller: { model }, query }: Asked, event: Json): Json | undefined {
  const wants = query.has('name') || query.has('type');
  const { zone, kind } = event;
  if (zone === null) {
    if (wants) return undefined;
    if (kind.startsWith('secondary.')) {
      return model.everywhere('secondary:read') || model.everywhere('secondary:manage')
        ? event
        : undefined;
    }
    if (kind.startsWith('policy.')) {
      return model.everywhere('dnssec:read') || model.everywhere('dnssec:manage')
        ? event
        : undefined;
    }
    return model.everywhere('access:manage') ? event : undefined;
  }
  if (!model.sees(zone.id)) return undefined;
  const seesZone = model.inZone('zone:read', zone.id);
  const entries = event.diff.entries.filter(
    ({ name, type }: Json) =>
      model.onRecord('record:read', zone.id, ownerOf(name, zone.name), type) &&
      (!query.has('name') || query.get('name') === name) &&
      (!query.has('type') || query.get('type') === type),
  );
  if (entries.length === 0 && (wants || !seesZone)) return undefined;
  const isWhole = entries.length === event.diff.entries.length;
  const count = (side: 'from' | 'to') =>
    entries.reduce((sum: number, entry: Json) => sum + entry[side].length, 0);
  const changes = (change: string) =>
    entries.filter((entry: Json) => entry.change === change).length;
  const summary = {
    added: changes('added'),
    changed: changes('changed'),
    removed: changes('removed'),
  };
  return {
    ...event,
    records_removed: isWhole ? event.records_removed : count('from'),
    records_added: isWhole ? event.records_added : count('to'),
    diff: { entries, summary },
    settings_changed: seesZone ? event.settings_changed : [],
    signing: seesZone ? event.signing : null,
    redacted: !seesZone || (!model.whole('record:read', zone.id) && !isWhole),
  };
}
