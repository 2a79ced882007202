/**
 * Publishing what was judged and written ahead (background/import), a large import or very many new records:
 * what is left to the law is who may, whether the zone is still as it was, and the settings of a new one.
 */
import { requireOnRecord, requireWhole } from './access/require.ts';
import type {
  PublishImport,
  PublishOutcome,
  PublishRecords,
  PublishRecordsOutcome,
} from './command.ts';
import { faultOfEmptyFile, requireImport } from './decide-import.ts';
import { findZone, nextSerial, refuseTakenName, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { printFaults } from './file-node.ts';
import { checkOverrides, requireSoa, settingsOfFile } from './imported-zone.ts';
import { changedZone, parseZoneName } from './zone.ts';

export function decidePublishImport(
  command: PublishImport,
  context: DecisionContext,
): Decision<PublishOutcome> {
  const { zoneName, mode, isCreating: create, staged, atSerial, zoneId } = command;
  const zone = context.view.zoneByName(zoneName);
  requireImport(context.rights, { zoneName, mode, create }, zone);
  const isSame = zone === undefined ? atSerial === null : zone.serial === atSerial;
  if (!isSame || (zone !== undefined && zone.id !== zoneId)) {
    return { event: undefined, outcome: { moved: true, errors: [] } };
  }
  checkOverrides(command.overrides, zone);
  const file = { records: command.fileRecords, hasSoa: command.file !== null };
  const empty = faultOfEmptyFile(mode, file, zone);
  if (empty !== undefined) return { event: undefined, outcome: { moved: false, errors: [empty] } };
  if (zone === undefined) return createFrom(command, context);
  const done = { moved: false, errors: [] };
  if (staged.removed === 0 && staged.added === 0) return { event: undefined, outcome: done };
  const before = settingsOf(zone);
  const after = { ...before, serial: nextSerial(zone) };
  const event: ZoneEvent = {
    kind: 'zone.imported',
    zoneId,
    before,
    after,
    delta: emptyDelta,
    staged,
  };
  return { event, outcome: done };
}

function createFrom(command: PublishImport, context: DecisionContext): Decision<PublishOutcome> {
  const { zoneId, staged, file, overrides } = command;
  const name = parseZoneName(command.zoneName);
  refuseTakenName(context, name);
  const { settings: after, faults } = settingsOfFile(
    name,
    requireSoa(file, name),
    overrides,
    context,
  );
  if (faults.length > 0) {
    return { event: undefined, outcome: { moved: false, errors: printFaults(faults) } };
  }
  const event: ZoneEvent = {
    kind: 'zone.imported',
    zoneId,
    before: null,
    after,
    delta: emptyDelta,
    staged,
  };
  return { event, outcome: { moved: false, errors: [] } };
}

export function decidePublishRecords(
  command: PublishRecords,
  context: DecisionContext,
): Decision<PublishRecordsOutcome> {
  const { zoneId, atSerial, records, staged } = command;
  const { rights } = context;
  const zone = findZone(context, command.zoneName);
  if (records === undefined) requireWhole(rights, 'record:create', zone);
  else if (!rights.whole('record:create', zone.id)) {
    for (const { owner, type } of records) {
      requireOnRecord(rights, 'record:create', zone, owner, type);
    }
  }
  if (zone.id !== zoneId || zone.serial !== atSerial) {
    return { event: undefined, outcome: { moved: true, zone } };
  }
  const before = settingsOf(zone);
  const after = { ...before, serial: nextSerial(zone) };
  const event: ZoneEvent = {
    kind: 'records.changed',
    zoneId,
    before,
    after,
    delta: emptyDelta,
    staged,
  };
  const recordCount = zone.recordCount + staged.added;
  return { event, outcome: { moved: false, zone: changedZone(zone, after, { recordCount }) } };
}
