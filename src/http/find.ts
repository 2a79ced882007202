/** Things that paths, queries and bodies name, found or refused; hidden and missing read the same. */
import { excerpt, Problem } from '../base/problem.ts';
import type { Secondary } from '../domain/secondary.ts';
import { normaliseZoneName, type Zone } from '../domain/zone.ts';
import type { FoundRecord } from '../projection/record-queries.ts';
import type { Services } from './services.ts';

export function findZone({ zones }: Services, written: string): Zone {
  const name = normaliseZoneName(written);
  const zone = zones.byName(name);
  if (zone === undefined) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${excerpt(name)}' does not exist`);
  }
  return zone;
}

export function findRecord({ records }: Services, id: number): FoundRecord {
  const found = records.byId(id);
  if (found === undefined) throw new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
  return found;
}

export function findSecondary({ secondaries }: Services, written: string): Secondary {
  const name = written.trim().toLowerCase();
  const secondary = secondaries.byName(name);
  if (secondary === undefined) {
    throw new Problem('SECONDARY_NOT_FOUND', `secondary '${name}' does not exist`);
  }
  return secondary;
}

const digits = /^-?\d{1,10}$/;

/** An identifier in a path: an int32, or INVALID_INPUT. */
export function parseId(text: string): number {
  const id = digits.test(text) ? Number(text) : Number.NaN;
  if (id === (id | 0)) return id;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not an id; ids are whole numbers`);
}
