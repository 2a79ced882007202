/**
 * Zone commands: create, update with rename, delete, and a bare step of the serial.
 *
 * Serials are counters from 1, one step per change, never back and never wrapping. A name that
 * another zone has left starts above the last serial it was served under.
 */
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { emptyName, nameOctets, nameToWire, parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { requireEverywhere, requireInZone } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type {
  BumpSerial,
  CreateZone,
  DeleteZone,
  UpdateZone,
  ZoneOutcome,
  ZoneTimers,
} from './command.ts';
import type { Decision, DecisionContext, StateView } from './decision.ts';
import { parseDescription } from './description.ts';
import { beginsHistory, emptyDelta, type ZoneEvent, type ZoneEventKind } from './event.ts';
import type { ZoneRecord } from './record.ts';
import {
  changedZone,
  checkRange,
  normaliseZoneName,
  parseHostName,
  parseResponsible,
  parseZoneName,
  settingRanges,
  type Zone,
  type ZoneSettings,
} from './zone.ts';

/** The zone a command names; one that is not stored or not visible is ZONE_NOT_FOUND. */
export function findZone(context: DecisionContext, name: string): Zone {
  const zone = context.view.zoneByName(normaliseZoneName(name));
  requireVisible(context.rights, zone, name);
  return zone;
}

/** A zone that is not stored and one that the caller may not see answer alike. */
export function requireVisible(
  rights: Rights,
  zone: Zone | undefined,
  name: string,
): asserts zone is Zone {
  if (zone !== undefined && rights.sees(zone.id)) return;
  const text = excerpt(normaliseZoneName(name));
  throw new Problem('ZONE_NOT_FOUND', `zone '${text}' does not exist`);
}

/** The serial after one step. Serials never wrap: at the end a change is ZONE_CONFLICT. */
export function nextSerial(zone: Pick<ZoneSettings, 'name' | 'serial'>): number {
  if (zone.serial >= limits.serial) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' is at serial ${limits.serial}, the last one; it can only be deleted`,
    );
  }
  return zone.serial + 1;
}

/** The last serial that a name may have been served under by a zone that is not there any more. */
export function lastServedSerial(view: StateView, name: string): number {
  return Math.max(view.formerSerial(name) ?? 0, view.counter('lost_serial'));
}

export function settingsOf(zone: Zone): ZoneSettings {
  const { name, mname, rname, defaultTtl, minimumTtl, refresh, retry, expire } = zone;
  const { serial, description, enabled } = zone;
  return {
    name,
    mname,
    rname,
    defaultTtl,
    minimumTtl,
    refresh,
    retry,
    expire,
    serial,
    description,
    enabled,
  };
}

