/** The model's answers about events: all that an administrator reads, event by event with what grants leave of it. */
import { adminAnswer, type Asked, missing } from './asked.ts';
import { type ModelCaller, ownerOf } from './model.ts';
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
  mine: ['true', 'false'],
  source: ['cli', 'api', 'system'],
  kind: ['records.changed', 'zone.created', 'zone.deleted', 'role.created', 'webhook.suspended'],
  signing: ['true', 'false'],
  since: times,
  until: times,
  reason: ['none'],
});

/** A stream, which ends where it is told to. */
export const streamFilters = (world: World) => {
  const { limit: _, order: __, until: ___, ...filters } = eventFilters(world);
  return { ...filters, before: ['1', '20', '60'], until: [times[0]!] };
};

/** The events of a list that has room for all of them, as lines of JSON behind their numbers. */
export async function streamOf(asked: Asked): Promise<Answered> {
  const last = (await all(asked.world)).at(-1)!.seq as number;
  const after = Number(asked.query.get('after') ?? (asked.query.has('since') ? 0 : last));
  const query = new Map([...asked.query, ['after', `${after}`], ['order', 'asc']]);
  const path = asked.path.replace(/\/stream$/, '');
  const answer = await eventsOf({ ...asked, path, query }, Number.POSITIVE_INFINITY);
  if (answer.status !== 200) return answer;
  if (after > last) return missing('EVENT_NOT_FOUND', `event ${after}`);
  const texts = answer.body.items.map(
    (event: Json) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return { ...answer, body: `retry: 1000\nid: ${after}\n\n${texts.join('')}` };
}

async function all(world: World): Promise<Json[]> {
  const events: Json[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { body } = await world.admin(`/events?limit=1000&order=asc&after=${after}`);
    events.push(...body.items);
    after = body.next_after;
  }
  return events;
}

/** `most`: how many a page has. */
export async function eventsOf(
  asked: Asked,
  most = Number(asked.query.get('limit') ?? 50),
): Promise<Answered> {
  const { world, caller, query } = asked;
  const zone = query.get('zone');
  const known = zone === undefined ? undefined : world.zoneOf(zone);
  const both = (one: string, other: string) => query.has(one) && query.has(other);
  const isExcluded = both('zone', 'zone_id') || both('actor', 'mine');
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
  const isUp = query.get('order') === 'asc';
  if (!isUp) inOrder.reverse();
  const items: Json[] = [];
  let last: number | null = null;
  const pageOf = (next: number | null): Answered => {
    const body = { items, next_after: isUp ? next : null, next_before: isUp ? null : next };
    return { ...answer, body };
  };
  for (const event of inOrder) {
    if (items.length === most) return pageOf(last);
    last = event.seq;
    const seen = passes(event, asked.query, asked.caller.name) ? seenBy(asked, event) : undefined;
    if (seen !== undefined) items.push(seen);
  }
  return pageOf(null);
}

export async function eventOf(asked: Asked): Promise<Answered> {
  const [seq] = asked.params;
  const event = (await all(asked.world)).find((one) => String(one.seq) === seq);
  const seen = event && seenBy(asked, event);
  const cursor = asked.query.get('cursor');
  if (seen === undefined) return missing('EVENT_NOT_FOUND', `event ${seq}`);
  const { zone, diff, serial } = seen;
  if (zone === null || diff === null || serial === null) {
    return { status: 200, body: { event: seen, next_cursor: null }, etag: null };
  }
  const isBehind = ({ name, type }: Json) =>
    cursor === undefined || name !== `${zone.name}.` || type !== 'A';
  const left = diff.entries.filter(isBehind);
  const entries = left.slice(0, Number(asked.query.get('limit') ?? 100));
  const isCut = entries.length < left.length;
  const page = { entries, summary: countOf(entries) };
  const body = {
    event: { ...seen, diff: page, diff_truncated: isCut },
    next_cursor: isCut ? 'more' : null,
  };
  return { status: 200, body, etag: null };
}

function passes(event: Json, query: ReadonlyMap<string, string>, caller: string): boolean {
  const fits = (name: string, value: unknown) => !query.has(name) || query.get(name) === value;
  return (
    fits('kind', event.kind) &&
    (!query.has('signing') || String(/^zone\.sign/.test(event.kind)) === query.get('signing')) &&
    fits('source', event.source) &&
    fits('actor', event.actor?.name) &&
    (query.get('mine') !== 'true' || event.actor?.name === caller) &&
    (!query.has('reason') || (event.reason ?? '').includes(query.get('reason')!))
  );
}

/** What a caller of some grants sees of an event that may pass a filter. */
export function seenOf(
  model: ModelCaller,
  query: ReadonlyMap<string, string>,
  event: Json,
): Json | undefined {
  const zoneId = query.get('zone_id') ?? String(event.zone?.id);
  if (!passes(event, query, '') || zoneId !== String(event.zone?.id)) return undefined;
  return seenBy({ caller: { model }, query }, event);
}

function countOf(entries: readonly Json[]) {
  const changes = (change: string) => entries.filter((entry) => entry.change === change).length;
  return { added: changes('added'), changed: changes('changed'), removed: changes('removed') };
}

/** With `zone` the owner is followed through the names that the zone had. */
function isOwnerAsked(query: ReadonlyMap<string, string>, name: string, zone: string): boolean {
  const [asked, within] = [query.get('name'), query.get('zone')];
  if (asked === undefined) return true;
  if (within === undefined) return name === asked;
  return ownerOf(name, zone) === ownerOf(asked, within);
}

/** What a caller sees of an event, of records only what a query asks for. */
function seenBy(
  {
    caller: { model },
    query,
  }: Pick<Asked, 'query'> & { readonly caller: Pick<Asked['caller'], 'model'> },
  event: Json,
): Json | undefined {
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
      isOwnerAsked(query, name, zone.name) &&
      (!query.has('type') || query.get('type') === type),
  );
  if (entries.length === 0 && (wants || !seesZone)) return undefined;
  const isWhole = entries.length === event.diff.entries.length;
  const count = (side: 'from' | 'to') =>
    entries.reduce((sum: number, entry: Json) => sum + entry[side].length, 0);
  return {
    ...event,
    summary: isWhole
      ? event.summary
      : { added: count('to'), removed: count('from'), changed: entries.length },
    diff: { entries, summary: countOf(entries) },
    settings_changed: seesZone ? event.settings_changed : [],
    signing: seesZone ? event.signing : null,
    redacted: !seesZone || (!model.whole('record:read', zone.id) && !isWhole),
  };
}
