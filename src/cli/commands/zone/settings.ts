/** Options that create and update share, and how a zone is shown. */
import type { Zone } from '../../answers.ts';
import { text, whole } from '../../field.ts';
import type { Output } from '../../output.ts';

export const zoneSettings = {
  defaultTtl: whole('TTL of the SOA and of records that name none, in seconds'),
  minimumTtl: whole('how long negative answers are cached, in seconds'),
  refresh: whole('seconds between two checks of a secondary'),
  retry: whole('seconds until a failed check is repeated'),
  expire: whole('seconds after which a secondary gives the zone up'),
  description: text('operator note, up to 255 characters'),
};

/** Settings as the fields of a request. */
export function settingsBody(values: {
  readonly defaultTtl: number | undefined;
  readonly minimumTtl: number | undefined;
  readonly refresh: number | undefined;
  readonly retry: number | undefined;
  readonly expire: number | undefined;
  readonly description: string | undefined;
}) {
  const { defaultTtl, minimumTtl, refresh, retry, expire, description } = values;
  return {
    default_ttl: defaultTtl,
    minimum_ttl: minimumTtl,
    refresh,
    retry,
    expire,
    description,
  };
}

export function zoneFields(zone: Zone, output: Output): string {
  return output.fields([
    ['name', zone.name],
    ['id', zone.id],
    ['serial', zone.serial],
    ['mname', zone.mname],
    ['rname', zone.rname],
    ['default_ttl', zone.default_ttl],
    ['minimum_ttl', zone.minimum_ttl],
    ['refresh', zone.refresh],
    ['retry', zone.retry],
    ['expire', zone.expire],
    ['enabled', zone.enabled],
    ['description', zone.description],
  ]);
}
