/**
 * Creates very many records as if by one command, without holding anybody up: they are judged a few at a
 * time, staged in small commits that no reader sees, and published by one short command.
 *
 * What is published is the whole zone anew (projection/stage-store.ts), so this pays only where the new
 * records are a good part of it; few records for a large zone go in by one command.
 */
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { OctetWriter } from '../../base/octet-writer.ts';
import { assert, Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import { keyToBytes } from '../../dns/name.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import { redactDiff } from '../../domain/diff.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { CreateRecords, RecordOutcome } from '../../domain/command.ts';
import { parseNewRecord } from '../../domain/decide-records.ts';
import { requireVisible } from '../../domain/zone-change.ts';
import { type DiffEntry, diffNodes } from '../../domain/diff.ts';
import { checkChange } from '../../domain/node-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { deeperZones, type ZoneRecords } from '../../domain/target-state.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { OpenStage } from '../../engine/operation.ts';
import type { SubmitOptions } from '../../engine/submission.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { type StageSlice, spanOf } from '../../projection/stage-store.ts';
import { type BulkServices, holdStill } from './bulk-stage.ts';
import { FileTable } from './file-table.ts';
import { ownerGroups } from './owner-groups.ts';
import { addedTo, mergedRecords, StoredOwners } from './planned-records.ts';
import { StageWriter } from './stage-writer.ts';
import { StagedCreation } from './staged-creation.ts';

/** How many times the new records the records of the zone may be. */
const mostTimes = 4;
/** Milliseconds of work between two turns of the loop. */
const sliceMs = 4;
/** Places written in one commit. */
const placesPerSlice = 2000;

export class BulkCreation {
  readonly #services: BulkServices;
  readonly #file: string;

  constructor(services: BulkServices, file: string) {
    this.#services = services;
    this.#file = file;
  }

  async run(
    command: CreateRecords,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<RecordOutcome> {
    const { engine, zones } = this.#services;
    const { zoneName, records } = command;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    const isFew = records.length <= limits.commandRecords;
    if (isFew || zone.recordCount + zone.derivedCount > mostTimes * records.length) {
      return engine.submit(command, options);
    }
    const first = await this.#attempt(command, rights, options);
    if (first !== undefined) return first;
    const release = await holdStill(engine, zoneName);
    try {
      const second = await this.#attempt(command, rights, { ...options, isHolder: true });
      assert(second !== undefined, 'a zone whose changes wait does not move');
      return second;
    } finally {
      release();
    }
  }

  /** Plans and publishes once; undefined when the zone has moved in between. */
  async #attempt(
    { zoneName, records }: CreateRecords,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<RecordOutcome | undefined> {
    const { engine, zones } = this.#services;
    const zone = zones.byName(zoneName);
    requireVisible(rights, zone, zoneName);
    const parsed = await this.#parse(records, zone, rights);
    const stage = options.dryRun
      ? undefined
      : await engine.operate({ kind: 'open-stage', zoneId: zone.id, records: records.length });
    try {
      const { created, table } = await this.#make(parsed, stage);
      const planned = await this.#plan(zone, created, table, rights, stage);
      if (planned === undefined) return undefined;
      const { staged, entries, warnings } = planned;
      const outcome = await engine.submit(
        {
          kind: 'publish-records',
          zoneName,
          zoneId: zone.id,
          atSerial: zone.serial,
          ...(!rights.whole('record:create', zone.id) && { records: created.map(ownerAndType) }),
          staged: { number: stage?.number ?? 0, ...staged },
        },
        options,
      );
      if (outcome.moved) return undefined;
      const diff = { apex: apexOf(zone), entries };
      return { zone: outcome.zone, count: created.length, records: created, diff, warnings };
    } finally {
      // What was not published is gradually deleted.
      if (stage !== undefined) engine.endStage(stage.number);
    }
  }

  async #parse(
    inputs: CreateRecords['records'],
    zone: Zone,
    rights: Rights,
  ): Promise<ResourceRecord[]> {
    const target = { zone, apex: apexOf(zone), rights };
    const pace = new TurnPace();
    const parsed: ResourceRecord[] = [];
    for (let index = 0; index < inputs.length; index++) {
      parsed.push(parseNewRecord(inputs, index, target));
      if (pace.isOver()) await pace.next();
    }
    return parsed;
  }

  /** Gives the records their identities, and sorts them. */
  async #make(parsed: readonly ResourceRecord[], stage: OpenStage | undefined) {
    const createdAt = this.#services.clock();
    const created: ZoneRecord[] = [];
    const table = new FileTable();
    const pace = new TurnPace();
    for (const [line, { owner, type, ttl, rdata }] of parsed.entries()) {
      const id = stage === undefined ? 0 : stage.firstId + line;
      created.push({ id, owner, type, ttl, rdata, createdAt });
      table.add({ owner, type, ttl, rdata, line });
      if (pace.isOver()) await pace.next();
    }
    table.sort();
    return { created, table };
  }

  /** Judges and stages; undefined when a fault may come of the zone having moved meanwhile. */
  async #plan(
    zone: Zone,
    created: readonly ZoneRecord[],
    table: FileTable,
    rights: Rights,
    stage: OpenStage | undefined,
  ) {
    const apex = apexOf(zone);
    const entries: DiffEntry[] = [];
    const writer = stage && new StageWriter((slice) => this.#put(stage, slice));
    const pace = new TurnPace();
    let hasApexDname = false;
    const { zones } = this.#services;
    let warnings: readonly Warning[] = [];
    const connection = openReader(this.#file);
    try {
      const blocks = new BlockScan(connection);
      const isElsewhere = deeperZones({ zoneByName: (name) => zones.byName(name) }, apex, rights);
      const rules = new WarningRules({ apex, zoneId: zone.id, rights, isElsewhere });
      const creation = new StagedCreation(
        {
          apex,
          current: ownerGroups(blocks.ascending(zone.id, allOwners)),
          table,
        },
        created,
        writer,
        (owner, before, added) => {
          const after = [...before, ...added];
          checkChange(apex, owner, before, after);
          rules.node(owner, before, after);
          const diff = redactDiff(diffNodes(apex, [{ owner, before, after }]), rights, zone, added);
          entries.push(...diff.entries);
        },
      );
      while (!(await creation.step())) if (pace.isOver()) await pace.next();
      hasApexDname = creation.hasApexDname;
      const after = mergedRecords(new StoredOwners(blocks, zone.id), table, addedTo);
      warnings = await this.#lookUp(rules, after);
    } catch (error) {
      const isSame = zones.byName(zone.name)?.serial === zone.serial;
      if (!(error instanceof Problem) || isSame) throw error;
      return undefined;
    } finally {
      connection.close();
    }
    const none = { partCount: 0, partsDigest: Buffer.alloc(0), removed: 0, added: created.length };
    const delta = (await writer?.finish()) ?? none;
    if (stage !== undefined) await this.#putPlaces(stage, created);
    const greatestId = created.at(-1)!.id;
    return { staged: { ...delta, greatestId, hasApexDname }, entries, warnings };
  }

  /** What the rules find in the zone as it will be. */
  async #lookUp(rules: WarningRules, records: ZoneRecords): Promise<readonly Warning[]> {
    const pace = new TurnPace();
    const steps = rules.steps(records);
    while (true) {
      const { done, value } = steps.next();
      if (done === true) return printWarnings(value);
      if (pace.isOver()) await pace.next();
    }
  }

  #put(stage: OpenStage, slice: StageSlice): Promise<void> {
    return this.#services.engine.operate({ kind: 'put-slice', stage, slice });
  }

  /** The last one is on disk before anything is published. */
  async #putPlaces(stage: OpenStage, created: readonly ZoneRecord[]): Promise<void> {
    for (let start = 0; start < created.length; start += placesPerSlice) {
      const some = created.slice(start, start + placesPerSlice);
      const owners = new OctetWriter(64 * 1024);
      const spans: number[] = [];
      for (const { owner } of some) {
        spans.push(spanOf(owners.length, owner.length));
        owners.add(keyToBytes(owner));
      }
      const places = { firstId: some[0]!.id, spans: JSON.stringify(spans), owners: owners.take() };
      await this.#put(stage, { parts: [], blocks: undefined, places });
    }
    const log = await open(`${this.#file}-wal`);
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
  }
}

/** All that the writer asks the rights of a maker for. */
function ownerAndType({ owner, type }: ZoneRecord): Pick<ZoneRecord, 'owner' | 'type'> {
  return { owner, type };
}

/** Lets others have their turn whenever some milliseconds have passed. */
class TurnPace {
  #startedMs = monotonicMs();

  isOver(): boolean {
    return monotonicMs() - this.#startedMs > sliceMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#startedMs = monotonicMs();
  }
}
