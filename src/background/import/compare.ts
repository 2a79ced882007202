/** Compares a zone, as it was at a serial, with a master file or another zone, owner by owner in canonical order. */
import { runsOf } from '../../base/lists.ts';
import { assert } from '../../base/problem.ts';
import { type ResourceRecord, rdataKey } from '../../dns/record.ts';
import { isStorable } from '../../dns/rrtype.ts';
import { diffNodes, type NodeChange, nodesOf, type OwnerRecords } from '../../domain/diff.ts';
import { misfitOf } from '../../domain/node-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { apexOf } from '../../domain/zone.ts';
import type { Connection } from '../../journal/database.ts';
import type { KeyRange } from '../../query/key-range.ts';
import { EntryPage, ownersOf } from '../../query/version-page.ts';
import { VersionQueries } from '../../query/version-queries.ts';
import type { DiffSpool } from './diff-spool.ts';
import type { FileTable } from './file-table.ts';
import type { CompareJob, CompareReport, ZoneThen } from './protocol.ts';

const isOfOneOwner = (one: ZoneRecord, other: ZoneRecord) => one.owner === other.owner;

/** With the file that was read, if there is one. Entries go to the spool, unless only their counts are asked for. */
export function compare(
  connection: Connection,
  { from, to, part, isSummary }: CompareJob,
  file: FileTable | undefined,
  spool: DiffSpool,
): CompareReport {
  const versions = new VersionQueries(connection);
  const within = ownersOf(part);
  const page = new EntryPage(part);
  const apex = apexOf(from.zone);
  for (const node of nodesOf(
    stored(from),
    file === undefined ? other() : fileOwners(file, within),
  )) {
    const entries = page.take(
      diffNodes(apex, [file === undefined ? node : importable(node)]).entries,
    );
    if (!isSummary) spool.add(apex, entries, []);
    if (page.next !== null) break;
  }
  return { errors: [], summary: page.summary, next: page.next };

  /** Without new records of types that only stay where they are stored. */
  function importable(node: NodeChange): NodeChange {
    const comes = (record: ResourceRecord) =>
      isStorable(record.type) || misfitOf(apex, record, node.before) === undefined;
    return { ...node, after: node.after.filter(comes) };
  }

  function other(): Generator<OwnerRecords> {
    assert(to !== undefined, 'there is a file or another zone');
    return stored(to);
  }

  function* stored({ zone, serial }: ZoneThen): Generator<OwnerRecords> {
    for (const records of runsOf(versions.records(zone, serial, within), isOfOneOwner)) {
      yield { owner: records[0]!.owner, records };
    }
  }
}

/** A record that the file has twice counts once. */
function* fileOwners(table: FileTable, { from, to }: KeyRange): Generator<OwnerRecords> {
  table.sort();
  for (let start = table.indexOf(from); start < table.count; start = table.endOfOwner(start)) {
    const owner = table.ownerAt(start);
    if (to !== undefined && owner >= to) return;
    const records = new Map<string, ResourceRecord>();
    for (const record of table.recordsAt(start, table.endOfOwner(start))) {
      const key = rdataKey(record.type, record.rdata);
      if (!records.has(key)) records.set(key, record);
    }
    yield { owner, records: [...records.values()] };
  }
}
