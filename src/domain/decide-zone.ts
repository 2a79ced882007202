/**
 * Commands about a zone as such: create, update with rename, a serial increment alone, delete, restore and
 * purge; and the checkpoint, after which earlier events are needed no more.
 *
 * ```
 *   create ──► stored ──delete──► deleted ──purge──► (only its headers are left)
 *                 ▲                  │
 *                 └─────restore──────┘
 * ```
 * A restored zone has its settings and records, its ids and its history; grants do not come back.
 * Checkpoint and purge change no zone: they take no serial and make no version.
 */
import type { ZoneEventKind } from '../base/event-kind.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { emptyName, nameBytes, nameToWire, parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { requireEverywhere, requireInZone } from './access/require.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { DesiredRrset } from './desired.ts';
import {
  emptyDelta,
  type StagedDelta,
  type StandIn,
  type ZoneDelta,
  type ZoneEvent,
} from './event.ts';
import { isPassable } from './seen-serials.ts';
import type { ZoneSigning } from './signing.ts';
import { printWarnings } from './warnings.ts';
import { WorkingSet } from './working-set.ts';
import {
  changedSettings,
  type GivenSettings,
  initialSettings,
  noDeletedZone,
  normaliseZoneName,
  noZone,
  withSettings,
  type Zone,
  type ZoneSettings,
} from './zone.ts';
import {
  changeZone,
  createZone,
  emptyZone,
  findZone,
  firstSerial,
  lastServedSerial,
  nextReservedSerial,
  nextSerial,
  type OfZone,
  refuseTakenName,
  type ZoneChange,
} from './zone-change.ts';

interface CreateZone extends Omit<GivenSettings, 'name' | 'mname' | 'rname' | 'enabled'> {
  readonly name: string;
  readonly mname: string;
  readonly rname: string;
  /** Start with an apex NS record naming mname; default true. */
  readonly apexNs?: boolean | undefined;
}

/** A different name renames the zone; a serial is accepted only when equal to the current one. */
interface UpdateZone extends GivenSettings, OfZone {}

interface BumpSerial extends OfZone {
  /** The greatest serial that a secondary was seen to serve: when the zone never had it, it is passed. */
  readonly seenSerial?: number | undefined;
  /** The zone that is meant, where another may have its name by now. */
  readonly zoneId?: number | undefined;
}

interface DeleteZone extends OfZone {
  /** The number of the event that made the zone or brought it back: it goes only if it is still as it was then. */
  readonly cameBy?: number | undefined;
}

interface OfDeletedZone {
  readonly name: string;
  /** One of several deleted zones of that name; without it the one deleted last. */
  readonly id?: number | undefined;
}

interface PurgeZone extends OfDeletedZone {
  /**
   * The serial of the deletion that is meant: a zone that was restored and deleted again is at a greater one. Whatever
   * its last deletion was when left out.
   */
  readonly serial?: number | undefined;
}

interface CheckpointZone {
  readonly zoneId: number;
  /** All of the zone as it was read in one state of the database. */
  readonly settings: ZoneSettings;
  readonly signing?: ZoneSigning | undefined;
  readonly desired?: readonly DesiredRrset[];
  readonly standIn: StandIn;
  /** Adds all records, unless these were staged. */
  readonly delta: ZoneDelta;
  readonly staged?: StagedDelta;
}

/** What a zone command did or, in a dry run, would do. */
export interface ZoneOutcome {
  readonly zone: Zone;
  readonly warnings: readonly Warning[];
  readonly recordsDeleted: number;
  readonly versionsDeleted: number;
  /** All was so already: nothing is written. */
  readonly isUnchanged: boolean;
}

type Decided = Decision<ZoneOutcome>;

/** What a change of no record comes to. */
export function outcomeOf(
  { event, zone }: Partial<Pick<ZoneChange, 'event'>> & Pick<ZoneChange, 'zone'>,
  warnings: readonly Warning[] = [],
): Decided {
  const counts = { recordsDeleted: 0, versionsDeleted: 0 };
  return { event, outcome: { zone, warnings, ...counts, isUnchanged: event === undefined } };
}

