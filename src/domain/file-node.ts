/**
 * What an import makes of the records at one owner, and what can be wrong with them: two TTLs in one RRset
 * (RFC 2181 5.2), and records that can not stand beside each other or beside what is stored (node-rules.ts).
 * What is wrong is a fault of a line, never a Problem, so that all of it can be reported at once. Needs
 * nothing of the rest of the zone, so that a file of any length can be imported owner by owner.
 *
 * append adds what is missing and keeps the TTL of an RRset that is stored; upsert makes each RRset
 * that the file names equal to the file's; replace leaves nothing but the file's. A record with the
 * same type and RDATA stays what it is, with its id.
 */
import { joinNames, type NameKey, printAbsoluteName, printRelativeName } from '../dns/name.ts';
import { rdataKey, type ResourceRecord } from '../dns/record.ts';
import { printType, rrtype, whyUnreadable } from '../dns/rrtype.ts';
import { type FileRecord, fileLimits } from '../dns/zonefile/zone-file.ts';
import { hasAny, type KnowsOwner, type Occlusion, occlusionProblem } from './dname-rules.ts';
import { checkNode, lostApexNs, misfitOf, overgrownNode, problemOf } from './node-rules.ts';
import type { ZoneRecord } from './record.ts';
import type { Zone } from './zone.ts';

export type ImportMode = 'append' | 'upsert' | 'replace';

/** What happened to the records of a file, one by one: the last three make up those parsed. */
export interface ImportSummary {
  /** Records of the file, the SOA left out and equal ones counted once. */
  readonly parsed: number;
  /** Records of the zone that are deleted. */
  readonly deleted: number;
  readonly added: number;
  /** Only the TTL changed. */
  readonly updated: number;
  readonly unchanged: number;
}

export interface NodeError {
  /** 0 when what is imported has no lines. */
  readonly line: number;
  readonly message: string;
}

/** Faults in the order of their lines, `line 12: ...`, as many as are reported. */
export function printNodeErrors(nodeErrors: readonly NodeError[]): string[] {
  const first = nodeErrors.toSorted((a, b) => a.line - b.line).slice(0, fileLimits.listedErrors);
  return first.map(({ line, message }) => (line === 0 ? message : `line ${line}: ${message}`));
}

/** One owner of a zone, and what a file holds for it. */
export interface ImportedNode {
  readonly apex: NameKey;
  readonly owner: NameKey;
  readonly current: readonly ZoneRecord[];
  readonly file: readonly FileRecord[];
}

/** Plans one owner and judges what it comes to. With faults, `after` must not be stored. */
export function importNode(
  mode: ImportMode,
  { apex, owner, current, file }: ImportedNode,
  make: (record: ResourceRecord) => ZoneRecord,
): { after: ZoneRecord[]; counts: ImportSummary; nodeErrors: readonly NodeError[] } {
  const { records, nodeErrors } = collapseNode(apex, file);
  const { after, counts } = planNode(mode, current, records, make);
  const error = errorOfNode({ apex, owner, current, file: records }, after);
  const lostNs = lostApexNs(apex, owner, current, after);
  return {
    after,
    counts: { parsed: records.length, ...counts },
    nodeErrors: [
      ...nodeErrors,
      ...(error === undefined ? [] : [error]),
      ...misfits(apex, records, current),
      ...(lostNs === undefined ? [] : [{ line: 0, message: lostNs.message }]),
    ],
  };
}

/**
 * The records without those that are there before, and the faults of those whose TTL is not that
 * of the RRset's first.
 */
export function collapseNode(
  apex: NameKey,
  file: readonly FileRecord[],
): { records: readonly FileRecord[]; nodeErrors: readonly NodeError[] } {
  if (file.length === 1) return { records: file, nodeErrors: [] };
  const firsts = new Map<number, FileRecord>();
  const seen = new Map<string, FileRecord>();
  const nodeErrors: NodeError[] = [];
  for (const record of file) {
    const first = firsts.get(record.type) ?? record;
    if (first === record) firsts.set(record.type, record);
    if (record.ttl !== first.ttl)
      nodeErrors.push({ line: record.line, message: ttls(apex, record, first) });
    const key = rdataKey(record.type, record.rdata);
    if (seen.has(key)) continue;
    seen.set(key, record.ttl === first.ttl ? record : { ...record, ttl: first.ttl });
  }
  return { records: [...seen.values()], nodeErrors };
}

