/**
 * What lets history go: a checkpoint writes down a whole zone, so that the events before it are needed no
 * more, and a purge lets go of a deleted zone with everything that was ever in it.
 *
 * Neither is a change of the zone: no step of the serial, no version, nothing to tell secondaries. Which
 * events go then is the business of the journal, which keeps their hashes.
 */
import { requireEverywhere, requireInZone } from './access/require.ts';
import type { CheckpointZone, PurgeZone, ZoneOutcome } from './command.ts';
import { findDeletedZone } from './decide-restore.ts';
import { outcomeOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { noZone } from './zone.ts';

export function decideCheckpointZone(
  command: CheckpointZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  const { zoneId, settings, standIn, delta, staged, signing } = command;
  const zone = context.view.zoneById(zoneId);
  if (zone === undefined || !context.rights.sees(zoneId)) throw noZone(settings.name);
  requireInZone(context.rights, 'zone:delete', zone);
  const event: ZoneEvent = {
    kind: 'zone.checkpointed',
    zoneId,
    before: settings,
    after: settings,
    delta,
    standIn,
    ...(staged === undefined ? {} : { staged }),
    ...(signing === undefined
      ? {}
      : { signing: { reason: 'zone-changed' as const, state: signing } }),
  };
  return { event, outcome: outcomeOf(zone) };
}

export function decidePurgeZone(
  command: PurgeZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  requireEverywhere(context.rights, 'zone:delete');
  const { deletedAt: _, ...zone } = findDeletedZone(command, context);
  const { view } = context;
  const event: ZoneEvent = {
    kind: 'zone.purged',
    zoneId: zone.id,
    before: null,
    after: null,
    delta: emptyDelta,
    standIn: {
      // All of its stream: nothing comes after a purge.
      upToSeq: Number.MAX_SAFE_INTEGER,
      greatestRecordId: view.greatestRecordId(),
      greatestKeyId: view.greatestKeyId(),
    },
  };
  const versionsDeleted = view.versionCount(zone.id);
  return {
    event,
    outcome: { zone, recordsDeleted: zone.recordCount, versionsDeleted, warnings: [] },
    secrets: [{ kind: 'delete-signing-keys', zoneId: zone.id }],
  };
}
