/**
 * The settings of a zone that is created of a master file: what its SOA and its first $TTL say, where
 * that can be held. A $TTL outside the range of default_ttl gives way to the configured default.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { printLabels } from '../dns/name.ts';
import type { FileSoa } from '../dns/zonefile/file-record.ts';
import type { ImportedZone } from './command.ts';
import type { DecisionContext } from './decision.ts';
import type { Fault } from './file-node.ts';
import {
  checkRange,
  parseHostName,
  parseResponsible,
  printResponsible,
  settingRanges,
  type ZoneSettings,
} from './zone.ts';

/** What a file says about its zone. */
export function importedZoneOf(soa: FileSoa, defaultTtl: number | undefined): ImportedZone {
  const { line, serial, refresh, retry, expire, minimum } = soa;
  return {
    line,
    mname: printLabels(soa.mname),
    rname: printResponsible(soa.rname),
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

/** The settings of the new zone, and a fault for each value that we can not hold. */
export function settingsOfFile(
  name: string,
  file: ImportedZone,
  { zoneDefaults }: DecisionContext,
): { settings: ZoneSettings; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const orFault = <Value>(check: () => Value, otherwise: Value): Value => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push({ line: file.line, message: `SOA ${error.message}` });
      return otherwise;
    }
  };
  const timer = (key: 'minimumTtl' | 'refresh' | 'retry' | 'expire') => {
    const [field, least, most] = settingRanges[key];
    return orFault(() => checkRange(field, file[key], least, most), zoneDefaults[key]);
  };
  const settings: ZoneSettings = {
    name,
    mname: orFault(() => parseHostName('mname', file.mname), name),
    rname: orFault(() => parseResponsible(file.rname), ''),
    defaultTtl: defaultTtlOf(file.defaultTtl) ?? zoneDefaults.defaultTtl,
    minimumTtl: timer('minimumTtl'),
    refresh: timer('refresh'),
    retry: timer('retry'),
    expire: timer('expire'),
    serial: orFault(() => checkRange('serial', file.serial, 1, limits.startingSerial), 1),
    description: null,
    enabled: true,
  };
  return { settings, faults };
}

function defaultTtlOf(firstTtl: number | undefined): number | undefined {
  const [, least, most] = settingRanges.defaultTtl;
  return firstTtl !== undefined && firstTtl >= least && firstTtl <= most ? firstTtl : undefined;
}
