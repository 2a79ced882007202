/**
 * What a set of changes asks for, as values: RRsets of several zones to set, add to and delete (POST /changes), and
 * what comes of it.
 */
import { createHash } from 'node:crypto';
import type { Warning } from '../base/warning.ts';
import type { RecordValue } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { RecordDiff } from './diff.ts';
import type { Zone } from './zone.ts';

/** Values of one name and type; those of MX and SRV begin with the priority. */
export interface RrsetInput {
  readonly name: string;
  readonly type: string;
  /** Seconds; that of the stored RRset when left out, else the zone's default. */
  readonly ttl?: number | undefined;
  readonly values: readonly RecordValue[];
}

/** Everything at a name, an RRset of it, or one record (RFC 2136 2.5). */
export interface DeletionInput {
  readonly name: string;
  readonly type?: string | undefined;
  readonly value?: RecordValue | undefined;
}

/** What a write expects to find: a zone at one of these serials, or with `*` any. */
export type Expectation = '*' | readonly { readonly zoneId: number; readonly serial: number }[];

/** What is to change in one zone: deletions first, then what is set, then what is added. */
export interface ZoneChanges {
  readonly zoneName: string;
  /** What must hold of the zone, else PRECONDITION_FAILED. */
  readonly ifMatch?: Expectation | undefined;
  readonly set: readonly RrsetInput[];
  readonly add: readonly RrsetInput[];
  readonly delete: readonly DeletionInput[];
}

/** All of it is done in one transaction over all its zones, or nothing. */
export interface ChangeZones {
  readonly zones: readonly ZoneChanges[];
  /** Of a plan that was looked at: nothing is done unless it is the plan still. */
  readonly planHash?: string | undefined;
}

export interface PlannedZone {
  /** As it is then. */
  readonly zone: Zone;
  /** Of RRsets that the caller may not read only what it wrote. */
  readonly diff: RecordDiff;
  readonly warnings: readonly Warning[];
}

export interface ChangesOutcome {
  readonly zones: readonly PlannedZone[];
  readonly planHash: string;
  /** The plan is another one than was looked at: nothing was done. */
  readonly isStale: boolean;
}

/**
 * SHA-256 over the zones with the serials that they change from, and over their diffs as the caller sees them, so
 * that it tells nothing that they do not. The order in which a request names its zones does not count.
 */
export function hashPlan(zones: readonly (PlannedZone & { readonly before: Zone })[]): string {
  const textOf = ({ ttl, rdata }: ResourceRecord) => `${ttl} ${rdata.toString('hex')}`;
  const hash = createHash('sha256');
  for (const { before, diff } of zones.toSorted((a, b) => a.zone.id - b.zone.id)) {
    const entries = diff.entries.map(({ owner, type, from, to }) => {
      return [owner, type, from.map(textOf), to.map(textOf)];
    });
    hash.update(`${JSON.stringify([before.id, before.serial, entries])}\n`);
  }
  return hash.digest('hex');
}
