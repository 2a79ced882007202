/**
 * The catalog: a zone that lists the enabled zones, so that secondaries configure themselves
 * (RFC 9432, version 2). It is computed, not stored; what is here is its form.
 *
 * ```
 *   <name>                 SOA, NS invalid.
 *   version.<name>         TXT "2"
 *   <member>.zones.<name>  PTR <zone>        for each enabled zone
 * ```
 * A member's label is made of the zone's name and id: a zone that was renamed, or deleted and made
 * anew, is a new member, and consumers reset what they know of it (RFC 9432 5.4). Members move neither
 * between groups nor between catalogs, so there are no properties.
 */
import { hash } from 'node:crypto';
import {
  emptyName,
  keyFromLabels,
  labelsOf,
  type NameKey,
  nameToWire,
  parseAbsoluteName,
} from '../dns/name.ts';
import { packRecords, type ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { initialSettings, type Zone, type ZoneSettings } from './zone.ts';

/** Stands for the catalog where a zone's id does; stored zones count from 1. */
export const catalogZoneId = 0;

/** Seconds that records of the catalog live. */
const catalogTtl = 3600;

/** What changes of a catalog when a member comes or goes. */
export interface CatalogState {
  readonly serial: number;
  readonly memberCount: number;
}

/** Before the first member. */
export const emptyCatalog: CatalogState = { serial: 1, memberCount: 0 };

/** The settings that decide whether a zone is a member, and as which. */
export type MemberSettings = Pick<ZoneSettings, 'name' | 'enabled'>;

/** Owners of a catalog, relative to its apex. */
const versionOwner = keyFromLabels(['version']);
export const membersOwner = keyFromLabels(['zones']);

const invalid = nameToWire(parseAbsoluteName('invalid'));
const versionTwo = Buffer.from('\x012', 'latin1');

/** Every record that is no member: the same in every catalog. */
export const catalogHead: readonly ResourceRecord[] = [
  { owner: emptyName, type: rrtype.NS, ttl: catalogTtl, rdata: invalid },
  { owner: versionOwner, type: rrtype.TXT, ttl: catalogTtl, rdata: versionTwo },
];

/** The catalog in the form of a zone, so that whatever serves zones serves it too. */
export function catalogZone(name: string, { serial, memberCount }: CatalogState): Zone {
  return {
    id: catalogZoneId,
    name,
    mname: 'invalid',
    rname: 'invalid',
    defaultTtl: catalogTtl,
    minimumTtl: 60,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    serial,
    ...initialSettings,
    createdAt: 0,
    recordCount: memberCount + catalogHead.length,
    dnssecCount: 0,
    historyFromSerial: emptyCatalog.serial,
  };
}

/** Bytes of a member's id, which is its label in hex. */
const memberIdBytes = 16;

export function memberId(name: string, zoneId: number): Buffer {
  return hash('sha256', `${name}/${zoneId}`, 'buffer').subarray(0, memberIdBytes);
}

/** The packed record of a member (dns/record.ts). */
export function memberRecord(id: Buffer, name: string): Buffer {
  const owner = keyFromLabels([id.toString('hex'), 'zones']);
  const rdata = nameToWire(parseAbsoluteName(name));
  return packRecords([{ owner, type: rrtype.PTR, ttl: catalogTtl, rdata }]);
}

const memberLabel = /^[0-9a-f]{32}$/;

/** The member's id in an owner relative to the apex, when it has the form of one. */
export function memberIdOf(owner: NameKey): Buffer | undefined {
  const labels = labelsOf(owner);
  if (labels.length !== 2 || labels[1] !== 'zones' || !memberLabel.test(labels[0]!)) {
    return undefined;
  }
  return Buffer.from(labels[0]!, 'hex');
}
