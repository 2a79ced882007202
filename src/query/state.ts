/** The state that decisions read, on the writing connection: it sees what the open commit holds. */
import { nameBytes } from '../dns/name.ts';
import type { StateView } from '../domain/decision.ts';
import type { Connection } from '../journal/database.ts';
import { SessionTable } from '../keystore/session-table.ts';
import { AccessQueries } from './access-queries.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { DesiredQueries } from '../projection/desired-store.ts';
import { FormerNames } from '../projection/former-names.ts';
import type { Pending } from '../projection/pending.ts';
import { PolicyQueries, SecondaryQueries, WebhookQueries } from './named-queries.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { EventRows } from './event-rows.ts';
import { TagQueries } from './tag-queries.ts';
import { VersionQueries } from './version-queries.ts';
import { ZoneEvents } from './zone-events.ts';
import { ZoneHistory } from './zone-history.ts';
import { DeletedZoneQueries } from './zone-queries.ts';

export function stateOn(connection: Connection, pending: Pending): StateView {
  const { zones, blocks, recordIndex, counters, signing: signings } = pending;
  const formerNames = new FormerNames(connection);
  const deletedZones = new DeletedZoneQueries(connection);
  const tags = new TagQueries(connection);
  const versions = new VersionQueries(connection);
  const desired = new DesiredQueries(connection);
  const events = new ZoneEvents(connection);
  const history = new ZoneHistory(connection);
  const rows = new EventRows(connection);
  const signedZones = new SigningQueries(connection);
  const catalog = new CatalogQueries(connection);
  const view: StateView = {
    ...administrationOn(connection),
    zoneByName: (name) => zones.byName(name),
    zoneById: (id) => zones.byId(id),
    recordById(id) {
      const location = recordIndex.byId(id);
      // What a deleted zone held stays where it was, for it may come back.
      if (location === undefined || zones.byId(location.zoneId) === undefined) return undefined;
      const { zoneId, owner } = location;
      const record = blocks.recordsAt(zoneId, owner).find((other) => other.id === id);
      return record && { zoneId, record };
    },
    recordsAt: (zoneId, owner) => blocks.recordsAt(zoneId, owner),
    recordsAtAll: (zoneId, owners) => blocks.recordsAtAll(zoneId, owners),
    generatedAt: (zoneId, owner) => pending.dnssec.at(zoneId, owner),
    ownerBefore: (zoneId, name) => blocks.ownerBefore(zoneId, name),
    ownerBelow: (zoneId, name, after) => blocks.ownerBelow(zoneId, name, after),
    allRecords(zoneId) {
      pending.flush();
      return blocks.userRecords(zoneId);
    },
    deletedZone(name, id) {
      const zone = id === undefined ? deletedZones.newest(name) : deletedZones.byId(id);
      return zone?.name === name ? zone : undefined;
    },
    longestOwnerBytes(zoneId) {
      let longest = 1;
      for (const { owner } of view.allRecords(zoneId)) {
        longest = Math.max(longest, nameBytes(owner));
      }
      return longest;
    },
    formerSerial: (name) => formerNames.serialOf(name),
    hasVersion: (zone, serial) => versions.get(zone, serial) !== undefined,
    versionCount: (zoneId) => events.retainedCount(zoneId),
    isSetSince: (zoneId, seq) => history.isSetSince(zoneId, seq),
    forgettable: (zone, beforeMs) => history.forgettable(zone, rows.lastBefore(beforeMs)),
    tagsOf: (zoneId) => new Map(tags.of(zoneId).map(({ name, serial }) => [name, serial])),
    desiredBy: (zoneId, team) => desired.by(zoneId, team),
    desiredAt: (zoneId, owner, type) => desired.at(zoneId, owner, type),
    zonesUnderPolicy: (id) => signedZones.zonesUnder(id),
    zonesMovedFromPolicy: (id) => signedZones.zonesMovedFrom(id),
    deletedZonesUnderPolicy: (id) => signedZones.deletedZonesUnder(id),
    signing: (zoneId) => signings.of(zoneId),
    greatestRecordId: () => counters.value('record'),
    greatestKeyId: () => counters.value('signing_key'),
    catalogSerial: () => catalog.state().serial,
    counter: (name) => counters.greatest(name),
  };
  return view;
}

/** What of it is in no zone. */
function administrationOn(connection: Connection) {
  const secondaries = new SecondaryQueries(connection);
  const webhooks = new WebhookQueries(connection);
  const policies = new PolicyQueries(connection);
  const access = new AccessQueries(connection);
  const sessions = new SessionTable(connection);
  return {
    secondaryByName: (name) => secondaries.byName(name),
    secondaryByAddress: (address) => secondaries.byAddress(address),
    secondariesNotifiedWith: (key) => secondaries.notifiedWith(key).map(({ name }) => name),
    webhookByName: (name) => webhooks.byName(name),
    webhookCount: () => webhooks.count(),
    policyByName: (name) => policies.byName(name),
    policyById: (id) => policies.byId(id),
    roleByName: (name) => access.roleByName(name),
    roleById: (id) => access.roleById(id),
    roleHolders: (id) => access.roleHolders(id),
    grantById: (id) => access.grantById(id),
    rolesIn: (zoneId) => access.rolesIn(zoneId),
    tokenByName: (name) => access.tokenByName(name),
    tsigKeyByName: (name) => access.tsigKeyByName(name),
    sessionById: (id) => sessions.byId(id),
  } satisfies Partial<StateView>;
}
