/**
 * The thread of one import: reads a file or a transfer, and plans what is too large for one command
 * against the zone as it is committed. Large rollbacks are planned here too. It writes nothing; slices go
 * to the engine.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../../base/gentle-thread.ts';
import { assert, Problem } from '../../base/problem.ts';
import { failureOf } from '../../base/thread-failure.ts';
import type { Warning } from '../../base/warning.ts';
import { emptyName, type NameKey, parseAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { fullRights, Rights } from '../../domain/access/rights.ts';
import type { FileRecord, NodeVersion } from '../../domain/command.ts';
import { type Fault, importNode, printFaults } from '../../domain/file-node.ts';
import { faultsOfSoa, importedZoneOf } from '../../domain/imported-zone.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { holds } from '../../domain/target-state.ts';
import { hasTarget, printWarnings, WarningRules } from '../../domain/warnings.ts';
import type { Connection } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { ReadableRecords } from '../../query/record-scope.ts';
import { type ChangedNode, VersionQueries } from '../../query/version-queries.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { DiffSpool } from './diff-spool.ts';
import { type FileContent, readContent, readServer } from './file-content.ts';
import { ownerGroups } from './owner-groups.ts';
import {
  mergedRecords,
  rolledBackRecords,
  scopeOfThread,
  StoredOwners,
} from './planned-records.ts';
import type { FromThread, PlanJob, ReadJob, RollbackJob, ToThread } from './protocol.ts';
import { RollbackPlan } from './rollback-plan.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { StagedPlan } from './staged-plan.ts';

const { file: databaseFile, folder } = workerData as { file: string; folder: string };
const port = parentPort;
assert(port !== null, 'this file is the code of a thread');
giveWayToOthers();

let job: ReadJob | undefined;
let content: FileContent | undefined;
let spool: DiffSpool | undefined;
const sender = new SliceSender(databaseFile, (slice, transfer) =>
  post({ kind: 'slice', slice }, transfer),
);

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port!.postMessage(message, transfer);
}

async function read(asked: ReadJob): Promise<void> {
  job = asked;
  const apex = parseAbsoluteName(asked.zoneName);
  const { source } = asked;
  content =
    source.kind === 'content'
      ? readContent(source.content, { apex, ...asked })
      : await readServer(source, { apex, ...asked });
  const { records, errors, skipped, skippedCount, soa, firstDefaultTtl } = content;
  const isSmall = records.count <= asked.smallRecords;
  post({
    kind: 'read',
    report: { errors, skipped, skippedCount, parsed: records.count },
    soa: soa === undefined ? undefined : importedZoneOf(soa, firstDefaultTtl),
    count: records.count,
    records: isSmall ? [...records.records()] : undefined,
  });
}

async function plan({ zoneId, isNew, overrides, firstId, now, dryRun }: PlanJob): Promise<void> {
  assert(job !== undefined && content !== undefined, 'a plan comes after reading');
  const { zoneName, mode } = job;
  const rights = Rights.of(job.rights);
  const apex = parseAbsoluteName(zoneName);
  content.records.sort();
  spool?.close();
  spool = new DiffSpool(folder, new ReadableRecords(rights).in(zoneId));
  const diff = spool;
  const { soa, firstDefaultTtl } = content;
  const file = soa && importedZoneOf(soa, firstDefaultTtl);
  // What the law would refuse at the end is told together with what is wrong with the records.
  const faults: Fault[] = isNew && file !== undefined ? [...faultsOfSoa(file, overrides)] : [];
  const connection = openReader(databaseFile);
  try {
    const zone = isNew ? undefined : new ZoneQueries(connection).byId(zoneId);
    const blocks = isNew ? [] : new BlockScan(connection).ascending(zoneId, allOwners);
    const writer = dryRun ? undefined : new StageWriter((slice) => sender.send(slice));
    const scope = scopeOfThread(new ZoneQueries(connection), apex, zoneId, rights);
    // Of a zone that was not there all is of the caller's making.
    const rules = new WarningRules(isNew ? { ...scope, rights: fullRights } : scope);
    const planned = new StagedPlan(
      { apex, mode, current: ownerGroups(blocks), file: content.records, firstId, now },
      {
        writer,
        diff: (entries, added) => diff.add(apex, entries, added),
        changed: (owner, before, after) => rules.node(owner, before, after),
        diffNew: (record) => {
          diff.addNew(apex, record);
          if (hasTarget(record.type)) rules.record(record);
        },
        fault: (fault) => void faults.push(fault),
      },
    );
    await planned.run();
    const delta = await writer?.finish();
    await sender.finish();
    const { added, deleted, updated } = planned.counts;
    post({
      kind: 'planned',
      report: {
        atSerial: zone?.serial ?? null,
        errors: printFaults(faults),
        warnings: faults.length > 0 ? [] : warningsOfImport(rules, connection, job, zoneId, isNew),
        summary: planned.counts,
        removed: delta?.removed ?? deleted + updated,
        added: delta?.added ?? added + updated,
        partCount: delta?.partCount ?? 0,
        partsDigest: delta?.partsDigest ?? new Uint8Array(0),
        greatestId: planned.greatestId,
        hasApexDname: planned.hasApexDname,
        diffSummary: diff.summary,
      },
    });
  } finally {
    connection.close();
  }
}

/** Of what the file leads to, in the zone as it will be. */
function warningsOfImport(
  rules: WarningRules,
  connection: Connection,
  { zoneName, mode, rights }: ReadJob,
  zoneId: number,
  isNew: boolean,
): readonly Warning[] {
  const apex = parseAbsoluteName(zoneName);
  const isWhole = isNew || mode === 'replace';
  const stored = isWhole ? undefined : new StoredOwners(new BlockScan(connection), zoneId);
  const merge = (owner: NameKey, current: readonly ZoneRecord[], file: readonly FileRecord[]) =>
    importNode(mode, { apex, owner, current, file }, (record) => {
      return { ...record, id: 0, createdAt: 0 };
    }).after;
  const records = mergedRecords(stored, content!.records, merge);
  // Who replaces all records knows them, whether or not it may read any.
  const knowsNs =
    isWhole || Rights.of(rights).onRecord('record:read', zoneId, emptyName, rrtype.NS);
  if (knowsNs && !holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
  return printWarnings(rules.report(records));
}

async function rollBack({ zoneName, targetSerial, dryRun, rights }: RollbackJob): Promise<void> {
  const connection = openReader(databaseFile);
  try {
    connection.exec('BEGIN');
    const zones = new ZoneQueries(connection);
    const zone = zones.byName(zoneName);
    if (zone === undefined) throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' is gone`);
    const versions = new VersionQueries(connection);
    const changed = () => versions.changedNodes(zone, targetSerial, zone.serial);
    const idsOfVersion = new Set<number>();
    for (const { before } of changed()) for (const { id } of before) idsOfVersion.add(id);
    const writer = dryRun ? undefined : new StageWriter((slice) => sender.send(slice));
    const blocks = new BlockScan(connection).ascending(zone.id, allOwners);
    const scope = scopeOfThread(zones, parseAbsoluteName(zoneName), zone.id, Rights.of(rights));
    const rules = new WarningRules(scope);
    const plan = new RollbackPlan({
      apex: parseAbsoluteName(zoneName),
      current: ownerGroups(blocks),
      version: nodesThen(changed()),
      idsOfVersion,
      writer,
      changed: (owner, before, after) => rules.node(owner, before, after),
    });
    await plan.run();
    const delta = await writer?.finish();
    await sender.finish();
    const stage = delta ?? { ...plan.counts, partCount: 0, partsDigest: new Uint8Array(0) };
    const { hasApexDname } = plan;
    const stored = new StoredOwners(new BlockScan(connection), zone.id);
    const asked = new Set([...rules.namesAsked(), emptyName]);
    const records = rolledBackRecords(stored, changed(), asked);
    if (!holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
    const warnings = printWarnings(rules.report(records));
    post({
      kind: 'rolled-back',
      report: { atSerial: zone.serial, ...stage, hasApexDname, warnings },
    });
  } finally {
    connection.close();
  }
}

function* nodesThen(changed: Iterable<ChangedNode>): Generator<NodeVersion> {
  for (const { owner, before } of changed) yield { owner, records: before };
}

function sendDiff(): void {
  const piece = spool?.next();
  post({ kind: 'diff', piece }, piece === undefined ? [] : [piece.buffer as ArrayBuffer]);
}

function fail(error: unknown): void {
  post({ kind: 'failed', ...failureOf(error) });
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'read':
      read(message.job).catch(fail);
      break;
    case 'plan':
      plan(message.job).catch(fail);
      break;
    case 'roll-back':
      rollBack(message.job).catch(fail);
      break;
    case 'taken':
      sender.taken();
      break;
    case 'diff':
      sendDiff();
      break;
  }
});
