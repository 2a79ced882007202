/** The model's answers to an external DNS controller (interface 4.8 rule 5). */
import type { Asked } from './asked.ts';
import { ownerOf } from './model.ts';
import type { Answered, Json, WorldZone } from './world.ts';

const types = ['A', 'AAAA', 'CNAME', 'TXT'];
const needed = ['record:read', 'record:create', 'record:delete'];

/** The owners in a zone below which a caller may manage records of some type. */
function ownersIn({ caller: { model } }: Asked, zone: WorldZone): Set<string> {
  const candidates = model
    .reaching(zone.id)
    .map(({ pattern }) => (pattern.startsWith('*.') ? pattern.slice(2) : '@'));
  return new Set(
    candidates.filter((owner) =>
      types.some((type) => needed.every((action) => model.onRecord(action, zone.id, owner, type))),
    ),
  );
}

export async function domainsOf(asked: Asked): Promise<Answered> {
  const domains = asked.world.zones.flatMap((zone) =>
    [...ownersIn(asked, zone)].map((owner) =>
      owner === '@' ? zone.name : `${owner}.${zone.name}`,
    ),
  );
  // A zone may have the name of a domain in the zone above it.
  return { status: 200, body: { domains: [...new Set(domains)].sort() }, etag: null };
}

/** The deepest zone a name is in. */
function zoneOf({ world }: Asked, name: string): WorldZone {
  return world.zones
    .filter((zone) => name === `${zone.name}.` || name.endsWith(`.${zone.name}.`))
    .sort((a, b) => b.name.length - a.name.length)[0]!;
}

export async function externalRecordsOf(asked: Asked): Promise<Answered> {
  const { body } = await asked.world.admin('/external-dns/records');
  const records = body.records.filter(({ name, type }: Json) => {
    const zone = zoneOf(asked, name);
    const owner = ownerOf(name, zone.name);
    const isManaged = [...ownersIn(asked, zone)].some(
      (above) => above === '@' || owner === above || owner.endsWith(`.${above}`),
    );
    return isManaged && asked.caller.model.onRecord('record:read', zone.id, owner, type);
  });
  return { status: 200, body: { records }, etag: null };
}

/** Domains in any order. */
export function sortedDomains(answer: Answered): Answered {
  return { ...answer, body: { domains: [...(answer.body.domains ?? [])].sort() } };
}
