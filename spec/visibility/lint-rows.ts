/** The model's answers about lint: what the model of lint finds in what a caller may read of all zones. */
import { LintModel, type ModelReader, type ModelZone } from '../lint/model.ts';
import { adminAnswer, type Asked, missing } from './asked.ts';
import { type ModelCaller, ownerOf } from './model.ts';
import type { Answered, Json, World } from './world.ts';

export const lintFilters = () => ({
  limit: ['1', '2', '1000'],
  cursor: ['x'],
});

async function zonesOf(world: World): Promise<ModelZone[]> {
  const { items } = (await world.admin('/records?limit=1000')).body;
  return world.zones.map(({ id, name }) => {
    const ofZone = items.filter(({ zone_id }: Json) => zone_id === id);
    const records = ofZone.map((one: Json) => ({ ...one, name: ownerOf(one.name, name) }));
    return { id, name, records };
  });
}

function readerOf(model: ModelCaller): ModelReader {
  const isWithin = (owner: string, above: string) => owner === above || owner.endsWith(`.${above}`);
  return {
    sees: (id) => model.sees(id),
    reads: (id, owner, type) => model.onRecord('record:read', id, owner, type),
    // Only a grant of all types is one of a type that does not exist.
    readsAll: (id, owner) => model.onRecord('record:read', id, owner, 'none'),
    readsBelow: (id, owner) =>
      model
        .reaching(id)
        .some(
          ({ actions, pattern, types }) =>
            actions.includes('record:read') &&
            types === '*' &&
            (pattern === '*' || (pattern.startsWith('*.') && isWithin(owner, pattern.slice(2)))),
        ),
  };
}

export async function lintOf(asked: Asked): Promise<Answered> {
  const { world, caller, params, query } = asked;
  const zones = await zonesOf(world);
  const zone = zones.find(({ name }) => name === params[0]);
  if (zone === undefined || !caller.model.sees(zone.id)) {
    return missing('ZONE_NOT_FOUND', `zone '${params[0]}'`);
  }
  // That is no cursor for anybody.
  if (query.has('cursor')) return adminAnswer(asked);
  const found = new LintModel(zones, readerOf(caller.model)).findings(zone);
  const limit = Number(query.get('limit') ?? 50);
  const body = { items: found.slice(0, limit), more: found.length >= limit };
  return { status: 200, body, etag: null };
}

/** Without sentences, and of a cursor only that there is one. */
export function plainLint(answer: Answered): Answered {
  const { items, next_cursor } = answer.body;
  if (items === undefined || next_cursor === undefined) return answer;
  const plain = items.map(({ name, type, code }: Json) => `${name} ${type} ${code}`);
  return { ...answer, body: { items: plain, more: next_cursor !== null } };
}
