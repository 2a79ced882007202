/**
 * An SOA that a dynamic update adds (RFC 2136 3.4.2.2): with a newer serial its fields become the
 * zone's, else it is passed over. Its TTL does not count, because the SOA has the zone's default.
 * Refused is a newer one with values that a zone of ours can not have.
 */
import { labelsOf, keyFromWire, nameOctets, parentOf, printLabels } from '../dns/name.ts';
import { isNewerSerial } from '../dns/serial.ts';
import {
  checkRange,
  parseHostName,
  parseResponsible,
  settingRanges,
  type ZoneSettings,
} from './zone.ts';
import { limits } from '../base/limits.ts';

/** The settings with the fields of an SOA's canonical RDATA; the same object when it is not newer. */
export function takeSoa(settings: ZoneSettings, rdata: Buffer): ZoneSettings {
  const mname = keyFromWire(rdata);
  const rnameAt = nameOctets(mname);
  const rname = keyFromWire(rdata, rnameAt);
  const numbersAt = rnameAt + nameOctets(rname);
  const number = (index: number) => rdata.readUInt32BE(numbersAt + 4 * index);
  const serial = number(0);
  if (!isNewerSerial(serial, settings.serial)) return settings;
  const timer = (key: 'refresh' | 'retry' | 'expire' | 'minimumTtl', index: number) => {
    const [field, least, most] = settingRanges[key];
    return checkRange(field, number(index), least, most);
  };
  const [local = ''] = labelsOf(rname);
  const domain = parentOf(rname);
  return {
    ...settings,
    mname: parseHostName('mname', printLabels(mname)),
    rname: parseResponsible(domain === undefined ? local : `${local}@${printLabels(domain)}`),
    serial: checkRange('serial', serial, 1, limits.serial),
    refresh: timer('refresh', 1),
    retry: timer('retry', 2),
    expire: timer('expire', 3),
    minimumTtl: timer('minimumTtl', 4),
  };
}
