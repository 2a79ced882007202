/** Handlers of what lets history go for good (decisions 16). */
import { parseTime } from '../../base/clock.ts';
import { Problem } from '../../base/problem.ts';
import { historyRoutes } from '../../contract/history.ts';
import { json } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentZone } from '../present/zone.ts';

const purge = endpoint(historyRoutes.purgeZone, async (request) => {
  const { dry_run: dryRun = false, id } = request.query;
  const outcome = await request.submit(
    { kind: 'purge-zone', name: request.params.name, id },
    dryRun,
  );
  return json(200, {
    applied: !dryRun,
    dry_run: dryRun,
    records_deleted: outcome.recordsDeleted,
    versions_deleted: outcome.versionsDeleted,
    warnings: outcome.warnings,
    zone: presentZone(outcome.zone),
  });
});

const forget = endpoint(historyRoutes.forgetHistory, async (request, services) => {
  const { params, body, view } = request;
  const zone = view.zones.with('zone:delete', params.name);
  const beforeMs = parseBefore(body.before, services.clock());
  const dryRun = body.dry_run ?? false;
  const { versions, oldestSerial } = services.retention.forgetting(zone, beforeMs);
  if (!dryRun) {
    await services.retention.forget(zone.id, beforeMs, request.submitOptions(false));
  }
  return json(200, {
    applied: !dryRun,
    dry_run: dryRun,
    // What the zone serves is as it was.
    warnings: [],
    versions_forgotten: versions,
    oldest_serial: oldestSerial,
    zone: presentZone(zone),
  });
});

/** A time that is yet to come is taken for a slip: it would let everything go. */
function parseBefore(written: string, now: number): number {
  const beforeMs = parseTime(written);
  if (beforeMs !== undefined && beforeMs <= now) return beforeMs;
  const rule =
    beforeMs === undefined ? 'must be a time like 2026-01-31T12:00:00Z' : 'is yet to come';
  throw new Problem('INVALID_INPUT', `'before' ${rule}`);
}

export const retentionEndpoints: readonly Endpoint[] = [purge, forget];
