/**
 * The job of one bulk insert: reads the records as they were written, plans them against the zone as it is
 * committed, and makes the text of the answer. It writes nothing; slices go to the engine.
 */
import type { Parts } from '../../base/jobs.ts';
import { OctetWriter } from '../../base/octet-writer.ts';
import { assert } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { PlainRecords } from '../../contract/plain-bulk.ts';
import { Rights, type RightsMessage } from '../../domain/access/rights.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { Connection } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { BlockScan } from '../../projection/block-scan.ts';
import { type StageSlice, spanOf } from '../../projection/stage-store.ts';
import { ZoneQueries } from '../../projection/zone-queries.ts';
import { BulkPlan } from './bulk-plan.ts';
import { bulkText } from './bulk-text.ts';
import { type FileTable, ShownRecord } from './file-table.ts';
import { addedTo, mergedRecords, scopeOfThread, StoredOwners } from './planned-records.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { readWritten } from './written-records.ts';

/** Records as they were written: a JSON array that was found plain (contract/plain-bulk.ts). */
export interface BulkReadJob {
  readonly records: PlainRecords;
  readonly zone: Zone;
}

export interface BulkPlanJob {
  /** As it is, and as the records are judged beside what it holds. */
  readonly zone: Zone;
  /** 0 in a dry run, which prepares nothing. */
  readonly firstId: number;
  /** Milliseconds since 1970: when the records are made. */
  readonly createdAt: number;
  readonly isPatch: boolean;
  /** What stands behind the priority of each record of the answer. */
  readonly tail: string;
  /** Of the caller, who is shown only what it may read. */
  readonly rights: RightsMessage;
}

export interface BulkReport {
  readonly partCount: number;
  readonly partsDigest: Uint8Array;
  readonly added: number;
  readonly warnings: readonly Warning[];
}

export class BulkJob {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #blocks: BlockScan;
  readonly #zones: ZoneQueries;
  #written: BulkReadJob | undefined;
  #table: FileTable | undefined;
  #text: Iterable<Uint8Array> = [];

  constructor(file: string) {
    this.#file = file;
    this.#connection = openReader(file);
    this.#blocks = new BlockScan(this.#connection);
    this.#zones = new ZoneQueries(this.#connection);
  }

  read(job: BulkReadJob): void {
    this.#read(job);
  }

  #read(job: BulkReadJob): FileTable {
    const { octets, count } = job.records;
    this.#written = job;
    const table = readWritten(Buffer.from(octets.buffer), count, job.zone);
    table.sort();
    this.#table = table;
    return table;
  }

  async plan(job: BulkPlanJob, slices: Parts<StageSlice>): Promise<BulkReport> {
    const { zone, firstId, createdAt, isPatch, tail } = job;
    const written = this.#written;
    const table = this.#table;
    assert(written !== undefined && table !== undefined, 'a plan comes after reading');
    // Records without a TTL have that of the zone, which may have changed since.
    const isSame = written.zone.defaultTtl === zone.defaultTtl;
    const records = isSame ? table : this.#read({ ...written, zone });
    const apex = apexOf(zone);
    const sender = new SliceSender(this.#file, slices);
    const writer = firstId === 0 ? undefined : new StageWriter((slice) => sender.send(slice));
    const scope = scopeOfThread(this.#zones, apex, zone.id, Rights.of(job.rights));
    const rules = new WarningRules(scope);
    const blocks = this.#blocks;
    const input = { apex, zoneId: zone.id, blocks, table: records, firstId, createdAt, isPatch };
    const planned = new BulkPlan({ ...input, rules }, writer);
    await planned.run();
    const delta = await writer?.finish();
    if (delta !== undefined) {
      await sendPlaces(records, firstId, sender);
      await sender.finish();
    }
    this.#text = bulkText({ apex, table: records, plan: planned, firstId, tail });
    const { partCount = 0, partsDigest = new Uint8Array(0), added = records.count } = delta ?? {};
    const after = mergedRecords(new StoredOwners(blocks, zone.id), records, addedTo);
    return { partCount, partsDigest, added, warnings: printWarnings(rules.report(after)) };
  }

  /** The text of the answer to what was planned. */
  async text(_: undefined, pieces: Parts<Uint8Array>): Promise<void> {
    for (const piece of this.#text) await pieces.send(piece, [piece.buffer]);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

/** Places written in one commit: some milliseconds. */
const placesPerSlice = 2000;

/** Where the new records stand: their ids follow each other in the order they were written in. */
async function sendPlaces(records: FileTable, firstId: number, sender: SliceSender): Promise<void> {
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
