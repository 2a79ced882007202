/**
 * Dynamic update (RFC 2136 3): rights, prerequisites and changes in one decision, whole or nothing.
 *
 * ```
 *   rights of everything named      FORBIDDEN
 *   prerequisites                   NXDOMAIN, YXDOMAIN, NXRRSET, YXRRSET: nothing is done
 *   a fault behind them             FORMERR, NOTZONE: nothing is done
 *   types a client may not write    INVALID_RECORD_VALUE
 *   steps, in the message's order   what RFC 2136 3.4.2 passes over is passed over
 *   the state they end in           RECORD_CONFLICT and the like, as for every other change
 * ```
 * What ends as it was is no change at all. Records that are removed and added again keep their ids.
 *
 * Passed over silently: a CNAME onto data and data onto a CNAME, an SOA that is not newer or not at the
 * apex, every deletion of the SOA, of the NS RRset of the apex and of its last record, deletions of what
 * does not exist, and a DS at the apex or at a name that is no delegation in the end.
 */
import { Problem, unreachable } from '../base/problem.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import { type ResourceRecord, rdataKey } from '../dns/record.ts';
import { dnssecTypes, isStorable, printType, rrtype, whyUnreadable } from '../dns/rrtype.ts';
import { isNewerSerial } from '../dns/serial.ts';
import { readSoaFields } from '../dns/soa.ts';
import { requireInZone, requireOnRecord } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type {
  DynamicUpdate,
  Prerequisite,
  UpdateOutcome,
  UpdateOperation,
  UpdateRcode,
} from './dynamic-update.ts';
import { planNode } from './file-node.ts';
import { holds } from './target-state.ts';
import { UpdatedNode } from './updated-node.ts';
import { WorkingSet } from './working-set.ts';
import {
  normaliseZoneName,
  settingsOfSoa,
  soaRdata,
  withSettings,
  type Zone,
  type ZoneSettings,
} from './zone.ts';
import { changeZone } from './zone-change.ts';

function decideDynamicUpdate(
  command: DynamicUpdate,
  context: DecisionContext,
): Decision<UpdateOutcome> {
  const { prerequisites, operations, messageError = 'NOERROR' } = command;
  const zone = findEnabledZone(command, context);
  requireRights(command, zone, context);
  const work = new WorkingSet(context, zone);
  loadTogether(command, work);
  const judged = judgePrerequisites(prerequisites, zone, {
    stored: rdatasByType((owner) => work.at(owner)),
    generated: rdatasByType((owner) => context.view.generatedAt(zone.id, owner)),
  });
  const rcode = judged === 'NOERROR' ? messageError : judged;
  if (rcode !== 'NOERROR') return { event: undefined, outcome: { rcode, zone } };
  for (const operation of operations) refuseType(operation);
  const changing = new ChangingZone(work, context);
  for (const operation of operations) changing.take(operation);
  return changing.decision();
}

function findEnabledZone({ zoneName }: DynamicUpdate, { view, rights }: DecisionContext): Zone {
  const zone = view.zoneByName(normaliseZoneName(zoneName));
  if (zone === undefined || !zone.enabled) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' is not served`);
  }
  if (!rights.sees(zone.id)) {
    throw new Problem('FORBIDDEN', `no grant reaches zone '${zoneName}'`);
  }
  return zone;
}

/** Everything that the message names has to be allowed, whether or not it changes anything. */
function requireRights(
  { prerequisites, operations }: DynamicUpdate,
  zone: Zone,
  { rights }: DecisionContext,
): void {
  if (rights.isFull) return;
  for (const prerequisite of prerequisites) {
    const type = 'type' in prerequisite ? prerequisite.type : undefined;
    requireOnRecord(rights, 'record:read', zone, prerequisite.owner, type);
  }
  for (const operation of operations) {
    if (operation.kind === 'add') {
      const { owner, type } = operation.record;
      requireOnRecord(rights, 'record:create', zone, owner, type);
      // An SOA is an edit of the zone's settings, as by PUT.
      if (type === rrtype.SOA) requireInZone(rights, 'zone:update', zone);
    } else {
      const type = 'type' in operation ? operation.type : undefined;
      requireOnRecord(rights, 'record:delete', zone, operation.owner, type);
    }
  }
}

/** Reads the owners of a longer message in one go. */
function loadTogether({ prerequisites, operations }: DynamicUpdate, work: WorkingSet): void {
  if (prerequisites.length + operations.length < 2) return;
  const owners = new Set<NameKey>();
  for (const { owner } of prerequisites) owners.add(owner);
  for (const operation of operations) owners.add(ownerOf(operation));
  if (owners.size > 1) work.load([...owners]);
}

function ownerOf(operation: UpdateOperation): NameKey {
  return operation.kind === 'add' ? operation.record.owner : operation.owner;
}

