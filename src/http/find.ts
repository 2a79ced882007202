/** Things that paths, queries and bodies name, found or refused; hidden and missing read the same. */
import { formatTime } from '../base/clock.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { requireOnRecord } from '../domain/access/require.ts';
import type { Rights } from '../domain/access/rights.ts';
import { noPolicy, seesPolicies } from '../domain/decide-policy.ts';
import type { DnssecPolicy } from '../domain/dnssec-policy.ts';
import type { Secondary } from '../domain/secondary.ts';
import { normaliseZoneName, noZone, type Zone } from '../domain/zone.ts';
import type { ListedRole, ListedTsigKey } from '../projection/access-queries.ts';
import type { FoundRecord } from '../projection/record-queries.ts';
import type { EverRecord, ZoneVersion } from '../projection/version-queries.ts';
import type { Services } from './services.ts';

/** The zone of a name, when a grant of the caller reaches it. */
export function findZone({ zones }: Services, rights: Rights, written: string): Zone {
  const zone = zones.byName(normaliseZoneName(written));
  if (zone === undefined || !rights.sees(zone.id)) throw noZone(written);
  return zone;
}

/** The record of an id: missing when no record grant reaches it, FORBIDDEN when none lets it be read. */
export function findRecord({ records }: Services, rights: Rights, id: number): FoundRecord {
  const found = records.byId(id);
  const { zone, record } = found ?? {};
  if (!zone || !record || !rights.seesRecord(zone.id, record.owner, record.type)) {
    throw new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
  }
  requireOnRecord(rights, 'record:read', zone, record.owner, record.type);
  return { zone, record };
}

/** The record of an id, or where one stood that was deleted since; refused like findRecord does. */
export async function findRecordEver(
  { versions }: Services,
  rights: Rights,
  id: number,
): Promise<EverRecord> {
  const found = await versions.recordEver(id);
  if (!found || !rights.seesRecord(found.zone.id, found.owner, found.type)) {
    throw new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
  }
  requireOnRecord(rights, 'record:read', found.zone, found.owner, found.type);
  return found;
}

export function noVersion(zone: Zone, serial: number): Problem {
  return new Problem(
    'VERSION_NOT_FOUND',
    `zone '${zone.name}' has no version with the serial ${serial}`,
  );
}

export async function findVersion(
  { versions }: Services,
  zone: Zone,
  serial: number,
): Promise<ZoneVersion> {
  const version = await versions.get(zone, serial);
  if (version === undefined) throw noVersion(zone, serial);
  return version;
}

/** The serial a zone was at. */
export async function findSerialAt(
  { versions }: Services,
  zone: Zone,
  timeMs: number,
): Promise<number> {
  const serial = await versions.serialAt(zone, timeMs);
  if (serial !== undefined) return serial;
  const time = formatTime(timeMs);
  throw new Problem('VERSION_NOT_FOUND', `zone '${zone.name}' had no version at ${time}`);
}

/** True when the caller may know which secondaries there are. */
export function seesSecondaries(rights: Rights): boolean {
  return rights.everywhere('secondary:read') || rights.everywhere('secondary:manage');
}

export function findSecondary(services: Services, rights: Rights, written: string): Secondary {
  const name = written.trim().toLowerCase();
  const secondary = seesSecondaries(rights) ? services.secondaries.byName(name) : undefined;
  if (secondary === undefined) {
    throw new Problem('SECONDARY_NOT_FOUND', `secondary '${excerpt(name)}' does not exist`);
  }
  return secondary;
}

export function findPolicy({ policies }: Services, rights: Rights, written: string): DnssecPolicy {
  const policy = seesPolicies(rights) ? policies.byName(written) : undefined;
  if (policy === undefined) throw noPolicy(written.trim().toLowerCase());
  return policy;
}

/** True when the caller may know of roles, grants, tokens and TSIG keys. */
export function seesAccess(rights: Rights): boolean {
  return rights.everywhere('access:manage');
}

export function findRole({ access }: Services, rights: Rights, written: string): ListedRole {
  const name = written.trim().toLowerCase();
  const role = seesAccess(rights) ? access.listedRole(name) : undefined;
  if (role === undefined) {
    throw new Problem('ROLE_NOT_FOUND', `role '${excerpt(name)}' does not exist`);
  }
  return role;
}

/** The role a list is narrowed to; an empty name is no filter. */
export function roleFilterOf(
  written: string | undefined,
  services: Services,
  rights: Rights,
): number | undefined {
  if (written === undefined || written.trim() === '') return undefined;
  return findRole(services, rights, written).id;
}

export function findTsigKey({ access }: Services, rights: Rights, written: string): ListedTsigKey {
  const name = written.trim().toLowerCase().replace(/\.$/, '');
  const key = seesAccess(rights) ? access.listedTsigKey(name) : undefined;
  if (key === undefined) {
    throw new Problem('TSIG_KEY_NOT_FOUND', `TSIG key '${excerpt(name)}' does not exist`);
  }
  return key;
}

const digits = /^-?\d{1,10}$/;

/** An identifier in a path: an int32, or INVALID_INPUT. */
export function parseId(text: string): number {
  const id = digits.test(text) ? Number(text) : Number.NaN;
  if (id === (id | 0)) return id;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not an id; ids are whole numbers`);
}

/** A serial in a path: 0 to the greatest int32, or INVALID_INPUT. */
export function parseSerial(text: string): number {
  const serial = digits.test(text) ? Number(text) : Number.NaN;
  if (serial >= 0 && serial === (serial | 0)) return serial;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not a serial`);
}
