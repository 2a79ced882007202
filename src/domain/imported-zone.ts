/**
 * The settings of a zone that is created of a master file: what its SOA and its first $TTL say, where
 * that can be held, and what the caller says in its place. A $TTL outside the range of default_ttl gives
 * way to the configured default; a serial of 0 counts as none and is chosen like that of a zone that is
 * created without one.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { printLabels } from '../dns/name.ts';
import type { FileSoa } from '../dns/zonefile/file-record.ts';
import { firstSerial } from './decide-zone.ts';
import type { DecisionContext } from './decision.ts';
import type { Fault } from './file-node.ts';
import {
  givenOverrides,
  type ImportedZone,
  refusedValue,
  type SoaOverrides,
} from './imported-soa.ts';
import {
  checkRange,
  parseHostName,
  parseResponsible,
  printResponsible,
  settingRanges,
  type Zone,
  type ZoneSettings,
} from './zone.ts';

/** What a file says about its zone. */
export function importedZoneOf(soa: FileSoa, defaultTtl: number | undefined): ImportedZone {
  const { line, serial, refresh, retry, expire, minimum } = soa;
  return {
    line,
    mname: printLabels(soa.mname) || '.',
    rname: printResponsible(soa.rname) || '.',
    defaultTtl,
    minimumTtl: minimum,
    refresh,
    retry,
    expire,
    serial,
  };
}

/** What a file says about the zone to be created of it, or INVALID_INPUT when it has no SOA. */
export function requireSoa(file: ImportedZone | null | undefined, name: string): ImportedZone {
  if (file !== null && file !== undefined) return file;
  throw new Problem('INVALID_INPUT', `create: zone '${name}' needs an SOA record in the file`);
}

/**
 * Overrides that can be used, or a Problem: an existing zone keeps its SOA (ZONE_CONFLICT), and values
 * are those that a zone can be created with (INVALID_ZONE_FIELD).
 */
export function checkOverrides(overrides: SoaOverrides | undefined, zone: Zone | undefined): void {
  const given = givenOverrides(overrides);
  if (overrides === undefined || given.length === 0) return;
  if (zone !== undefined) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' exists and keeps its SOA: leave out ${given.join(', ')}`,
    );
  }
  const { mname, rname, serial } = overrides;
  if (mname !== undefined) checks.mname(mname);
  if (rname !== undefined) checks.rname(rname);
  if (serial !== undefined) checks.serial(serial);
  for (const key of timers) {
    const value = overrides[key];
    if (value !== undefined) checkTimer(key, value);
  }
}

const checks = {
  mname: (text: string) => parseHostName('mname', text),
  rname: parseResponsible,
  serial: (value: number) => checkRange('serial', value, 1, limits.startingSerial),
};

const timers = ['minimumTtl', 'refresh', 'retry', 'expire'] as const;

function checkTimer(key: (typeof timers)[number], value: number): number {
  const [field, least, most] = settingRanges[key];
  return checkRange(field, value, least, most);
}

/** What is wrong with the SOA of a file, as far as nothing is given in its place. */
export function faultsOfSoa(file: ImportedZone, overrides: SoaOverrides = {}): readonly Fault[] {
  return takeSoa(file, overrides).faults;
}

/** The settings of the new zone, and a fault for each value that can not be held. */
export function settingsOfFile(
  name: string,
  file: ImportedZone,
  overrides: SoaOverrides | undefined,
  context: DecisionContext,
): { settings: ZoneSettings; faults: readonly Fault[] } {
  const { zoneDefaults } = context;
  const { taken, faults } = takeSoa(file, overrides ?? {});
  const settings: ZoneSettings = {
    name,
    mname: taken.mname ?? name,
    rname: taken.rname ?? '',
    defaultTtl: defaultTtlOf(file.defaultTtl) ?? zoneDefaults.defaultTtl,
    minimumTtl: taken.minimumTtl ?? zoneDefaults.minimumTtl,
    refresh: taken.refresh ?? zoneDefaults.refresh,
    retry: taken.retry ?? zoneDefaults.retry,
    expire: taken.expire ?? zoneDefaults.expire,
    serial: taken.serial ?? firstSerial(context, name),
    description: null,
    enabled: true,
  };
  return { settings, faults };
}

/** The values of a file or those in their place; a value that is missing has a fault. */
function takeSoa(file: ImportedZone, overrides: SoaOverrides) {
  const faults: Fault[] = [];
  const take = <Key extends keyof SoaOverrides, Value>(
    key: Key,
    check: (value: ImportedZone[Key]) => Value,
  ): Value | undefined => {
    const given = overrides[key] as ImportedZone[Key] | undefined;
    if (given !== undefined) return check(given);
    try {
      return check(file[key]);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push({ line: file.line, message: refusedValue(key, error.message) });
      return undefined;
    }
  };
  const timer = (key: (typeof timers)[number]) => take(key, (value) => checkTimer(key, value));
  const hasSerial = overrides.serial !== undefined || file.serial !== 0;
  const taken = {
    mname: take('mname', checks.mname),
    rname: take('rname', checks.rname),
    serial: hasSerial ? take('serial', checks.serial) : undefined,
    minimumTtl: timer('minimumTtl'),
    refresh: timer('refresh'),
    retry: timer('retry'),
    expire: timer('expire'),
  };
  return { taken, faults };
}

function defaultTtlOf(firstTtl: number | undefined): number | undefined {
  const [, least, most] = settingRanges.defaultTtl;
  return firstTtl !== undefined && firstTtl >= least && firstTtl <= most ? firstTtl : undefined;
}
