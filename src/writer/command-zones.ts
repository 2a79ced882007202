/** Which zones a command is about. */
import type { Command } from '../domain/command.ts';
import type { StateView } from '../domain/decision.ts';
import { zonesOfChanges } from '../domain/external-dns-items.ts';
import { normaliseZoneName, type Zone } from '../domain/zone.ts';

/** A stored zone by its name as it was written. */
export function zoneNamed(name: string, state: StateView): Zone | undefined {
  return state.zoneByName(normaliseZoneName(name));
}

/** The stored zone that a command is about, when it is about one. */
export function zoneOf(command: Command, state: StateView): Zone | undefined {
  if ('zoneName' in command && command.zoneName !== undefined) {
    return zoneNamed(command.zoneName, state);
  }
  if (command.kind !== 'update-record' && command.kind !== 'delete-record') return undefined;
  const found = state.recordById(command.id);
  return found && state.zoneById(found.zoneId);
}

/** The names of all zones that a command is about, whether they are stored, deleted or to be made. */
export function namesOf(command: Command, state: StateView): readonly string[] {
  return rawNames(command, state).map(normaliseZoneName);
}

function rawNames(command: Command, state: StateView): readonly string[] {
  switch (command.kind) {
    case 'apply-external-dns':
      return zonesOfChanges(command, state).map(({ name }) => name);
    case 'change-zones':
      return command.zones.map(({ zoneName }) => zoneName);
    case 'update-zone':
      return [command.zoneName, command.name ?? command.zoneName];
    case 'revert-change': {
      const { before, after } = command.settings ?? {};
      // It may take back a rename.
      const isRename = before !== undefined && before.name !== after?.name;
      return isRename ? [command.zoneName, before.name] : [command.zoneName];
    }
    case 'create-zone':
    case 'restore-zone':
    case 'purge-zone':
      return [command.name];
    default: {
      const named = 'zoneName' in command ? command.zoneName : undefined;
      const name = named ?? zoneOf(command, state)?.name;
      return name === undefined ? [] : [name];
    }
  }
}
