/**
 * The thread of one import: reads a file or a transfer, and plans what is too large for one command
 * against the zone as it is committed. Large rollbacks are planned here too. It writes nothing; slices go
 * to the engine.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../../base/gentle-thread.ts';
import { assert } from '../../base/problem.ts';
import { failureOf } from '../../base/thread-failure.ts';
import type { Warning } from '../../base/warning.ts';
import { emptyName, type NameKey, parseAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { fullRights, Rights } from '../../domain/access/rights.ts';
import type { FileRecord } from '../../domain/command.ts';
import { importNode, printFaults } from '../../domain/file-node.ts';
import { faultsOfSoa, importedZoneOf } from '../../domain/imported-zone.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { holds } from '../../domain/target-state.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import type { Connection } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { ReadableRecords } from '../../query/record-scope.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { DiffSpool } from './diff-spool.ts';
import { type FileContent, readContent, readServer } from './file-content.ts';
import { ImportPlan } from './import-plan.ts';
import { mergedRecords, scopeOfThread, StoredOwners } from './planned-records.ts';
import type {
  FromThread,
  PlanJob,
  ReadJob,
  RollbackJob,
  StageReport,
  ToThread,
} from './protocol.ts';
import { planRollback } from './rollback-plan.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { ownerGroups, type ZoneWalk } from './zone-walk.ts';

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
  const settings = isNew && soa !== undefined ? importedZoneOf(soa, firstDefaultTtl) : undefined;
  const connection = openReader(databaseFile);
  try {
    const zone = isNew ? undefined : new ZoneQueries(connection).byId(zoneId);
    const blocks = isNew ? [] : new BlockScan(connection).ascending(zoneId, allOwners);
    const writer = dryRun ? undefined : new StageWriter((slice) => sender.send(slice));
    const scope = scopeOfThread(new ZoneQueries(connection), apex, zoneId, rights);
    // Of a zone that was not there all is of the caller's making.
    const rules = new WarningRules(isNew ? { ...scope, rights: fullRights } : scope);
    const file = content.records;
    const input = { apex, mode, current: ownerGroups(blocks), file, firstId, now };
    const planned = new ImportPlan({ ...input, writer, rules, diff });
    await planned.run();
    // What the law would refuse at the end is told together with what is wrong with the records.
    const ofSoa = settings === undefined ? [] : faultsOfSoa(settings, overrides);
    const faults = [...ofSoa, ...planned.faults];
    post({
      kind: 'planned',
      report: {
        atSerial: zone?.serial ?? null,
        errors: printFaults(faults),
        warnings: faults.length > 0 ? [] : warningsOfImport(rules, connection, job, zoneId, isNew),
        summary: planned.summary,
        ...(await staged(writer, planned.walk)),
        greatestId: planned.greatestId,
        diffSummary: diff.summary,
      },
    });
  } finally {
    connection.close();
  }
}

/** What a stage has come to, all of it on the disk. */
async function staged(
  writer: StageWriter | undefined,
  { counts, hasApexDname }: Pick<ZoneWalk, 'counts' | 'hasApexDname'>,
): Promise<StageReport> {
  const { partCount = 0, partsDigest = new Uint8Array(0) } = (await writer?.finish()) ?? {};
  await sender.finish();
  return { ...counts, partCount, partsDigest, hasApexDname };
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

async function rollBack(asked: RollbackJob): Promise<void> {
  const connection = openReader(databaseFile);
  try {
    connection.exec('BEGIN');
    const writer = asked.dryRun ? undefined : new StageWriter((slice) => sender.send(slice));
    const { atSerial, warnings, walk } = await planRollback(connection, asked, writer);
    const report = { atSerial, warnings, ...(await staged(writer, walk)) };
    post({ kind: 'rolled-back', report });
  } finally {
    connection.close();
  }
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
