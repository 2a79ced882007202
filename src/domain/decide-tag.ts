/** Tags: names for serials of a zone. The zone gets no serial by them. */
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import type { DecisionContext } from './decision.ts';
import { outcomeOf } from './decide-zone.ts';
import type { Tag } from './event.ts';
import { parseIdentifier } from './identifier.ts';
import { noVersion, noZone } from './zone.ts';
import { changeZone, findZone } from './zone-change.ts';

interface TagZone extends Tag {
  readonly zoneName: string;
  /** Of the zone that the serial was looked up in: its name may be another zone's by now. */
  readonly zoneId: number;
}

export function noTag(zoneName: string, name: string): Problem {
  return new Problem('VERSION_NOT_FOUND', `zone '${zoneName}' has no tag '${excerpt(name)}'`);
}

/** A tag that exists moves. VERSION_NOT_FOUND where there is none to take away, or no such version is retained. */
function decideTagZone({ zoneName, zoneId, serial, ...given }: TagZone, context: DecisionContext) {
  const zone = findZone(context, zoneName, 'zone:update');
  if (zone.id !== zoneId) throw noZone(zone.name);
  const name = parseIdentifier(given.name);
  const tags = context.view.tagsOf(zone.id);
  const known = tags.get(name);
  if (serial === null && known === undefined) throw noTag(zone.name, name);
  if (serial !== null && !context.view.hasVersion(zone, serial)) {
    throw noVersion(zone, serial);
  }
  if (known === undefined && tags.size >= limits.tagsPerZone) {
    throw new Problem(
      'INVALID_INPUT',
      `zone '${zone.name}' has ${tags.size} tags, as many as it can`,
    );
  }
  if (known === serial) return outcomeOf({ zone });
  const { event } = changeZone('zone.tagged', zone, zone.serial);
  return outcomeOf({ event: { ...event, tag: { name, serial } }, zone });
}

export const tagDecisions = { 'tag-zone': decideTagZone };