function decideCreateZone(command: CreateZone, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'zone:create');
  const { apexNs = true, ...given } = command;
  const unset = { name: '', mname: '', rname: '', serial: 0, ...initialSettings };
  const settings = withSettings({ ...context.zoneDefaults, ...unset }, given);
  const { name } = settings;
  refuseTakenName(context, name);
  const { serial, warnings: ofSerial } = firstSerial(context, name, { given: given.serial });
  const empty = emptyZone(context.allocateId('zone'), { ...settings, serial }, context.now);
  const work = new WorkingSet(context, empty, true);
  if (apexNs) {
    const rdata = nameToWire(parseAbsoluteName(settings.mname));
    const ns = { owner: emptyName, type: rrtype.NS, ttl: settings.defaultTtl, rdata };
    work.at(emptyName).push(work.make(ns));
  }
  const net = work.netChange();
  const warnings = [...ofSerial, ...printWarnings(work.warningsOf(net))];
  return outcomeOf(createZone('zone.created', empty, net), warnings);
}

/** The warning of a zone without apex NS, for who may know that it has none. */
function apexWarnings(
  zone: Zone,
  context: DecisionContext,
  before: ZoneSettings = zone,
): readonly Warning[] {
  return printWarnings(new WorkingSet(context, zone).warningsOf({ nodes: [] }, true, { before }));
}

function decideUpdateZone(command: UpdateZone, context: DecisionContext): Decided {
  const { zoneName, ...given } = command;
  const zone = findZone(context, zoneName, 'zone:update');
  const settings = withSettings(zone, { ...given, serial: undefined });
  if (settings.name !== zone.name) requireEverywhere(context.rights, 'zone:create');
  if (given.serial !== undefined && given.serial !== zone.serial) {
    throw new Problem(
      'INVALID_ZONE_FIELD',
      `serial: is set only at creation; zone '${zone.name}' is at ${zone.serial}`,
    );
  }
  const isGuard = changedSettings(zone, settings).join() === 'guard';
  const change = changeSettings(
    context,
    zone,
    settings,
    isGuard ? 'zone.guard-set' : 'zone.updated',
  );
  if (change === undefined) return outcomeOf({ zone }, apexWarnings(zone, context));
  return outcomeOf(change, apexWarnings(change.zone, context, zone));
}

/** A zone gets settings that were judged, and a name that may be another; undefined when nothing differs. */
export function changeSettings(
  context: DecisionContext,
  zone: Zone,
  settings: ZoneSettings,
  kind: ZoneEventKind,
): ZoneChange | undefined {
  const { name } = settings;
  const isRenamed = name !== zone.name;
  if (isRenamed) requireEverywhere(context.rights, 'zone:create');
  if (isRenamed) checkRename(context, zone, name);
  const changed = changedSettings(zone, settings);
  if (changed.length === 0) return undefined;
  const former = isRenamed ? lastServedSerial(context.view, name) : 0;
  const last = { name: zone.name, serial: Math.max(zone.serial, former) };
  const isSwitch = changed.every((each) => each === 'enabled');
  const serial = isSwitch ? nextReservedSerial(last) : nextSerial(last);
  return changeZone(isRenamed ? 'zone.renamed' : kind, zone, serial, { settings });
}

function checkRename(context: DecisionContext, zone: Zone, name: string): void {
  refuseTakenName(context, name);
  if (zone.dnssecCount > 0) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' is signed and can not be renamed: its DS belongs to the old name`,
    );
  }
  const bytes = nameBytes(parseAbsoluteName(name)) + context.view.longestOwnerBytes(zone.id) - 1;
  if (bytes > limits.nameBytes) {
    throw new Problem(
      'INVALID_ZONE_FIELD',
      `name: under '${name}' a record name would have ${bytes} bytes (at most ${limits.nameBytes})`,
    );
  }
}

/** A step of the serial without any other change, so that secondaries transfer again. */
function decideBumpSerial(command: BumpSerial, context: DecisionContext): Decided {
  const { zoneName, zoneId, seenSerial = 0 } = command;
  const zone = findZone(context, zoneName, 'zone:update');
  if (zoneId !== undefined && zoneId !== zone.id) throw noZone(zoneName);
  // A serial that the zone never had is of a database that was taken back: no IXFR leads on from it.
  const isAhead = seenSerial > zone.serial && isPassable(seenSerial, zone.serial);
  const kind = isAhead ? 'zone.recovered' : 'zone.serial-bumped';
  const serial = nextSerial({ name: zone.name, serial: isAhead ? seenSerial : zone.serial });
  return outcomeOf(changeZone(kind, zone, serial));
}

