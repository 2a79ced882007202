/**
 * The state that decisions read, held in Maps and folded from events in the plainest way: the other
 * side of comparisons with the projection, and the ground of tests of the law.
 *
 *   const law = new Law();
 *   law.given({ kind: 'create-zone', ... });
 *   expect(law.when({ kind: 'delete-record', id: 1 })).toMatchObject({ event: { kind: ... } });
 */
import { type NameKey, nameBytes, printRelativeName } from '../../src/dns/name.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import { showRdata } from '../../src/dns/rdata/rdata.ts';
import { printType } from '../../src/dns/rrtype.ts';
import type { Grant, Role, Token, TsigKey } from '../../src/domain/access/model.ts';
import { fullRights, type Rights } from '../../src/domain/access/rights.ts';
import type { Command, CreateZone, OutcomeOf } from '../../src/domain/command.ts';
import type { SessionUse } from '../../src/domain/access/session-end.ts';
import { decide } from '../../src/domain/decide.ts';
import type { Decision, StateView } from '../../src/domain/decision.ts';
import { type DesiredFact, type DesiredRrset, rrsetKey } from '../../src/domain/desired.ts';
import type { DnssecPolicy } from '../../src/domain/dnssec-policy.ts';
import {
  type CounterName,
  serialBeyond,
  type ServiceRecovered,
  type StoredCounter,
} from '../../src/domain/epoch.ts';
import {
  type AdministrationEvent,
  beginsHistory,
  type DomainEvent,
  isZoneEvent,
  type Tag,
  type ZoneEvent,
} from '../../src/domain/event.ts';
import type { RecordInput, ZoneRecord } from '../../src/domain/record.ts';
import type { Secondary } from '../../src/domain/secondary.ts';
import type { ZoneSigning } from '../../src/domain/signing.ts';
import type { DeletedZone, Zone } from '../../src/domain/zone.ts';
import { catalogZoneName, zoneDefaults } from './stored-zones.ts';

type LastIds = Record<CounterName, number>;

export class MemoryState implements StateView {
  readonly zones = new Map<number, Zone>();
  /** By id; the zone's id beside each. */
  readonly records = new Map<number, { zoneId: number; record: ZoneRecord }>();
  readonly secondaries = new Map<number, Secondary>();
  /** As they were deleted, the records beside each. */
  readonly deleted = new Map<number, { zone: DeletedZone; records: ZoneRecord[] }>();
  /** DNSSEC records by zone and their text; those of a deleted zone stay. */
  readonly #generated = new Map<number, Map<string, ResourceRecord>>();
  readonly formerSerials = new Map<string, number>();
  /** As an epoch left them; identifiers given out since are not counted. */
  readonly counters = new Map<StoredCounter, number>();
  catalog = 1;
  readonly versions = new Map<number, number>();
  readonly desired = new Map<number, ReadonlyMap<string, DesiredRrset>>();
  readonly tags = new Map<number, ReadonlyMap<string, number>>();
  readonly signings = new Map<number, ZoneSigning>();
  readonly policies = new Map<number, DnssecPolicy>();
  /** Names of zones by the id of the policy that they are signed under. */
  readonly signedUnder = new Map<number, string[]>();
  readonly deletedUnder = new Map<number, string[]>();
  readonly movedFrom = new Map<number, string[]>();
  readonly roles = new Map<number, Role>();
  readonly grants = new Map<number, Grant>();
  readonly tokens = new Map<number, Token>();
  readonly tsigKeys = new Map<number, TsigKey>();
  readonly sessions = new Map<string, SessionUse>();

  apply(event: DomainEvent, at: number): void {
    if (isZoneEvent(event)) this.#applyZone(event, at);
    else this.#applyAdministration(event);
  }

