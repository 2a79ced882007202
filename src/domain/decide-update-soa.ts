/**
 * An SOA that a dynamic update adds (RFC 2136 3.4.2.2): with a newer serial its fields become the
 * zone's, else it is passed over. Its TTL does not count, because the SOA has the zone's default.
 * Refused is a newer one with values that a zone can not be created with.
 */

import { limits } from '../base/limits.ts';
import { printLabels } from '../dns/name.ts';
import { isNewerSerial } from '../dns/serial.ts';
import { readSoaFields } from '../dns/soa.ts';
import {
  checkRange,
  parseHostName,
  parseResponsible,
  printResponsible,
  settingRanges,
  type ZoneSettings,
} from './zone.ts';

/** The settings with the fields of an SOA's canonical RDATA; the same object when it is not newer. */
export function takeSoa(settings: ZoneSettings, rdata: Buffer): ZoneSettings {
  const soa = readSoaFields(rdata);
  if (!isNewerSerial(soa.serial, settings.serial)) return settings;
  const timer = (key: 'refresh' | 'retry' | 'expire' | 'minimumTtl', value: number) => {
    const [field, least, most] = settingRanges[key];
    return checkRange(field, value, least, most);
  };
  return {
    ...settings,
    mname: parseHostName('mname', printLabels(soa.mname)),
    rname: parseResponsible(printResponsible(soa.rname)),
    serial: checkRange('serial', soa.serial, 1, limits.startingSerial),
    refresh: timer('refresh', soa.refresh),
    retry: timer('retry', soa.retry),
    expire: timer('expire', soa.expire),
    minimumTtl: timer('minimumTtl', soa.minimum),
  };
}
