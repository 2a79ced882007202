/**
 * The job of one bulk insert: reads the records as they were written, plans them against the zone as it is
 * committed, and makes the text of the answer. It writes nothing; slices go to the writer.
 */
import type { Parts } from '../../base/jobs.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { assert } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { ScannedRecords } from '../../contract/scanned-bulk.ts';
import { Rights, type RightsMessage } from '../../domain/access/rights.ts';
import type { CommandOf, FileRecord } from '../../domain/command.ts';
import type { RecordInput } from '../../domain/record.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { Connection } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { blockCutOf } from '../../projection/block-cut.ts';
import { type StageSlice, spanOf } from '../../projection/stage-store.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { StoredOwners } from '../../query/stored-owners.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { BulkPlan } from './bulk-plan.ts';
import { bulkText } from './bulk-text.ts';
import { type FileTable, PresentedRecord } from './file-table.ts';
import { addedTo, mergedRecords, rolledInThread, scopeOfThread } from './planned-records.ts';
import type { StageReport } from './protocol.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { readInputs, readRecords } from './read-records.ts';

export interface BulkReadJob {
  /** As they were written: a JSON array that was found plain (contract/scanned-bulk.ts). Else they were sent before. */
  readonly records: ScannedRecords | undefined;
  readonly zone: Zone;
  /** Of the caller, who gets only what it may read. */
  readonly rights: RightsMessage;
}

export interface BulkPlanJob {
  /** As it is, and as the records are judged beside what it holds. */
  readonly zone: Zone;
  /** 0 in a dry run, which prepares nothing. */
  readonly firstId: number;
  /** Milliseconds since 1970: when the records are made. */
  readonly createdAt: number;
  readonly isPatch: boolean;
}

export interface BulkReport extends StageReport {
  readonly warnings: readonly Warning[];
  /** All of them, when their maker is not one who may create any. */
  readonly records?: CommandOf<'publish-records'>['records'];
}

export class BulkJob {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #blocks: BlockScan;
  readonly #zones: ZoneQueries;
  readonly #inputs: RecordInput[] = [];
  /** What was asked for, and its records in order. */
  #read: { readonly job: BulkReadJob; readonly table: FileTable } | undefined;
  #text: Iterable<Uint8Array> = [];

  constructor(file: string) {
    this.#file = file;
    this.#connection = openReader(file);
    this.#blocks = new BlockScan(this.#connection);
    this.#zones = new ZoneQueries(this.#connection);
  }

  /** Some of the records, unless they are plain. */
  add(inputs: readonly RecordInput[]): void {
    for (const input of inputs) this.#inputs.push(input);
  }

  read(job: BulkReadJob): void {
    this.#readTable(job);
  }

  #readTable(job: BulkReadJob): FileTable {
    const { records, zone } = job;
    const target = { zone, apex: apexOf(zone), rights: Rights.of(job.rights) };
    const table =
      records === undefined
        ? readInputs(this.#inputs, target)
        : readRecords(Buffer.from(records.bytes.buffer), records.count, target);
    table.sort();
    this.#read = { job, table };
    return table;
  }

  async plan(job: BulkPlanJob, slices: Parts<StageSlice>): Promise<BulkReport> {
    const { zone, firstId } = job;
    assert(this.#read !== undefined, 'a plan comes after reading');
    const { job: asked, table } = this.#read;
    // Records without a TTL have that of the zone, which may have changed since.
    const isSame = asked.zone.defaultTtl === zone.defaultTtl;
    const records = isSame ? table : this.#readTable({ ...asked, zone });
    const rights = Rights.of(asked.rights);
    const sender = new SliceSender(this.#file, slices);
    const writer =
      firstId === 0
        ? undefined
        : new StageWriter(blockCutOf(this.#connection), (slice) => sender.send(slice));
    const scope = scopeOfThread(this.#zones, apexOf(zone), zone.id, rights);
    const rules = new WarningRules(scope, rolledInThread(this.#connection, zone));
    const blocks = this.#blocks;
    const planned = new BulkPlan({ ...job, rights, rules, blocks, table: records }, writer);
    await planned.run();
    const { partCount = 0, partsDigest = new Uint8Array(0) } = (await writer?.finish()) ?? {};
    if (writer !== undefined) {
      await sendLocations(records, firstId, sender);
      await sender.finish();
    }
    this.#text = bulkText({ zone, rights, table: records, plan: planned, firstId });
    const after = mergedRecords(new StoredOwners(blocks, zone.id), records, addedTo);
    const warnings = printWarnings(rules.report(after));
    const { counts, hasApexDname, longOwners, deletions } = planned.walk;
    const stageCounts = { ...counts, partCount, partsDigest, hasApexDname, longOwners };
    const report = { ...stageCounts, deletions: deletions.value, warnings };
    const isAny = rights.whole('record:create', zone.id);
    return isAny ? report : { ...report, records: [...records.records()].map(ownerAndType) };
  }

  /** The text of the answer to what was planned, without its head. */
  async text(_: undefined, pieces: Parts<Uint8Array>): Promise<void> {
    for (const piece of this.#text) await pieces.send(piece, [piece.buffer]);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

/** All that the rights of a maker are asked for. */
function ownerAndType({ owner, type }: FileRecord): Pick<FileRecord, 'owner' | 'type'> {
  return { owner, type };
}

/** Locations written in one commit: some milliseconds. */
const locationsPerSlice = 2000;

/** Where the new records stand: their ids follow each other in the order they were written in. */
async function sendLocations(
  records: FileTable,
  firstId: number,
  sender: SliceSender,
): Promise<void> {
  const presented = new PresentedRecord();
  const owners = new ByteWriter(64 * 1024);
  for (let start = 0; start < records.count; start += locationsPerSlice) {
    const end = Math.min(records.count, start + locationsPerSlice);
    const spans: number[] = [];
    for (let number = start; number < end; number++) {
      records.showNumber(number, presented);
      const { bytes, keyStart, keyEnd } = presented;
      spans.push(spanOf(owners.length, keyEnd - keyStart));
      owners.addShort(bytes, keyStart, keyEnd);
    }
    const locations = {
      firstId: firstId + start,
      spans: JSON.stringify(spans),
      owners: owners.take(),
    };
    await sender.send({ parts: [], blocks: undefined, locations });
  }
}
