/**
 * What an import makes of the records at one owner. Needs nothing of the rest of the zone, so that a
 * file of any length can be imported owner by owner.
 *
 * append adds what is missing and keeps the TTL of an RRset that is there; upsert makes each RRset
 * that the file names equal to the file's; replace leaves nothing but the file's. A record with the
 * same type and RDATA stays what it is, with its id.
 */
import { type ResourceRecord, rdataKey } from '../dns/record.ts';
import type { ImportMode, ImportSummary } from './command.ts';
import type { ZoneRecord } from './record.ts';

/** What happened at one owner; of the records in the file, each is one of the last three. */
export type NodeCounts = Omit<ImportSummary, 'parsed'>;

export interface NodePlan {
  /** Those of `current` that stay as they are are the same objects. */
  readonly after: ZoneRecord[];
  readonly counts: NodeCounts;
}

/**
 * Plans one owner. `file` holds no record twice and one TTL for each type (collapseNode sees to it);
 * `make` gives a new record its identity.
 */
export function planNode(
  mode: ImportMode,
  current: readonly ZoneRecord[],
  file: readonly ResourceRecord[],
  make: (record: ResourceRecord) => ZoneRecord,
): NodePlan {
  const counts = { deleted: 0, added: 0, updated: 0, unchanged: 0 };
  if (current.length === 0) {
    counts.added = file.length;
    return { after: file.map(make), counts };
  }
  if (isSameAlone(current, file)) {
    counts.unchanged = 1;
    return { after: current.slice(), counts };
  }
  const ttls = ttlsOf(mode, current, file);
  const missing = new Map(file.map((record) => [rdataKey(record.type, record.rdata), record]));
  const after: ZoneRecord[] = [];
  for (const record of current) {
    const ttl = ttls.get(record.type);
    const isNamed = ttl !== undefined;
    const isInFile = isNamed && missing.delete(rdataKey(record.type, record.rdata));
    if (!isInFile && (mode === 'replace' || (mode === 'upsert' && isNamed))) {
      counts.deleted++;
    } else if (isNamed && ttl !== record.ttl) {
      after.push({ ...record, ttl });
      counts.updated++;
    } else {
      after.push(record);
      if (isInFile) counts.unchanged++;
    }
  }
  for (const record of missing.values()) {
    const ttl = ttls.get(record.type)!;
    after.push(make(ttl === record.ttl ? record : { ...record, ttl }));
    counts.added++;
  }
  return { after, counts };
}

/** Most owners have one record, and most imports find it there. */
function isSameAlone(current: readonly ZoneRecord[], file: readonly ResourceRecord[]): boolean {
  if (current.length !== 1 || file.length !== 1) return false;
  const [here, there] = [current[0]!, file[0]!];
  return here.type === there.type && here.ttl === there.ttl && here.rdata.equals(there.rdata);
}

/** The TTL that each RRset of the file will have. */
function ttlsOf(
  mode: ImportMode,
  current: readonly ResourceRecord[],
  file: readonly ResourceRecord[],
): Map<number, number> {
  const ttls = new Map(file.map(({ type, ttl }) => [type, ttl]));
  if (mode !== 'append') return ttls;
  for (const { type, ttl } of current) if (ttls.has(type)) ttls.set(type, ttl);
  return ttls;
}