/** What the signer makes is not the client's to change; other types may just not be stored. */
function refuseType(operation: UpdateOperation): void {
  if (operation.kind === 'delete-name') return;
  const type = operation.kind === 'add' ? operation.record.type : operation.type;
  const isRefused = operation.kind === 'add' ? !isStorable(type) : dnssecTypes.has(type);
  if (!isRefused || type === rrtype.SOA) return;
  const reason = whyUnreadable(type) ?? 'it is not a record that callers store';
  throw new Problem(
    'INVALID_RECORD_VALUE',
    `type: ${printType(type)} can not be updated: ${reason}`,
  );
}

/** RDATA by type. */
type Rdatas = ReadonlyMap<number, readonly Buffer[]>;

/** What stands at an owner: of callers, and that signing made. */
interface RdatasAt {
  stored(owner: NameKey): Rdatas;
  generated(owner: NameKey): Rdatas;
}

/** Looks at an owner once: a message may have thousands of prerequisites about the same. */
function rdatasByType(
  recordsAt: (owner: NameKey) => readonly ResourceRecord[],
): (owner: NameKey) => Rdatas {
  const known = new Map<NameKey, Rdatas>();
  return (owner) => {
    let rdatas = known.get(owner);
    if (rdatas === undefined) {
      const byType = new Map<number, Buffer[]>();
      for (const { type, rdata } of recordsAt(owner)) {
        const others = byType.get(type);
        if (others === undefined) byType.set(type, [rdata]);
        else others.push(rdata);
      }
      rdatas = byType;
      known.set(owner, rdatas);
    }
    return rdatas;
  };
}

/**
 * The RCODE of the first prerequisite that does not hold, or NOERROR (RFC 2136 3.2), by the records as they are
 * stored, and of types that signing makes by those that it made. Wherever they stand in the message, RRsets that are
 * to be exactly so are judged last, as their records are collected until its end (3.2.5).
 *
 * Names match literally: a wildcard stands for nothing but itself, an empty non-terminal is not in use.
 * The SOA exists at the apex and nowhere else. TTLs do not count.
 */
function judgePrerequisites(
  prerequisites: readonly Prerequisite[],
  zone: Zone,
  rdatasAt: RdatasAt,
): UpdateRcode {
  const isCollected = ({ kind }: Prerequisite) => kind === 'rrset-equals';
  const inTurn = prerequisites.filter((prerequisite) => !isCollected(prerequisite));
  for (const prerequisite of [...inTurn, ...prerequisites.filter(isCollected)]) {
    const rcode = judge(prerequisite, zone, rdatasAt);
    if (rcode !== 'NOERROR') return rcode;
  }
  return 'NOERROR';
}

function judge(prerequisite: Prerequisite, zone: Zone, rdatasAt: RdatasAt): UpdateRcode {
  const { kind, owner } = prerequisite;
  const isInUse = () => owner === emptyName || rdatasAt.stored(owner).size > 0;
  const rdatasOf = (type: number): readonly Buffer[] => {
    if (type === rrtype.SOA) return owner === emptyName ? [soaRdata(zone)] : [];
    const rdatas = dnssecTypes.has(type) ? rdatasAt.generated(owner) : rdatasAt.stored(owner);
    return rdatas.get(type) ?? [];
  };
  switch (kind) {
    case 'name-in-use':
      return isInUse() ? 'NOERROR' : 'NXDOMAIN';
    case 'name-not-in-use':
      return isInUse() ? 'YXDOMAIN' : 'NOERROR';
    case 'rrset-exists':
      return rdatasOf(prerequisite.type).length > 0 ? 'NOERROR' : 'NXRRSET';
    case 'rrset-absent':
      return rdatasOf(prerequisite.type).length > 0 ? 'YXRRSET' : 'NOERROR';
    case 'rrset-equals': {
      const { type, rdatas } = prerequisite;
      return isSameSet(type, rdatasOf(type), rdatas) ? 'NOERROR' : 'NXRRSET';
    }
    default:
      return unreachable(kind);
  }
}

/** A record that the message names twice counts once (RFC 2181 5); stored ones are all different. */
function isSameSet(type: number, stored: readonly Buffer[], wanted: readonly Buffer[]): boolean {
  const missing = new Set(wanted.map((rdata) => rdataKey(type, rdata)));
  return (
    stored.length === missing.size && stored.every((rdata) => missing.has(rdataKey(type, rdata)))
  );
}

/** The zone while the steps of one update change it, one after the other (RFC 2136 3.4.2). */
class ChangingZone {
  readonly #work: WorkingSet;
  readonly #rights: Rights;
  /** Owners that a step has looked at, as they are by now. */
  readonly #nodes = new Map<NameKey, UpdatedNode>();
  /** Those of the zone, or of the newest SOA that was added. */
  #settings: ZoneSettings;

