/**
 * The thread of bulk inserts, one after the other: reads the records as they were written, plans them against
 * the zone as it is committed, and makes the text of the answer. It writes nothing; slices go to the engine.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../../base/gentle-thread.ts';
import { OctetWriter } from '../../base/octet-writer.ts';
import { assert } from '../../base/problem.ts';
import { failureOf } from '../../base/thread-failure.ts';
import { Rights } from '../../domain/access/rights.ts';
import type { FileRecord } from '../../domain/command.ts';
import type { RecordInput } from '../../domain/record.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import { apexOf } from '../../domain/zone.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { spanOf } from '../../projection/stage-store.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { BulkPlan } from './bulk-plan.ts';
import type { BulkPlanJob, BulkReadJob, FromBulkThread, ToBulkThread } from './bulk-protocol.ts';
import { bulkText } from './bulk-text.ts';
import { type FileTable, ShownRecord } from './file-table.ts';
import { addedTo, mergedRecords, scopeOfThread, StoredOwners } from './planned-records.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { readInputs, readWritten } from './written-records.ts';

const { file: databaseFile } = workerData as { file: string };
const port = parentPort;
assert(port !== null, 'this file is the code of a thread');
giveWayToOthers();

const connection = openReader(databaseFile);
const blocks = new BlockScan(connection);
const zones = new ZoneQueries(connection);

/** What is known of the insert that the thread works for. */
interface Insert {
  readonly inputs: RecordInput[];
  /** What was asked for, and its records in order. */
  readonly read?: { readonly job: BulkReadJob; readonly table: FileTable };
  /** The rest of the answer. */
  readonly text?: Iterator<Uint8Array>;
}

let insert: Insert = { inputs: [] };
const sender = new SliceSender(databaseFile, (slice, transfer) =>
  post({ kind: 'slice', slice }, transfer),
);

function post(message: FromBulkThread, transfer: ArrayBufferLike[] = []): void {
  port!.postMessage(message, transfer as ArrayBuffer[]);
}

function read(job: BulkReadJob): FileTable {
  const { records, zone } = job;
  const target = { zone, apex: apexOf(zone), rights: Rights.of(job.rights) };
  const table =
    records === undefined
      ? readInputs(insert.inputs, target)
      : readWritten(Buffer.from(records.octets.buffer), records.count, target);
  table.sort();
  insert = { ...insert, read: { job, table } };
  return table;
}

async function plan(job: BulkPlanJob): Promise<void> {
  const { zone, firstId } = job;
  assert(insert.read !== undefined, 'a plan comes after reading');
  const { job: asked, table } = insert.read;
  // Records without a TTL have that of the zone, which may have changed since.
  const isSame = asked.zone.defaultTtl === zone.defaultTtl;
  const records = isSame ? table : read({ ...asked, zone });
  const rights = Rights.of(asked.rights);
  const writer = firstId === 0 ? undefined : new StageWriter((slice) => sender.send(slice));
  const rules = new WarningRules(scopeOfThread(zones, apexOf(zone), zone.id, rights));
  const planned = new BulkPlan({ ...job, rights, rules, blocks, table: records }, writer);
  await planned.run();
  const { partCount = 0, partsDigest = new Uint8Array(0) } = (await writer?.finish()) ?? {};
  if (writer !== undefined) {
    await sendPlaces(records, firstId);
    await sender.finish();
  }
  const text = bulkText({ zone, rights, table: records, plan: planned, firstId });
  insert = { ...insert, text };
  const after = mergedRecords(new StoredOwners(blocks, zone.id), records, addedTo);
  const warnings = printWarnings(rules.report(after));
  const { counts, hasApexDname } = planned.walk;
  const report = { ...counts, partCount, partsDigest, hasApexDname, warnings };
  const isAny = rights.whole('record:create', zone.id);
  post({
    kind: 'planned',
    report: isAny ? report : { ...report, records: [...records.records()].map(ownerAndType) },
  });
}

/** All that the rights of a maker are asked for. */
function ownerAndType({ owner, type }: FileRecord): Pick<FileRecord, 'owner' | 'type'> {
  return { owner, type };
}

/** Places written in one commit: some milliseconds. */
const placesPerSlice = 2000;

/** Where the new records stand: their ids follow each other in the order they were written in. */
async function sendPlaces(records: FileTable, firstId: number): Promise<void> {
  const shown = new ShownRecord();
  const owners = new OctetWriter(64 * 1024);
  for (let start = 0; start < records.count; start += placesPerSlice) {
    const end = Math.min(records.count, start + placesPerSlice);
    const spans: number[] = [];
    for (let number = start; number < end; number++) {
      records.showNumber(number, shown);
      const { octets, keyStart, keyEnd } = shown;
      spans.push(spanOf(owners.length, keyEnd - keyStart));
      owners.addShort(octets, keyStart, keyEnd);
    }
    const places = {
      firstId: firstId + start,
      spans: JSON.stringify(spans),
      owners: owners.take(),
    };
    await sender.send({ parts: [], blocks: undefined, places });
  }
}

function sendText(): void {
  const next = insert.text?.next();
  const piece = next === undefined || next.done === true ? undefined : next.value;
  post({ kind: 'text', piece }, piece === undefined ? [] : [piece.buffer]);
}

function fail(error: unknown): void {
  post({ kind: 'failed', ...failureOf(error) });
}

function receive(message: ToBulkThread): void {
  switch (message.kind) {
    case 'inputs':
      for (const input of message.inputs) insert.inputs.push(input);
      break;
    case 'read':
      read(message.job);
      post({ kind: 'read' });
      break;
    case 'plan':
      plan(message.job).catch(fail);
      break;
    case 'taken':
      sender.taken();
      break;
    case 'text':
      sendText();
      break;
    case 'rest':
      insert = { inputs: [] };
      break;
  }
}

port.on('message', (message: ToBulkThread) => {
  try {
    receive(message);
  } catch (error) {
    fail(error);
  }
});