function ttls(apex: NameKey, record: FileRecord, first: FileRecord): string {
  const set = `the ${printType(record.type)} records at ${textOf(apex, record.owner)}`;
  const where = first.line === 0 ? '' : ` (line ${first.line})`;
  return `${set} share one TTL: ${record.ttl} differs from ${first.ttl}${where}`;
}

function textOf(apex: NameKey, owner: NameKey): string {
  return printAbsoluteName(joinNames(owner, apex));
}

/** Records that are new and do not fit their type. */
function misfits(
  apex: NameKey,
  file: readonly FileRecord[],
  current: readonly ZoneRecord[],
): NodeError[] {
  return file.flatMap((record) => {
    const misfit = misfitOf(apex, record, current);
    if (misfit === undefined) return [];
    const { owner, type, line } = record;
    const reason = whyUnreadable(type);
    // In the words of the reader, which leaves such records out when it is asked to.
    const what = line === 0 ? printRelativeName(owner) : 'type';
    const message =
      reason === undefined ? misfit.message : `${what} ${printType(type)} is not stored: ${reason}`;
    return [{ line, message }];
  });
}

/**
 * A name of the zone or the file that would be below a DNAME; the line is that of a record to blame. Named is what the
 * caller reads, or has in the file.
 */
export function errorOfOcclusion(
  apex: NameKey,
  occlusion: Occlusion,
  fileAt: (owner: NameKey) => readonly FileRecord[],
  reads: KnowsOwner,
): NodeError {
  const { owner, dname } = occlusion;
  const isDname = ({ type }: FileRecord) => type === rrtype.DNAME;
  const [record] = [...fileAt(owner), ...fileAt(dname).filter(isDname)];
  const knows: KnowsOwner = (name, type) => hasAny(fileAt(name), type) || reads(name, type);
  return { line: record?.line ?? 0, message: occlusionProblem(apex, occlusion, knows).message };
}

/** What stands against `after`, the records at an owner as they would be; the line is the file's. */
function errorOfNode(
  { apex, owner, current, file }: ImportedNode,
  after: readonly ZoneRecord[],
): NodeError | undefined {
  const problemAmong = (records: readonly ResourceRecord[]) =>
    problemOf(() => checkNode(apex, owner, records)) ??
    overgrownNode(apex, owner, current, records);
  const problem = problemAmong(after);
  if (problem === undefined) return undefined;
  const lines = new Map(file.map(({ type, rdata, line }) => [rdataKey(type, rdata), line]));
  const lineOf = ({ type, rdata }: ResourceRecord) => lines.get(rdataKey(type, rdata));
  const others = after.filter((record) => lineOf(record) === undefined);
  const mine = after.filter((record) => lineOf(record) !== undefined);
  mine.sort((a, b) => lineOf(a)! - lineOf(b)!);
  // With the last of them there is a conflict: the first with which there is one is to blame.
  let stands = 0;
  let conflicts = mine.length;
  while (conflicts - stands > 1) {
    const middle = (stands + conflicts) >>> 1;
    const tried = [...others, ...mine.slice(0, middle)];
    if (problemAmong(tried) === undefined) stands = middle;
    else conflicts = middle;
  }
  return { line: lineOf(mine[conflicts - 1]!)!, message: problem.message };
}

/**
 * Plans one owner. `file` holds no record twice and one TTL for each type (collapseNode sees to it);
 * `make` gives a new record its identity. Those of `current` that stay as they are are the same objects;
 * of the records in the file, each counts as added, updated or unchanged.
 */
export function planNode(
  mode: ImportMode,
  current: readonly ZoneRecord[],
  file: readonly ResourceRecord[],
  make: (record: ResourceRecord) => ZoneRecord,
): { after: ZoneRecord[]; counts: Omit<ImportSummary, 'parsed'> } {
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

/** Records as they were read of a file. */
export interface ReadRecords {
  /** Of storable types, in the order of the file; equal ones count once. */
  readonly records: readonly FileRecord[];
  /** How many of the first have the TTL of the zone: the file states none before them. */
  readonly withoutTtl?: number;
}

/** The records for a zone as it is: its TTL may have been another one when the file was read. */
export function recordsFor(
  { defaultTtl: ttl }: Pick<Zone, 'defaultTtl'>,
  { records, withoutTtl = 0 }: ReadRecords,
): readonly FileRecord[] {
  if (withoutTtl === 0 || records[0]?.ttl === ttl) return records;
  return records.map((record, at) => (at < withoutTtl ? { ...record, ttl } : record));
}
