/** The state that decisions read, on the writing connection: it sees what the open commit holds. */
import { type NameKey, nameBytes } from '../dns/name.ts';
import type { Grant, Role, Token, TsigKey } from '../domain/access/model.ts';
import type { StateView } from '../domain/decision.ts';
import type { DesiredRrset } from '../domain/desired.ts';
import type { DnssecPolicy } from '../domain/dnssec-policy.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { ZoneSigning } from '../domain/signing.ts';
import type { DeletedZone, Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { AccessQueries } from './access-queries.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { DesiredQueries } from '../projection/desired-store.ts';
import { FormerNames } from '../projection/former-names.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Pending } from '../projection/pending.ts';
import { PolicyQueries, SecondaryQueries, WebhookQueries } from './named-queries.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { TagQueries } from './tag-queries.ts';
import { ZoneEvents } from './zone-events.ts';
import { DeletedZoneQueries } from './zone-queries.ts';

export class ProjectedState implements StateView {
  readonly #pending: Pending;
  readonly #formerNames: FormerNames;
  readonly #deletedZones: DeletedZoneQueries;
  readonly #tags: TagQueries;
  readonly #desired: DesiredQueries;
  readonly #events: ZoneEvents;
  readonly #secondaries: SecondaryQueries;
  readonly #webhooks: WebhookQueries;
  readonly #policies: PolicyQueries;
  readonly #signing: SigningQueries;
  readonly #access: AccessQueries;
  readonly #catalog: CatalogQueries;

  constructor(connection: Connection, pending: Pending) {
    this.#pending = pending;
    this.#formerNames = new FormerNames(connection);
    this.#deletedZones = new DeletedZoneQueries(connection);
    this.#tags = new TagQueries(connection);
    this.#desired = new DesiredQueries(connection);
    this.#events = new ZoneEvents(connection);
    this.#secondaries = new SecondaryQueries(connection);
    this.#webhooks = new WebhookQueries(connection);
    this.#policies = new PolicyQueries(connection);
    this.#signing = new SigningQueries(connection);
    this.#access = new AccessQueries(connection);
    this.#catalog = new CatalogQueries(connection);
  }

  zoneByName(name: string): Zone | undefined {
    return this.#pending.zones.byName(name);
  }

  zoneById(id: number): Zone | undefined {
    return this.#pending.zones.byId(id);
  }

  recordById(id: number): { zoneId: number; record: ZoneRecord } | undefined {
    const location = this.#pending.recordIndex.byId(id);
    // What a deleted zone held stays where it was, for it may come back.
    if (location === undefined || this.zoneById(location.zoneId) === undefined) return undefined;
    const record = this.recordsAt(location.zoneId, location.owner).find((other) => other.id === id);
    return record && { zoneId: location.zoneId, record };
  }

  recordsAt(zoneId: number, owner: NameKey): readonly ZoneRecord[] {
    return this.#pending.blocks.recordsAt(zoneId, owner);
  }

  recordsAtAll(
    zoneId: number,
    owners: readonly NameKey[],
  ): ReadonlyMap<NameKey, readonly ZoneRecord[]> {
    return this.#pending.blocks.recordsAtAll(zoneId, owners);
  }

  ownerBefore(zoneId: number, name: NameKey): NameKey | undefined {
    return this.#pending.blocks.ownerBefore(zoneId, name);
  }

  ownerBelow(zoneId: number, name: NameKey, after: NameKey): NameKey | undefined {
    return this.#pending.blocks.ownerBelow(zoneId, name, after);
  }

  allRecords(zoneId: number): Iterable<ZoneRecord> {
    this.#pending.flush();
    return this.#pending.blocks.userRecords(zoneId);
  }

  deletedZone(name: string, id?: number): DeletedZone | undefined {
    const zone = id === undefined ? this.#deletedZones.newest(name) : this.#deletedZones.byId(id);
    return zone?.name === name ? zone : undefined;
  }

  longestOwnerBytes(zoneId: number): number {
    let longest = 1;
    for (const { owner } of this.allRecords(zoneId)) {
      longest = Math.max(longest, nameBytes(owner));
    }
    return longest;
  }

  formerSerial(name: string): number | undefined {
    return this.#formerNames.serialOf(name);
  }

  versionCount(zoneId: number): number {
    return this.#events.retainedCount(zoneId);
  }

  tagsOf(zoneId: number): ReadonlyMap<string, number> {
    return new Map(this.#tags.of(zoneId).map(({ name, serial }) => [name, serial]));
  }

  desiredBy(zoneId: number, team: string): readonly DesiredRrset[] {
    return this.#desired.by(zoneId, team);
  }

  desiredAt(zoneId: number, owner: NameKey, type: number): DesiredRrset | undefined {
    return this.#desired.at(zoneId, owner, type);
  }

  secondaryByName(name: string): Secondary | undefined {
    return this.#secondaries.byName(name);
  }

  secondaryByAddress(address: string): Secondary | undefined {
    return this.#secondaries.byAddress(address);
  }

  secondariesNotifiedWith(keyName: string): readonly string[] {
    return this.#secondaries.notifiedWith(keyName).map(({ name }) => name);
  }

  webhookByName(name: string): Webhook | undefined {
    return this.#webhooks.byName(name);
  }

  webhookCount(): number {
    return this.#webhooks.count();
  }

  policyByName(name: string): DnssecPolicy | undefined {
    return this.#policies.byName(name);
  }

  policyById(id: number): DnssecPolicy | undefined {
    return this.#policies.byId(id);
  }

  zonesUnderPolicy(policyId: number): readonly string[] {
    return this.#signing.zonesUnder(policyId);
  }

  deletedZonesUnderPolicy(policyId: number): readonly string[] {
    return this.#signing.deletedZonesUnder(policyId);
  }

  signing(zoneId: number): ZoneSigning | undefined {
    return this.#pending.signing.of(zoneId);
  }

  roleByName(name: string): Role | undefined {
    return this.#access.roleByName(name);
  }

  roleById(id: number): Role | undefined {
    return this.#access.roleById(id);
  }

  roleHolders(roleId: number): { tokens: readonly string[]; tsigKeys: readonly string[] } {
    return this.#access.roleHolders(roleId);
  }

  grantById(id: number): Grant | undefined {
    return this.#access.grantById(id);
  }

  rolesIn(zoneId: number): readonly string[] {
    return this.#access.rolesIn(zoneId);
  }

  tokenByName(name: string): Token | undefined {
    return this.#access.tokenByName(name);
  }

  tsigKeyByName(name: string): TsigKey | undefined {
    return this.#access.tsigKeyByName(name);
  }

  greatestRecordId(): number {
    return this.#pending.counters.value('record');
  }

  greatestKeyId(): number {
    return this.#pending.counters.value('signing_key');
  }

  catalogSerial(): number {
    return this.#catalog.state().serial;
  }

  /** The greatest identifier of a kind that was ever given out or reserved. */
  counter(name: StoredCounter): number {
    return this.#pending.counters.greatest(name);
  }
}
