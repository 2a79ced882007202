/** Desired state: what a team wants of a zone, and how far the zone is from it. */
import { readSource } from '../background/import/read-file.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { desiredRoutes } from '../contract/desired.ts';
import { joinNames, printAbsoluteName } from '../dns/name.ts';
import { printType } from '../dns/rrtype.ts';
import type { DesiredOutcome } from '../domain/decide-desired.ts';
import type { RrsetName } from '../domain/desired.ts';
import type { ReadRecords } from '../domain/file-node.ts';
import { parseIdentifier } from '../domain/identifier.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { refuseStale, streamed } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { tagOfZone } from './entity-tag.ts';
import { longDiffJson } from './record-texts.ts';

/** Lines of a bad file that are repeated. */
const linesNamed = 10;

export const desiredEndpoints = endpoints(desiredRoutes, {
  async applyDesired(request) {
    const { content, plan_hash: planHash } = request.body;
    const zone = request.view.zones.get(request.params.name);
    const outcome = await request.submit({
      kind: 'apply-desired',
      zoneName: zone.name,
      team: request.query.owner,
      ...recordsIn(content, zone),
      planHash: planHash ?? undefined,
    });
    const plan = planOf(outcome);
    if (outcome.isStale) return refuseStale('the zone has', plan);
    return streamed(200, { ...request.applied, ...plan });
  },

  async getDrift({ params, query, view }) {
    const found = view.zones.get(params.name);
    const team = parseIdentifier(query.owner, 'owner');
    const { zone, owned, diff } = await view.zones.drift(found, team);
    const head = { zone_name: zone.name, owner: team, serial: zone.serial, owned };
    return streamed(200, { ...head, drifted: diff.entries.length, diff: longDiffJson(diff) });
  },
});

/** The records of a file but its SOA, each with its line. */
function recordsIn(content: string, zone: Zone): ReadRecords {
  const bytes = Buffer.byteLength(content);
  if (bytes > limits.desiredBytes) {
    const rule = `has ${bytes} bytes (at most ${limits.desiredBytes})`;
    throw new Problem('PAYLOAD_TOO_LARGE', `content: ${rule}`);
  }
  const options = { apex: apexOf(zone), defaultTtl: zone.defaultTtl, skipUnsupported: false };
  const { records, withoutTtl, errors } = readSource(content, options);
  if (errors.length === 0) return { records: [...records.records()], withoutTtl };
  throw new Problem('INVALID_INPUT', `content: ${errors.slice(0, linesNamed).join('; ')}`);
}

function planOf(outcome: DesiredOutcome) {
  const { zone, team, owned, planHash, diff, warnings } = outcome;
  const { name, serial } = zone;
  const apex = apexOf(zone);
  const present = ({ owner, type }: RrsetName) => {
    return { name: printAbsoluteName(joinNames(owner, apex)), type: printType(type) };
  };
  const moves = {
    taken_over: outcome.takenOver.map(present),
    released: outcome.released.map(present),
    unchanged: outcome.isUnchanged,
  };
  const head = { zone_name: name, owner: team, serial, etag: tagOfZone(zone).ETag, owned };
  return { ...head, ...moves, plan_hash: planHash, diff: longDiffJson(diff), warnings };
}
