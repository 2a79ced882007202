/**
 * Zone commands: create, update with rename, delete, and a bare step of the serial.
 *
 * Serials are counters from 1, one step per change, never back and never wrapping. A name that
 * another zone has left starts above the last serial it was served under.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { emptyName, nameOctets, nameToWire, parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { requireEverywhere, requireInZone } from './access/require.ts';
import { fullRights, type Rights } from './access/rights.ts';
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
import { deeperZones, holds } from './target-state.ts';
import { printWarnings, WarningRules } from './warnings.ts';
import {
  apexOf,
  changedZone,
  checkRange,
  normaliseZoneName,
  noZone,
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
  throw noZone(name);
}

/** The serial after an ordinary change. Serials never wrap: at the end a change is ZONE_CONFLICT. */
export function nextSerial({ name, serial }: Pick<ZoneSettings, 'name' | 'serial'>): number {
  if (serial < limits.ordinarySerial) return serial + 1;
  throw new Problem(
    'ZONE_CONFLICT',
    `zone '${name}' is at serial ${serial}: beyond ${limits.ordinarySerial} it can be disabled, re-signed, unsigned, exported and deleted, not changed`,
  );
}

/** The serial after what goes on in a zone that takes no more changes: signing, disabling, enabling. */
export function nextReservedSerial({
  name,
  serial,
}: Pick<ZoneSettings, 'name' | 'serial'>): number {
  if (serial < limits.serial) return serial + 1;
  throw new Problem(
    'ZONE_CONFLICT',
    `zone '${name}' is at serial ${limits.serial}, the last one; it can only be exported and deleted`,
  );
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

/** The serial of a new zone of which nobody says one: above the last of a zone that had its name. */
export function firstSerial({ view }: DecisionContext, name: string): number {
  return nextSerial({ name, serial: lastServedSerial(view, name) });
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
  const serial = command.serial ?? firstSerial(context, name);
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
  const warnings = newZoneWarnings(zone, added, context);
  return { event, outcome: outcomeOf(zone, warnings) };
}

export function outcomeOf(zone: Zone, warnings: readonly Warning[] = []): ZoneOutcome {
  return { zone, warnings, recordsDeleted: 0, versionsDeleted: 0 };
}

/** The warning of a zone without apex NS, for who may know that it has none. */
export function apexWarnings(zone: Zone, context: DecisionContext): readonly Warning[] {
  const { view, rights } = context;
  if (!rights.onRecord('record:read', zone.id, emptyName, rrtype.NS)) return [];
  if (holds(view.recordsAt(zone.id, emptyName), rrtype.NS)) return [];
  return missingApexNs(zone, context);
}

function missingApexNs(zone: Zone, context: DecisionContext): readonly Warning[] {
  const rules = rulesOf(zone, context);
  rules.missingApexNs();
  return printWarnings(rules.report({ at: () => [], hasBelow: () => false }));
}

/** Of a zone that is made of these records; all of them are of the caller's making. */
function newZoneWarnings(
  zone: Zone,
  records: readonly ZoneRecord[],
  context: DecisionContext,
): readonly Warning[] {
  if (records.length === 0) return missingApexNs(zone, context);
  const rules = rulesOf(zone, context);
  rules.node(emptyName, [], records);
  return printWarnings(
    rules.report({ at: (owner) => (owner === emptyName ? records : []), hasBelow: () => false }),
  );
}

function rulesOf(zone: Zone, { view, rights }: DecisionContext): WarningRules {
  const apex = apexOf(zone);
  const isElsewhere = deeperZones(view, apex, rights);
  return new WarningRules({ apex, zoneId: zone.id, rights: fullRights, isElsewhere });
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
    return { event: undefined, outcome: outcomeOf(zone, apexWarnings(zone, context)) };
  }
  const former = renamed ? lastServedSerial(context.view, name) : 0;
  const isSwitch = keys.every((key) => key === 'enabled' || wanted[key] === before[key]);
  const last = { name: zone.name, serial: Math.max(zone.serial, former) };
  const serial = isSwitch ? nextReservedSerial(last) : nextSerial(last);
  const { event, outcome } = settingsStep(
    zone,
    { ...wanted, serial },
    renamed ? 'zone.renamed' : 'zone.updated',
  );
  return { event, outcome: { ...outcome, warnings: apexWarnings(outcome.zone, context) } };
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
    warnings: [],
    recordsDeleted: zone.recordCount,
    versionsDeleted: context.view.versionCount(zone.id),
  };
  return { event, outcome };
}