function decideDeleteZone({ zoneName, cameBy }: DeleteZone, context: DecisionContext): Decided {
  const zone = findZone(context, zoneName, 'zone:delete');
  if (cameBy !== undefined) requireAsItCame(zone, cameBy, context);
  const { event } = changeZone('zone.deleted', zone, zone.serial);
  const rolesLost = context.view.rolesIn(zone.id);
  return lossOf({ ...event, after: null, rolesLost }, zone, context);
}

/**
 * The serial alone does not say it: tags, owners of RRsets, parents and grants take none, and would go with the zone.
 * The refusal names none of these: a caller may not see them all.
 */
function requireAsItCame(zone: Zone, cameBy: number, { view }: DecisionContext): void {
  if (!view.isSetSince(zone.id, cameBy) && view.rolesIn(zone.id).length === 0) return;
  throw changedSinceItCame(zone, cameBy);
}

export function changedSinceItCame({ name }: Pick<Zone, 'name'>, seq: number): Problem {
  return new Problem(
    'REVERT_CONFLICT',
    `zone '${name}' changed since it came by event ${seq}: delete it by itself`,
  );
}

/** The outcome of an event with which a zone and its versions are deleted. */
function lossOf(event: ZoneEvent, zone: Zone, { view }: DecisionContext): Decided {
  const versionsDeleted = view.versionCount(zone.id);
  const counts = { recordsDeleted: zone.recordCount, versionsDeleted };
  return { event, outcome: { zone, warnings: [], ...counts, isUnchanged: false } };
}

/** The deleted zone that a command names. */
function findDeletedZone({ name, id }: OfDeletedZone, context: DecisionContext): Zone {
  const normalised = normaliseZoneName(name);
  const deleted = context.view.deletedZone(normalised, id);
  if (deleted !== undefined) {
    const { deletedAt: _, ...zone } = deleted;
    return zone;
  }
  throw noDeletedZone(normalised, id);
}

/**
 * The zone is as it was. Its serial goes on above the last that its name was served under, by it or by a
 * zone that came after it. What secondaries hold under the name may be another zone's by now: they transfer the whole.
 */
function decideRestoreZone(command: OfDeletedZone, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'zone:create');
  const deleted = findDeletedZone(command, context);
  const { name } = deleted;
  refuseTakenName(context, name);
  const last = Math.max(deleted.serial, lastServedSerial(context.view, name));
  const serial = nextReservedSerial({ name, serial: last });
  const change = changeZone('zone.restored', deleted, serial);
  return outcomeOf(change, apexWarnings(change.zone, context));
}

/** Deletes a deleted zone for good: its records, its versions, all but that it existed. */
function decidePurgeZone(command: PurgeZone, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'zone:delete');
  const zone = findDeletedZone(command, context);
  if (command.serial !== undefined && zone.serial !== command.serial) {
    throw new Problem(
      'ZONE_CONFLICT',
      `serial: deleted zone '${zone.name}' with id ${zone.id} is at serial ${zone.serial}, not ${command.serial}; ` +
        'a zone that is restored and deleted again is at a greater one',
    );
  }
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
  const secrets = [{ kind: 'delete-signing-keys', zoneId: zone.id }] as const;
  return { ...lossOf(event, zone, context), secrets };
}

/** Writes down a whole zone, so that what came before can be deleted. The zone does not change. */
function decideCheckpointZone(command: CheckpointZone, context: DecisionContext): Decided {
  const { zoneId, settings, standIn, delta, staged, signing, desired = [] } = command;
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
    ...(staged && { staged }),
    ...(signing && { signing: { reason: 'zone-changed', state: signing } }),
    ...(desired.length > 0 && { desired: { put: desired, released: [] } }),
  };
  return outcomeOf({ event, zone });
}

export const zoneDecisions = {
  'create-zone': decideCreateZone,
  'update-zone': decideUpdateZone,
  'delete-zone': decideDeleteZone,
  'bump-serial': decideBumpSerial,
  'restore-zone': decideRestoreZone,
  'purge-zone': decidePurgeZone,
  'checkpoint-zone': decideCheckpointZone,
};