function mergeTimers(given: ZoneTimers, fallback: Required<ZoneTimers>) {
  const pick = (key: keyof typeof settingRanges) => {
    const [field, least, most] = settingRanges[key];
    const value = given[key];
    return value === undefined ? (fallback[key] as number) : checkRange(field, value, least, most);
  };
  return {
    defaultTtl: pick('defaultTtl'),
    minimumTtl: pick('minimumTtl'),
    refresh: pick('refresh'),
    retry: pick('retry'),
    expire: pick('expire'),
  };
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

export function decideCreateZone(
  command: CreateZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  requireEverywhere(context.rights, 'zone:create');
  const name = parseZoneName(command.name);
  const mname = parseHostName('mname', command.mname);
  const rname = parseResponsible(command.rname);
  const timers = mergeTimers(command, context.zoneDefaults);
  const description = parseDescription(command.description, 'INVALID_ZONE_FIELD');
  if (command.serial !== undefined) {
    checkRange('serial', command.serial, 1, limits.startingSerial);
  }
  refuseTakenName(context, name);
  const last = lastServedSerial(context.view, name);
  const serial = command.serial ?? nextSerial({ name, serial: last });
  const after: ZoneSettings = {
    name,
    mname,
    rname,
    ...timers,
    serial,
    description,
    enabled: true,
  };
  const added: ZoneRecord[] = [];
  const zoneId = context.allocateId('zone');
  if (command.apexNs ?? true) {
    added.push({
      id: context.allocateId('record'),
      owner: emptyName,
      type: rrtype.NS,
      ttl: timers.defaultTtl,
      rdata: nameToWire(parseAbsoluteName(mname)),
      createdAt: context.now,
    });
  }
  const event: ZoneEvent = {
    kind: 'zone.created',
    zoneId,
    before: null,
    after,
    delta: { ...emptyDelta, added },
  };
  const zone: Zone = {
    ...after,
    id: zoneId,
    createdAt: context.now,
    recordCount: added.length,
    derivedCount: 0,
    historyFromSerial: serial,
  };
  return { event, outcome: outcomeOf(zone) };
}

function outcomeOf(zone: Zone): ZoneOutcome {
  return { zone, recordsDeleted: 0, versionsDeleted: 0 };
}

export function decideUpdateZone(
  command: UpdateZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  const zone = findZone(context, command.zoneName);
  const before = settingsOf(zone);
  requireInZone(context.rights, 'zone:update', zone);
  const name = command.name === undefined ? zone.name : parseZoneName(command.name);
  const renamed = name !== zone.name;
  if (renamed) requireEverywhere(context.rights, 'zone:create');
  if (command.serial !== undefined && command.serial !== zone.serial) {
    throw new Problem(
      'INVALID_ZONE_FIELD',
      `serial: is set only at creation; zone '${zone.name}' is at ${zone.serial}`,
    );
  }
  const wanted: ZoneSettings = {
    name,
    mname: command.mname === undefined ? zone.mname : parseHostName('mname', command.mname),
    rname: command.rname === undefined ? zone.rname : parseResponsible(command.rname),
    ...mergeTimers(command, zone),
    serial: zone.serial,
    description:
      command.description === undefined
        ? zone.description
        : parseDescription(command.description, 'INVALID_ZONE_FIELD'),
    enabled: command.enabled ?? zone.enabled,
  };
  if (renamed) checkRename(context, zone, name);
  const keys = Object.keys(wanted) as (keyof ZoneSettings)[];
  if (keys.every((key) => wanted[key] === before[key])) {
    return { event: undefined, outcome: outcomeOf(zone) };
  }
  const former = renamed ? lastServedSerial(context.view, name) : 0;
  const serial = nextSerial({ name: zone.name, serial: Math.max(zone.serial, former) });
  return settingsStep(zone, { ...wanted, serial }, renamed ? 'zone.renamed' : 'zone.updated');
}

function checkRename(context: DecisionContext, zone: Zone, name: string): void {
  refuseTakenName(context, name);
  if (zone.derivedCount > 0) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' is signed and can not be renamed: its DS belongs to the old name`,
    );
  }
  const octets = nameOctets(parseAbsoluteName(name)) + context.view.longestOwnerOctets(zone.id) - 1;
  if (octets > limits.nameOctets) {
    throw new Problem(
      'INVALID_ZONE_FIELD',
      `name: under '${name}' a record name would have ${octets} octets (at most ${limits.nameOctets})`,
    );
  }
}

export function decideBumpSerial(
  command: BumpSerial,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  const zone = findZone(context, command.zoneName);
  requireInZone(context.rights, 'zone:update', zone);
  const { seenSerial = 0 } = command;
  // A serial that the zone never had is of a database that was taken back: no IXFR leads on from it.
  if (seenSerial > zone.serial) {
    const serial = nextSerial({ name: zone.name, serial: seenSerial });
    return settingsStep(zone, { ...settingsOf(zone), serial }, 'zone.recovered');
  }
  return settingsStep(
    zone,
    { ...settingsOf(zone), serial: nextSerial(zone) },
    'zone.serial-bumped',
  );
}

/** A step that changes no record. */
export function settingsStep(
  zone: Zone,
  after: ZoneSettings,
  kind: ZoneEventKind,
): Decision<ZoneOutcome> {
  const event: ZoneEvent = {
    kind,
    zoneId: zone.id,
    before: settingsOf(zone),
    after,
    delta: emptyDelta,
  };
  const history = beginsHistory(kind) ? { historyFromSerial: after.serial } : {};
  return { event, outcome: outcomeOf(changedZone(zone, after, history)) };
}

export function decideDeleteZone(
  command: DeleteZone,
  context: DecisionContext,
): Decision<ZoneOutcome> {
  const zone = findZone(context, command.zoneName);
  requireInZone(context.rights, 'zone:delete', zone);
  const event: ZoneEvent = {
    kind: 'zone.deleted',
    zoneId: zone.id,
    before: settingsOf(zone),
    after: null,
    delta: emptyDelta,
  };
  const outcome: ZoneOutcome = {
    zone,
    recordsDeleted: zone.recordCount,
    versionsDeleted: context.view.versionCount(zone.id),
  };
  return { event, outcome };
}
