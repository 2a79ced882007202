/**
 * A change to one zone: which zone a caller means, the serial that it takes, the event that is written, and
 * the zone as it is then.
 *
 * Serials are counters from 1, one step for each change, never back and never wrapping. A name that
 * another zone has left starts above the last serial it was served under.
 */
import type { ZoneEventKind } from '../base/event-kind.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { type NameKey, parentOf, printLabels } from '../dns/name.ts';
import type { Action } from '../base/action.ts';
import type { Warning, WarningCode } from '../base/warning.ts';
import { requireInZone } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type { DecisionContext, StateView } from './decision.ts';
import { beginsHistory, countsOf, emptyDelta, type StagedDelta, type ZoneEvent } from './event.ts';
import type { ZoneRecord } from './record.ts';
import type { SigningFact } from './signing.ts';
import {
  changedZone,
  normaliseZoneName,
  noZone,
  settingsOf,
  type Zone,
  type ZoneSettings,
} from './zone.ts';

/** A command about one zone, and nothing besides. */
export interface OfZone {
  readonly zoneName: string;
}

/**
 * The zone a command names; one that is not stored or not visible is ZONE_NOT_FOUND, one in which the caller may not
 * do `action` is FORBIDDEN.
 */
export function findZone(context: DecisionContext, name: string, action?: Action): Zone {
  const zone = context.view.zoneByName(normaliseZoneName(name));
  requireVisible(context.rights, zone, name);
  if (action !== undefined) requireInZone(context.rights, action, zone);
  return zone;
}

/** A zone that is not stored and one that the caller may not see answer alike. */
export function requireVisible(
  rights: Rights,
  zone: Zone | undefined,
  name: string,
): asserts zone is Zone {
  if (zone !== undefined && rights.sees(zone.id)) return;
  throw noZone(name);
}

/** The deepest stored zones that names are in, each ancestor asked for once. */
export class ZonesOfNames {
  readonly #view: Pick<StateView, 'zoneByName'>;
  readonly #known = new Map<NameKey, Zone | undefined>();

  constructor(view: Pick<StateView, 'zoneByName'>) {
    this.#view = view;
  }

  /** Whether or not a caller sees it. */
  enclosing(name: NameKey): Zone | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const parent = parentOf(name);
    if (parent === undefined) return undefined;
    const zone = this.#view.zoneByName(printLabels(name)) ?? this.enclosing(parent);
    this.#known.set(name, zone);
    return zone;
  }
}

/** What a serial is of. */
type Served = Pick<ZoneSettings, 'name' | 'serial'>;

/** The serial after an ordinary change. Serials never wrap: at the end a change is ZONE_CONFLICT. */
export function nextSerial({ name, serial }: Served): number {
  if (serial < limits.maxSerial) return serial + 1;
  throw new Problem(
    'ZONE_CONFLICT',
    `zone '${name}' is at serial ${serial}: ` +
      `beyond ${limits.maxSerial} it can be disabled, re-signed, unsigned, exported and deleted, not changed`,
  );
}

/** The serial after what is possible in a zone that takes no more changes: signing, disabling, enabling. */
export function nextReservedSerial({ name, serial }: Served): number {
  if (serial < limits.serial) return serial + 1;
  throw new Problem(
    'ZONE_CONFLICT',
    `zone '${name}' is at serial ${limits.serial}, the last one; it can only be exported and deleted`,
  );
}

/** The last serial that a name may have been served under by a zone that does not exist any more. */
export function lastServedSerial(view: StateView, name: string): number {
  return Math.max(view.formerSerial(name) ?? 0, view.counter('lost_serial'));
}

/** What is said of the serial of a new zone. */
interface AskedSerial {
  /** By the caller: it is kept. */
  readonly given?: number | undefined;
  /** By the SOA that the zone is made of; 0 counts as none. */
  readonly source?: number | undefined;
}

/**
 * The serial of a new zone: the one that the caller gives; else that of its source, or 1, and above the last that
 * its name was served under, for secondaries that hold a former zone take no other.
 */
