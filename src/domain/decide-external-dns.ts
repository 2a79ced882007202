/**
 * The changes of an external DNS controller (interface 4.8): many RRsets in many zones, decided as one.
 *
 * A name belongs to the deepest zone there is, also when the caller does not see that zone: then it is
 * ZONE_NOT_FOUND and never the zone above, whose records the deeper one hides. What is deleted or
 * replaced goes, what is created or put in its place comes; a record in both stays what it is. So
 * asking for the same twice changes nothing the second time, and only zones that differ take a step.
 * Values that nobody named are left alone, save that an RRset has one TTL.
 */
import { excerpt, Problem } from '../base/problem.ts';
import { type NameKey, parseAbsoluteName, relativeTo } from '../dns/name.ts';
import { requireOnRecord } from './access/require.ts';
import { checkTtl, parseValue } from './decide-records.ts';
import { nextSerial, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { ZoneEvent } from './event.ts';
import {
  type ApplyExternalDns,
  type ExternalDnsOutcome,
  type ExternalRecord,
  externalTypeNames,
  parseExternalType,
} from './external-dns.ts';
import { RrsetChanges } from './rrset-changes.ts';
import { printWarnings, type WarningReport } from './warnings.ts';
import { stepOf, WorkingSet } from './working-set.ts';
import { apexOf, type Zone } from './zone.ts';
import { ZonesOfNames } from './zones-of-names.ts';

export function decideApplyExternalDns(
  command: ApplyExternalDns,
  context: DecisionContext,
): Decision<ExternalDnsOutcome> {
  const zones = new TouchedZones(context);
  const apply = (deed: 'create' | 'delete', place: string, record: ExternalRecord) => {
    try {
      takeRecord(deed, record, zones, context);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(error.code, `${place} (${nameOf(record)}): ${error.message}`);
    }
  };
  for (const [index, record] of command.deletes.entries()) {
    apply('delete', `deletes[${index}]`, record);
  }
  for (const [index, update] of command.updates.entries()) {
    apply('delete', `updates[${index}].old`, update.old);
    apply('create', `updates[${index}].new`, update.new);
  }
  for (const [index, record] of command.creates.entries()) {
    apply('create', `creates[${index}]`, record);
  }
  return settle(zones.all(), context);
}

function nameOf({ name, type }: ExternalRecord): string {
  return `${excerpt(name)} ${excerpt(type)}`;
}

/** One zone with what is to happen in it. */
interface TouchedZone {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly changes: RrsetChanges;
}

function takeRecord(
  deed: 'create' | 'delete',
  record: ExternalRecord,
  zones: TouchedZones,
  { rights }: DecisionContext,
): void {
  const name = parseName(record.name);
  const { zone, apex, changes } = zones.enclosing(name);
  const owner = relativeTo(name, apex)!;
  const type = parseExternalType(record.type);
  if (type === undefined) {
    throw new Problem('INVALID_RECORD_VALUE', `type: is not one of ${externalTypeNames}`);
  }
  requireOnRecord(rights, deed === 'create' ? 'record:create' : 'record:delete', zone, owner, type);
  if (record.values.length === 0) {
    throw new Problem('INVALID_RECORD_VALUE', 'values: there is none');
  }
  const rdatas = record.values.map((value) => parseValue(type, value));
  if (deed === 'delete') changes.remove(owner, type, rdatas);
  else changes.add(owner, type, ttlOf(record, zone), rdatas);
}

function parseName(text: string): NameKey {
  try {
    return parseAbsoluteName(text.trim());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem('INVALID_RECORD_NAME', `name: ${reason}`);
  }
}

function ttlOf({ ttl }: ExternalRecord, zone: Zone): number {
  return ttl === undefined ? zone.defaultTtl : checkTtl(ttl);
}

/** Judges each zone by the state it ends in. */
function settle(
  touched: Iterable<TouchedZone>,
  context: DecisionContext,
): Decision<ExternalDnsOutcome> {
  const events: ZoneEvent[] = [];
  const changedZones: string[] = [];
  const reports: WarningReport[] = [];
  let added = 0;
  let deleted = 0;
  for (const { zone, changes } of touched) {
    const work = new WorkingSet(context, zone);
    work.load(changes.owners());
    changes.applyTo(work, ({ owner, type, ttl, rdata }) => {
      const id = context.allocateId('record');
      return { id, owner, type, ttl, rdata, createdAt: context.now };
    });
    const settlement = work.settle();
    if (settlement.removed.length + settlement.added.length === 0) continue;
    reports.push(work.warningsOf(settlement));
    added += settlement.added.length;
    deleted += settlement.removed.length;
    changedZones.push(zone.name);
    const after = { ...settingsOf(zone), serial: nextSerial(zone) };
    events.push(stepOf('records.changed', zone, after, settlement).event);
  }
  const [event, ...more] = events;
  const warnings = printWarnings(...reports);
  return { event, more, outcome: { added, deleted, changedZones: changedZones.sort(), warnings } };
}

/** The zones that names belong to, with what is to happen in each. */
class TouchedZones {
  readonly #context: DecisionContext;
  readonly #zones: ZonesOfNames;
  readonly #touched = new Map<number, TouchedZone>();

  constructor(context: DecisionContext) {
    this.#context = context;
    this.#zones = new ZonesOfNames(context.view);
  }

  /** In the order in which names asked for them. */
  all(): Iterable<TouchedZone> {
    return this.#touched.values();
  }

  /** A zone that is not there and one that the caller does not see are ZONE_NOT_FOUND. */
  enclosing(name: NameKey): TouchedZone {
    const zone = this.#zones.enclosing(name);
    if (zone === undefined || !this.#context.rights.sees(zone.id)) {
      throw new Problem('ZONE_NOT_FOUND', 'there is no zone for this name');
    }
    let touched = this.#touched.get(zone.id);
    if (touched === undefined) {
      touched = { zone, apex: apexOf(zone), changes: new RrsetChanges() };
      this.#touched.set(zone.id, touched);
    }
    return touched;
  }
}
