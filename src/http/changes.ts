/** Changes of several RRsets and zones as one. */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { changeRoutes } from '../contract/changes.ts';
import type { ChangesOutcome, ZoneChanges } from '../domain/change-zones.ts';
import { bracketed, JsonText, objectPieces, type Piece, refuseStale, streamed } from './answer.ts';
import { endpoints, type RequestOf } from './endpoint.ts';
import { parseIfMatch, tagOfZone } from './entity-tag.ts';
import { bytesOfDiffs, longDiffJson } from './record-texts.ts';

export const changeEndpoints = endpoints(changeRoutes, {
  async applyChanges(request) {
    const { zones, plan_hash: planHash } = request.body;
    requireLimits(zones);
    const outcome = await request.submit({
      kind: 'change-zones',
      zones: zones.map(changesOf),
      planHash: planHash ?? undefined,
    });
    const plan = planOf(outcome, request.isMinimal);
    if (outcome.isStale) return refuseStale('the zones have', plan);
    return streamed(200, { ...request.applied, ...plan });
  },
});

type Body = RequestOf<(typeof changeRoutes)['applyChanges']>['body'];

function requireLimits(zones: Body['zones']): void {
  let items = 0;
  for (const { set, add, delete: deletions } of zones) {
    items += deletions?.length ?? 0;
    for (const { values } of [...(set ?? []), ...(add ?? [])]) items += 1 + values.length;
  }
  const tooMany = (what: string, max: number, count: number) =>
    new Problem('PAYLOAD_TOO_LARGE', `zones: at most ${max} ${what} in one call, not ${count}`);
  if (zones.length > limits.changedZones) {
    throw tooMany('of them', limits.changedZones, zones.length);
  }
  if (items > limits.changeItems) {
    throw tooMany('deletions, RRsets and values', limits.changeItems, items);
  }
}

function changesOf(raw: Body['zones'][number]): ZoneChanges {
  const rrsetOf = (rrset: NonNullable<typeof raw.set>[number]) => {
    return { ...rrset, ttl: rrset.ttl ?? undefined };
  };
  const { name, if_match: tag, set, add, delete: deletions } = raw;
  return {
    zoneName: name,
    ifMatch: parseIfMatch(tag ?? undefined, 'if_match'),
    set: (set ?? []).map(rrsetOf),
    add: (add ?? []).map(rrsetOf),
    delete: (deletions ?? []).map(({ name: owner, type, value }) => {
      return { name: owner, type: type ?? undefined, value: value ?? undefined };
    }),
  };
}

function planOf({ planHash, zones }: ChangesOutcome, isMinimal: boolean) {
  const bytes = bytesOfDiffs(zones.map(({ diff }) => diff));
  return { plan_hash: planHash, zones: new JsonText(bracketed(zonesOf(zones, isMinimal)), bytes) };
}

async function* zonesOf(zones: ChangesOutcome['zones'], isMinimal: boolean): AsyncGenerator<Piece> {
  for (const [index, { zone, diff, warnings }] of zones.entries()) {
    if (index > 0) yield ',';
    const head = { name: zone.name, serial: zone.serial, etag: tagOfZone(zone).ETag };
    yield* objectPieces({ ...head, ...(!isMinimal && { diff: longDiffJson(diff) }), warnings });
  }
}