export function firstSerial(
  { view }: Pick<DecisionContext, 'view'>,
  name: string,
  { given, source }: AskedSerial,
): { readonly serial: number; readonly warnings: readonly Warning[] } {
  const last = lastServedSerial(view, name);
  if (given !== undefined) {
    if (given > last) return { serial: given, warnings: [] };
    const why =
      `the serial ${given} is not above ${last}, under which secondaries may hold an earlier zone ` +
      `of this name: they keep that one until the serial is above ${last}`;
    return { serial: given, warnings: [soaWarning('SERIAL_BEHIND', name, why)] };
  }
  if (source !== undefined && source > last) return { serial: source, warnings: [] };
  if (last >= limits.maxSerial) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${name}': an earlier zone of this name had the serial ${last}, and none is left above it; give serial`,
    );
  }
  const serial = last + 1;
  if (source === undefined || last === 0) return { serial, warnings: [] };
  const why =
    `the serial is ${serial} and not ${source}, as its source has it: secondaries may hold ` +
    `an earlier zone of this name under serials up to ${last}`;
  return { serial, warnings: [soaWarning('SERIAL_RAISED', name, why)] };
}

/** What is probably a mistake in the SOA of a zone. */
export function soaWarning(code: WarningCode, zoneName: string, message: string): Warning {
  return { code, name: `${zoneName}.`, type: 'SOA', message };
}

/** A name that is a zone's, or the catalog's, is ZONE_CONFLICT. */
export function refuseTakenName(context: DecisionContext, name: string): void {
  if (name === context.catalogZoneName) {
    throw new Problem('ZONE_CONFLICT', `zone '${name}' is the catalog zone of this service`);
  }
  if (context.view.zoneByName(name) !== undefined) {
    throw new Problem('ZONE_CONFLICT', `zone '${name}' already exists`);
  }
}

/** What changes beside the serial: settings, records (listed, or staged before), how the zone is signed. */
interface ChangeParts {
  readonly settings?: ZoneSettings;
  readonly removed?: readonly ZoneRecord[];
  readonly added?: readonly ZoneRecord[];
  readonly staged?: StagedDelta | undefined;
  readonly signing?: SigningFact;
}

export interface ZoneChange {
  readonly event: ZoneEvent;
  /** As it is after the event. */
  readonly zone: Zone;
}

/** A stored zone goes on to `serial`. */
export function changeZone(
  kind: ZoneEventKind,
  zone: Zone,
  serial: number,
  { settings = zone, removed = [], added = [], staged, signing }: ChangeParts = {},
): ZoneChange {
  const before = settingsOf(zone);
  const after = { ...(settings === zone ? before : settingsOf(settings)), serial };
  const event: ZoneEvent = {
    kind,
    zoneId: zone.id,
    before,
    after,
    delta: { ...emptyDelta, removed, added },
    ...(staged && { staged }),
    ...(signing && { signing }),
  };
  const changed = countsOf(event);
  const counts = {
    recordCount: zone.recordCount + changed.added - changed.removed,
    ...(beginsHistory(kind) && { historyFromSerial: serial }),
  };
  return { event, zone: changedZone(zone, after, counts) };
}

/** A zone that does not exist yet, without records. */
export function emptyZone(id: number, settings: ZoneSettings, now: number): Zone {
  const counts = { recordCount: 0, dnssecCount: 0, historyFromSerial: settings.serial };
  return { ...settings, id, createdAt: now, ...counts };
}

/** An empty zone comes into being, with its first records. */
export function createZone(
  kind: 'zone.created' | 'zone.imported',
  zone: Zone,
  { added = [], staged }: Pick<ChangeParts, 'added' | 'staged'>,
): ZoneChange {
  const event: ZoneEvent = {
    kind,
    zoneId: zone.id,
    before: null,
    after: settingsOf(zone),
    delta: { ...emptyDelta, added },
    ...(staged && { staged }),
  };
  return { event, zone: { ...zone, recordCount: countsOf(event).added } };
}
