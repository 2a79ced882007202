/**
 * Publishing a large import, whose records were judged and written ahead (background/import): what is left
 * to the law is who may, whether the zone is still as it was, and the settings of a new one.
 */

import type { PublishImport, PublishOutcome } from './command.ts';
import { requireImport } from './decide-import.ts';
import { nextSerial, refuseTakenName, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { printFaults } from './file-node.ts';
import { requireSoa, settingsOfFile } from './imported-zone.ts';
import { parseZoneName } from './zone.ts';

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
  const { zoneId, staged, file } = command;
  const name = parseZoneName(command.zoneName);
  refuseTakenName(context, name);
  const { settings: after, faults } = settingsOfFile(name, requireSoa(file, name), context);
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
