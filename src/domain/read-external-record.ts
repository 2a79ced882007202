/**
 * Reads one RRset of an external DNS controller: its zone, owner, type and values, or the Problem of what is wrong
 * with it. Who only asks how a record would be stored is told the same.
 */
import { Problem } from '../base/problem.ts';
import { type NameKey, parseAbsoluteName, relativeTo } from '../dns/name.ts';
import { rdataKey } from '../dns/record.ts';
import type { Rights } from './access/rights.ts';
import { checkTtl, parseValue } from './decide-records.ts';
import { type ExternalRecord, externalTypeNames, parseExternalType } from './external-dns.ts';
import { checkNode } from './node-rules.ts';
import { apexOf, type Zone } from './zone.ts';
import type { ZonesOfNames } from './zones-of-names.ts';

export interface ReadRecord {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly owner: NameKey;
  readonly type: number;
  /** Seconds; the zone's default when none is asked for. */
  readonly ttl: number;
  readonly rdatas: readonly Buffer[];
}

/** Where names belong, and whose eyes it is looked at with. */
export interface Surroundings {
  readonly zones: ZonesOfNames;
  readonly rights: Rights;
}

/** `authorize` is asked before values are looked at: who may not write here is told that first. */
export function readExternalRecord(
  record: ExternalRecord,
  { zones, rights }: Surroundings,
  authorize: (zone: Zone, owner: NameKey, type: number) => void = () => {},
): ReadRecord {
  const name = parseName(record.name);
  const zone = zones.enclosing(name);
  // A zone that is not there and one that the caller does not see are told alike.
  if (zone === undefined || !rights.sees(zone.id)) {
    throw new Problem('ZONE_NOT_FOUND', 'there is no zone for this name');
  }
  const apex = apexOf(zone);
  const owner = relativeTo(name, apex)!;
  const type = parseExternalType(record.type);
  if (type === undefined) {
    throw new Problem('INVALID_RECORD_VALUE', `type: is not one of ${externalTypeNames}`);
  }
  authorize(zone, owner, type);
  if (record.values.length === 0) {
    throw new Problem('INVALID_RECORD_VALUE', 'values: there is none');
  }
  const rdatas = record.values.map((value) => parseValue(type, value));
  const ttl = record.ttl === undefined ? zone.defaultTtl : checkTtl(record.ttl);
  return { zone, apex, owner, type, ttl, rdatas };
}

function parseName(text: string): NameKey {
  try {
    return parseAbsoluteName(text.trim());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem('INVALID_RECORD_NAME', `name: ${reason}`);
  }
}

/** Why an RRset could never be stored, whatever else its name has; undefined when it could. */
export function problemOfExternalRecord(
  record: ExternalRecord,
  surroundings: Surroundings,
): Problem | undefined {
  try {
    const { apex, owner, type, ttl, rdatas } = readExternalRecord(record, surroundings);
    const different = new Map(rdatas.map((rdata) => [rdataKey(type, rdata), rdata]));
    const records = [...different.values()].map((rdata) => ({ owner, type, ttl, rdata }));
    checkNode(apex, owner, records);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
