/**
 * The thread of one import: reads a file or a transfer, and plans what is too large for one command
 * against the zone as it is committed. It writes nothing; slices go to the engine.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, Problem } from '../../base/problem.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import { compareRecords } from '../../dns/record.ts';
import { type Fault, printFaults } from '../../domain/file-node.ts';
import { importedZoneOf } from '../../domain/imported-zone.ts';
import { openReader } from '../../journal/database.ts';
import { BlockScan } from '../../projection/block-scan.ts';
import { allOwners } from '../../projection/key-range.ts';
import { ScopeTest } from '../../projection/record-scope.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import { ZoneQueries } from '../../projection/zone-queries.ts';
import { DiffSpool } from './diff-spool.ts';
import { type FileContent, readContent, readServer } from './file-content.ts';
import { ownerGroups } from './owner-groups.ts';
import type { FromThread, PlanJob, ReadJob, ToThread } from './protocol.ts';
import { StageWriter } from './stage-writer.ts';
import { StagedPlan } from './staged-plan.ts';

const { file: databaseFile, folder } = workerData as { file: string; folder: string };
const port = parentPort;
assert(port !== null, 'this file is the code of a thread');

let job: ReadJob | undefined;
let content: FileContent | undefined;
let spool: DiffSpool | undefined;
/** Slices that are on the way, and who waits for one of them to be written. */
let onTheWay = 0;
let taken: (() => void) | undefined;

function post(message: FromThread, transfer: ArrayBufferLike[] = []): void {
  port!.postMessage(message, transfer as ArrayBuffer[]);
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
  const isSmall = records.length <= asked.smallRecords;
  post({
    kind: 'read',
    report: { errors, skipped, skippedCount, parsed: records.length },
    soa: soa === undefined ? undefined : importedZoneOf(soa, firstDefaultTtl),
    count: records.length,
    records: isSmall ? records : undefined,
  });
}

async function plan({ zoneId, isNew, firstId, now, dryRun }: PlanJob): Promise<void> {
  assert(job !== undefined && content !== undefined, 'a plan comes after reading');
  const { readable, zoneName, mode } = job;
  const apex = parseAbsoluteName(zoneName);
  sortRecords(content);
  spool?.close();
  spool = new DiffSpool(folder, zoneName, readable && new ScopeTest(readable), zoneId);
  const diff = spool;
  const faults: Fault[] = [];
  const connection = openReader(databaseFile);
  try {
    connection.exec('BEGIN');
    const zone = isNew ? undefined : new ZoneQueries(connection).byId(zoneId);
    const blocks = isNew ? [] : new BlockScan(connection).ascending(zoneId, allOwners);
    const writer = dryRun ? undefined : new StageWriter(handOver);
    const planned = new StagedPlan(
      { apex, mode, current: ownerGroups(blocks), file: content.records, firstId, now },
      {
        writer,
        diff: (entries, added) => diff.add(apex, entries, added),
        fault: (fault) => void faults.push(fault),
      },
    );
    await planned.run();
    const delta = await writer?.finish();
    await fewerThan(1);
    const { added, deleted, updated } = planned.counts;
    post({
      kind: 'planned',
      report: {
        atSerial: zone?.serial ?? null,
        errors: printFaults(faults),
        summary: planned.counts,
        removed: delta?.removed ?? deleted + updated,
        added: delta?.added ?? added + updated,
        partCount: delta?.partCount ?? 0,
        partsDigest: delta?.partsDigest ?? new Uint8Array(0),
        greatestId: planned.greatestId,
        diffSummary: diff.summary,
      },
    });
  } finally {
    connection.close();
  }
}

/** Most files are sorted already: an export is. */
function sortRecords({ records }: FileContent): void {
  for (let index = 1; index < records.length; index++) {
    if (compareRecords(records[index - 1]!, records[index]!) > 0) {
      records.sort(compareRecords);
      return;
    }
  }
}

/** Slices on the way at most: one is written while the next is made. */
const mostOnTheWay = 2;

async function handOver(slice: StageSlice): Promise<void> {
  const transfer: ArrayBufferLike[] = [];
  if (slice.blocks !== undefined) {
    const { firsts, records, ids } = slice.blocks;
    transfer.push(firsts.buffer, records.buffer, ids.buffer);
  }
  if (slice.places !== undefined) transfer.push(slice.places.owners.buffer);
  post({ kind: 'slice', slice }, transfer);
  onTheWay++;
  await fewerThan(mostOnTheWay);
}

/** Waits until so few slices are on the way. */
async function fewerThan(count: number): Promise<void> {
  while (onTheWay >= count) {
    await new Promise<void>((resolve) => {
      taken = resolve;
    });
  }
}

function sendDiff(): void {
  const piece = spool?.next();
  post({ kind: 'diff', piece }, piece === undefined ? [] : [piece.buffer]);
}

function fail(error: unknown): void {
  const code = error instanceof Problem ? error.code : undefined;
  post({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) });
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'read':
      read(message.job).catch(fail);
      break;
    case 'plan':
      plan(message.job).catch(fail);
      break;
    case 'taken':
      onTheWay--;
      taken?.();
      break;
    case 'diff':
      sendDiff();
      break;
  }
});