  constructor(work: WorkingSet, { rights }: DecisionContext) {
    this.#work = work;
    this.#rights = rights;
    this.#settings = work.zone;
  }

  take(operation: UpdateOperation): void {
    switch (operation.kind) {
      case 'add':
        this.#add(operation.record);
        break;
      case 'delete-name': {
        // SOA and NS of the apex outlive everything (RFC 2136 3.4.2.3).
        const node = this.#at(operation.owner);
        for (const type of node.types()) {
          if (operation.owner !== emptyName || type !== rrtype.NS) node.deleteType(type);
        }
        break;
      }
      case 'delete-rrset':
        if (operation.owner === emptyName && operation.type === rrtype.NS) return;
        this.#at(operation.owner).deleteType(operation.type);
        break;
      case 'delete-record':
        this.#delete(operation);
        break;
      default:
        unreachable(operation);
    }
  }

  /** What the steps come to; identities are given out here, to what is really new. */
  decision(): Decision<UpdateOutcome> {
    const work = this.#work;
    const { zone } = work;
    for (const [owner, changed] of this.#nodes) {
      const records = this.#withoutLoneDs(owner, changed.records());
      work.replace(owner, planNode('replace', work.at(owner), records, work.make).after);
    }
    const net = work.netChange();
    // A serial that was taken is newer than the zone's, so it is the next one itself.
    const settings = this.#settings;
    const change =
      settings === zone
        ? work.change('records.changed', net)
        : changeZone('zone.updated', zone, settings.serial, { settings, ...net });
    return { event: change?.event, outcome: { rcode: 'NOERROR', zone: change?.zone ?? zone } };
  }

  #at(owner: NameKey): UpdatedNode {
    let node = this.#nodes.get(owner);
    if (node === undefined) {
      node = new UpdatedNode(this.#work.at(owner));
      this.#nodes.set(owner, node);
    }
    return node;
  }

  /**
   * DS stand at delegations only (RFC 4035 2.4): the last NS takes them along, and none comes without. Judged at the
   * end, so that a delegation may get other name servers and keep its DS.
   */
  #withoutLoneDs(owner: NameKey, records: readonly ResourceRecord[]): readonly ResourceRecord[] {
    if (!holds(records, rrtype.DS) || holds(records, rrtype.NS)) return records;
    // Who may delete NS alone must not make a secure delegation an insecure one.
    if (holds(this.#work.at(owner), rrtype.DS)) {
      requireOnRecord(this.#rights, 'record:delete', this.#work.zone, owner, rrtype.DS);
    }
    return records.filter(({ type }) => type !== rrtype.DS);
  }

  #add(record: ResourceRecord): void {
    const { owner, type, rdata } = record;
    if (type === rrtype.DS && owner === emptyName) return;
    if (type === rrtype.SOA) {
      if (owner === emptyName) this.#addSoa(rdata);
      return;
    }
    const node = this.#at(owner);
    if (isExcluded(record, node)) return;
    this.#makeRoom(record, node);
    node.add(record);
  }

  /** Where one record stands alone, a new one takes the place of the other. */
  #makeRoom(record: ResourceRecord, node: UpdatedNode): void {
    const { owner, type } = record;
    if (node.has(record)) return;
    const replaced = node.replacedBy(record);
    if (replaced.length === 0) return;
    requireOnRecord(this.#rights, 'record:delete', this.#work.zone, owner, type);
    for (const other of replaced) node.delete(other);
  }

  /**
   * With a newer serial its fields become the zone's, else it is passed over (RFC 2136 3.4.2.2). Its TTL does
   * not count, because the SOA has the zone's default. Refused is a newer one with values that a zone can
   * not be created with.
   */
  #addSoa(rdata: Buffer): void {
    const soa = readSoaFields(rdata);
    if (!isNewerSerial(soa.serial, this.#settings.serial)) return;
    this.#settings = withSettings(this.#settings, settingsOfSoa(soa));
  }

  #delete({ owner, type, rdata }: Extract<UpdateOperation, { kind: 'delete-record' }>): void {
    const node = this.#at(owner);
    const isApexNs = owner === emptyName && type === rrtype.NS;
    // A zone keeps a name server (RFC 2136 3.4.2.4).
    if (!(isApexNs && node.count(type) === 1)) node.delete({ type, rdata });
  }
}

/** Data and CNAME never join: whichever comes second is passed over (RFC 2136 3.4.2.2). */
function isExcluded({ owner, type }: ResourceRecord, node: UpdatedNode): boolean {
  const aliases = node.count(rrtype.CNAME);
  return type === rrtype.CNAME ? owner === emptyName || node.size > aliases : aliases > 0;
}

export const updateDecisions = { 'dynamic-update': decideDynamicUpdate };