  #applyAdministration(event: AdministrationEvent): void {
    switch (event.kind) {
      case 'secondary.forgotten':
        this.secondaries.delete(event.secondary.id);
        return;
      case 'secondary.registered':
      case 'secondary.updated':
        this.secondaries.set(event.secondary.id, event.secondary);
        return;
      case 'policy.created':
      case 'policy.updated':
        this.policies.set(event.policy.id, event.policy);
        return;
      case 'policy.deleted':
        this.policies.delete(event.policy.id);
        return;
      case 'role.created':
        this.roles.set(event.role.id, event.role);
        return;
      case 'role.deleted':
        this.roles.delete(event.role.id);
        return;
      case 'role.granted':
        this.grants.set(event.grant.id, event.grant);
        return;
      case 'role.revoked':
        this.grants.delete(event.grant.id);
        return;
      case 'token.created':
        this.tokens.set(event.token.id, event.token);
        return;
      case 'token.deleted':
        this.tokens.delete(event.token.id);
        return;
      case 'session.opened':
      case 'session.closed':
      case 'session.refused':
        return;
      case 'tsig-key.created':
        this.tsigKeys.set(event.tsigKey.id, event.tsigKey);
        return;
      case 'tsig-key.deleted':
        this.tsigKeys.delete(event.tsigKey.id);
        return;
      case 'service.recovered':
        this.#applyEpoch(event);
        return;
    }
  }

  #applyEpoch({ jump, serials, catalogSerial, counters }: ServiceRecovered): void {
    for (const [name, serial] of this.formerSerials) {
      this.formerSerials.set(name, serialBeyond(serial, jump) ?? serial);
    }
    for (const { name, serial } of serials) {
      const known = this.formerSerials.get(name) ?? 0;
      this.formerSerials.set(name, Math.max(known, serialBeyond(serial) ?? serial));
    }
    this.catalog = catalogSerial;
    for (const [name, value] of Object.entries(counters)) {
      this.counters.set(name as StoredCounter, value);
    }
  }

  #applyTag(zoneId: number, { name, serial }: Tag): void {
    const tags = new Map(this.tagsOf(zoneId));
    if (serial === null) tags.delete(name);
    else tags.set(name, serial);
    this.tags.set(zoneId, tags);
  }

  tagsOf(zoneId: number): ReadonlyMap<string, number> {
    return this.tags.get(zoneId) ?? new Map();
  }

  desiredBy(zoneId: number, team: string): readonly DesiredRrset[] {
    const all = [...(this.desired.get(zoneId)?.values() ?? [])];
    return all.filter((rrset) => rrset.team === team);
  }

  desiredAt(zoneId: number, owner: NameKey, type: number): DesiredRrset | undefined {
    return this.desired.get(zoneId)?.get(rrsetKey({ owner, type }));
  }

  #applyDesired(zoneId: number, { put, released }: DesiredFact): void {
    const rrsets = new Map(this.desired.get(zoneId));
    for (const rrset of released) rrsets.delete(rrsetKey(rrset));
    for (const rrset of put) rrsets.set(rrsetKey(rrset), rrset);
    this.desired.set(zoneId, rrsets);
  }

  #applyZone(event: ZoneEvent, at: number): void {
    const { kind, zoneId, before, after, delta, signing, tag, desired } = event;
    if (kind === 'zone.checkpointed' || kind === 'zone.history-forgotten') return;
    if (desired !== undefined) this.#applyDesired(zoneId, desired);
    if (kind === 'zone.desired-assigned') return;
    if (signing !== undefined) this.signings.set(zoneId, signing.state);
    if (tag !== undefined) this.#applyTag(zoneId, tag);
    if (kind === 'zone.signing-noted' || kind === 'zone.tagged') return;
    if (kind === 'zone.purged') {
      this.deleted.delete(zoneId);
      this.#generated.delete(zoneId);
      return;
    }
    if (kind === 'zone.restored') this.#bringBack(zoneId);
    const leaves = before !== null && before.name !== after?.name;
    if (leaves) {
      const last = this.formerSerials.get(before.name) ?? 0;
      this.formerSerials.set(before.name, Math.max(last, before.serial));
    }
    if (after === null) {
      const zone = { ...this.zones.get(zoneId)!, deletedAt: at };
      this.deleted.set(zoneId, { zone, records: this.recordsOf(zoneId) });
      this.zones.delete(zoneId);
      for (const [id, grant] of this.grants) if (grant.zoneId === zoneId) this.grants.delete(id);
      for (const [id, entry] of this.records) if (entry.zoneId === zoneId) this.records.delete(id);
      return;
    }
    for (const { id } of delta.removed) this.records.delete(id);
    for (const record of delta.added) this.records.set(record.id, { zoneId, record });
    const generated = this.#generated.get(zoneId) ?? new Map<string, ResourceRecord>();
    for (const record of delta.dnssecRemoved) generated.delete(textOf(record));
    for (const record of delta.dnssecAdded) generated.set(textOf(record), record);
    this.#generated.set(zoneId, generated);
    this.versions.set(zoneId, (this.versions.get(zoneId) ?? 0) + 1);
    const old = this.zones.get(zoneId);
    this.zones.set(zoneId, {
      ...after,
      id: zoneId,
      createdAt: old?.createdAt ?? at,
      recordCount: this.recordsOf(zoneId).length,
      dnssecCount: generated.size,
      historyFromSerial:
        old === undefined || leaves || beginsHistory(kind) ? after.serial : old.historyFromSerial,
    });
  }

  #bringBack(zoneId: number): void {
    const {
      zone: { deletedAt: _, ...zone },
      records,
    } = this.deleted.get(zoneId)!;
    this.deleted.delete(zoneId);
    this.zones.set(zoneId, zone);
    for (const record of records) this.records.set(record.id, { zoneId, record });
  }

  /** Those of users and those of DNSSEC, in no order. */
  allOf(zoneId: number): ResourceRecord[] {
    return [...this.recordsOf(zoneId), ...(this.#generated.get(zoneId)?.values() ?? [])];
  }

  recordsOf(zoneId: number): ZoneRecord[] {
    return [...this.records.values()]
      .filter((one) => one.zoneId === zoneId)
      .map((one) => one.record);
  }

  zoneByName(name: string) {
    return [...this.zones.values()].find((zone) => zone.name === name);
  }
  zoneById(id: number) {
    return this.zones.get(id);
  }
  recordById(id: number) {
    return this.records.get(id);
  }
  recordsAt(zoneId: number, owner: NameKey) {
    const kept = this.deleted.get(zoneId)?.records ?? this.recordsOf(zoneId);
    return kept.filter((record) => record.owner === owner);
  }
  /** Nothing is signed here. */
  generatedAt(): [] {
    return [];
  }

  recordsAtAll(zoneId: number, owners: readonly NameKey[]) {
    return new Map(owners.map((owner) => [owner, this.recordsAt(zoneId, owner)]));
  }
  ownerBefore(zoneId: number, name: NameKey) {
    const owners = this.recordsOf(zoneId).map(({ owner }) => owner);
    return owners.sort().findLast((owner) => owner < name);
  }
  ownerBelow(zoneId: number, name: NameKey, after: NameKey) {
    const owners = this.recordsOf(zoneId).map((record) => record.owner);
    return owners.filter((other) => other.startsWith(name) && other > after).sort()[0];
  }
  allRecords(zoneId: number) {
    return this.recordsOf(zoneId);
  }
  deletedZone(name: string, id?: number) {
    const all = [...this.deleted.values()].map(({ zone }) => zone);
    return all
      .filter((zone) => zone.name === name && (id === undefined || zone.id === id))
      .sort((a, b) => b.deletedAt - a.deletedAt || b.id - a.id)[0];
  }
  formerSerial(name: string) {
    return this.formerSerials.get(name);
  }
  counter(name: StoredCounter) {
    return this.counters.get(name) ?? 0;
  }
  catalogSerial() {
    return this.catalog;
  }
  longestOwnerBytes(zoneId: number) {
    return Math.max(1, ...this.recordsOf(zoneId).map((record) => nameBytes(record.owner)));
  }
  greatestKeyId() {
    return 0;
  }
  greatestRecordId(): number {
    return Math.max(0, ...this.records.keys());
  }

  hasVersion({ serial: current }: Zone, serial: number) {
    return serial > 0 && serial <= current;
  }
  versionCount(zoneId: number) {
    return this.versions.get(zoneId) ?? 0;
  }
  isSetSince() {
    return false;
  }
  forgettable(zone: Zone) {
    const nothing = { versions: 0, hasAny: false, needsCheckpoint: false };
    return { ...nothing, oldestSerial: zone.serial, upToSeq: 0 };
  }
  webhookByName() {
    return undefined;
  }
  webhookCount() {
    return 0;
  }
  secondaryByName(name: string) {
    return [...this.secondaries.values()].find((secondary) => secondary.name === name);
  }
  secondaryByAddress(address: string) {
    return [...this.secondaries.values()].find((secondary) => secondary.address === address);
  }
  secondariesNotifiedWith(keyName: string) {
    const users = [...this.secondaries.values()].filter((one) => one.notifyKeyName === keyName);
    return users.map(({ name }) => name);
  }
  signing(zoneId: number) {
    return this.signings.get(zoneId);
  }
  policyByName(name: string) {
    return [...this.policies.values()].find((policy) => policy.name === name);
  }
  policyById(id: number) {
    return this.policies.get(id);
  }
  zonesUnderPolicy(policyId: number) {
    return this.signedUnder.get(policyId) ?? [];
  }
  deletedZonesUnderPolicy(policyId: number) {
    return this.deletedUnder.get(policyId) ?? [];
  }
  zonesMovedFromPolicy(policyId: number) {
    return this.movedFrom.get(policyId) ?? [];
  }
  roleByName(name: string) {
    return [...this.roles.values()].find((role) => role.name === name);
  }
  roleById(id: number) {
    return this.roles.get(id);
  }
  roleHolders(roleId: number) {
    const namesIn = (holders: ReadonlyMap<number, Token | TsigKey>) =>
      [...holders.values()].filter((one) => one.roleId === roleId).map(({ name }) => name);
    return { tokens: namesIn(this.tokens), tsigKeys: namesIn(this.tsigKeys) };
  }
  grantById(id: number) {
    return this.grants.get(id);
  }
  rolesIn(zoneId: number) {
    const grants = [...this.grants.values()].filter((grant) => grant.zoneId === zoneId);
    const names = grants.flatMap(({ roleId }) => this.roles.get(roleId)?.name ?? []);
    return [...new Set(names)].sort();
  }
  tokenByName(name: string) {
    return [...this.tokens.values()].find((token) => token.name === name);
  }
  tsigKeyByName(name: string) {
    return [...this.tsigKeys.values()].find((key) => key.name === name);
  }
  sessionById(id: string) {
    return this.sessions.get(id);
  }
}

function textOf({ owner, type, ttl, rdata }: ResourceRecord): string {
  return `${type} ${ttl} ${rdata.toString('hex')} ${owner}`;
}

/** Decides commands against a state in memory: `given` applies the event, `when` only tells it. */
export class Law {
  readonly state = new MemoryState();
  readonly #lastId: LastIds = {
    zone: 0,
    record: 0,
    secondary: 0,
    policy: 0,
    role: 0,
    grant: 0,
    token: 0,
    tsig_key: 0,
    webhook: 0,
    signing_key: 0,
  };
  /** Of the caller; full unless a test says otherwise. */
  rights: Rights = fullRights;
  /** The id of the session that the caller comes by. */
  bySession: string | undefined;
  now = 1_000;

  when<C extends Command>(command: C): Decision<OutcomeOf<C>> {
    return this.#decide(command, { ...this.#lastId });
  }

  given<C extends Command>(command: C): OutcomeOf<C> {
    this.now++;
    const { event, more = [], outcome } = this.#decide(command, this.#lastId);
    if (event !== undefined) this.state.apply(event, this.now);
    for (const each of more) this.state.apply(each, this.now);
    return outcome;
  }

  /** The code and message of the Problem that refuses a command. */
  refusal(command: Command): string {
    try {
      this.when(command);
    } catch (error) {
      const { name, code, message } = error as { name: string; code?: string; message: string };
      return name === 'Problem' ? `${code} ${message}` : `a bug: ${message}`;
    }
    return 'not refused';
  }

  #decide<C extends Command>(command: C, lastId: LastIds) {
    const decision = decide(command, {
      view: this.state,
      rights: this.rights,
      bySession: this.bySession,
      now: this.now,
      clockNow: this.now,
      zoneDefaults,
      catalogZoneName,
      allocateId: (kind) => ++lastId[kind],
    });
    return decision as Decision<OutcomeOf<C>>;
  }

  zone(name: string, fields: Partial<CreateZone> = {}): Zone {
    return this.given({ ...createZone(name), apexNs: false, ...fields }).zone;
  }

  add(zoneName: string, ...records: RecordInput[]): readonly ZoneRecord[] {
    return this.given({ kind: 'create-records', zoneName, records }).records;
  }
}

export function createZone(name: string, fields: Partial<CreateZone> = {}): CreateZone {
  const base = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
  return { kind: 'create-zone', name, ...base, ...fields };
}

/** Records as `#7 www 3600 A 192.0.2.1`, in the order of their ids. */
export function recordLines(records: readonly ZoneRecord[]): string[] {
  return records
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, owner, ttl, type, rdata }) => {
      const { value, priority } = showRdata(type, rdata);
      const words = [`#${id}`, printRelativeName(owner), ttl, printType(type), priority, value];
      return words.filter((word) => word !== null).join(' ');
    });
}
