/**
 * The job of one import: reads a file or a transfer, and plans what is too large for one command against the zone as
 * it is committed. Large rollbacks are planned here too. It writes nothing; slices go to the writer.
 */
import type { Parts } from '../../base/jobs.ts';
import { assert } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import { emptyName, type NameKey, parseAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { fullRights, Rights } from '../../domain/access/rights.ts';
import type { FileRecord } from '../../domain/command.ts';
import type { KnowsOwner } from '../../domain/dname-rules.ts';
import { importNode, printNodeErrors } from '../../domain/file-node.ts';
import { errorsOfSoa } from '../../domain/imported-zone.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { holds } from '../../domain/target-state.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import { apexOf } from '../../domain/zone.ts';
import type { Connection } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { blockCutOf } from '../../projection/block-cut.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { type ReadablePart, ReadableRecords } from '../../query/record-scope.ts';
import { StoredOwners } from '../../query/stored-owners.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { compare } from './compare.ts';
import { DiffSpool } from './diff-spool.ts';
import { type ReadFile, fileReadOf, importedZoneIn, readSource, readServer } from './read-file.ts';
import { ImportPlan } from './import-plan.ts';
import { mergedRecords, rolledInThread, scopeOfThread } from './planned-records.ts';
import type {
  CompareJob,
  CompareReport,
  FileRead,
  PlanJob,
  PlanReport,
  ReadJob,
  RollbackJob,
  RollbackReport,
  StageReport,
} from './protocol.ts';
import { planRollback } from './rollback-plan.ts';
import { SliceSender } from './slice-sender.ts';
import { StageWriter } from './stage-writer.ts';
import { ownerGroups, type ZoneWalk } from './zone-walk.ts';

const noChanges = { added: 0, changed: 0, removed: 0 };
/** For who reads all of a zone. */
const allRecords = new ReadableRecords(fullRights).in(0);

export class ImportJob {
  readonly #databaseFile: string;
  readonly #folder: string;
  #job: Omit<ReadJob, 'source'> | undefined;
  #file: ReadFile | undefined;
  #spool: DiffSpool | undefined;

  /** `folder`: where large diffs are kept until they are sent. */
  constructor(databaseFile: string, folder: string) {
    this.#databaseFile = databaseFile;
    this.#folder = folder;
  }

  /** Reads the whole file; the records come back when they are few enough for one command. */
  async read(asked: ReadJob, parts: Parts<'one more share'>): Promise<FileRead> {
    const { source, ...job } = asked;
    this.#job = job;
    const apex = parseAbsoluteName(asked.zoneName);
    const read =
      source.kind === 'content'
        ? readSource(source.text, { apex, ...asked })
        : await readServer(source, { apex, ...asked }, () => parts.send('one more share'));
    this.#file = read;
    // A large file is not needed any more, and planning takes as much memory again.
    if (source.kind === 'content' && typeof source.text !== 'string') {
      (source.text.buffer as ArrayBuffer).transfer(0);
    }
    return fileReadOf(read, asked.smallRecords);
  }

  async plan(
    { zoneId, isNew, overrides, firstId, now, dryRun, ...asked }: PlanJob,
    slices: Parts<StageSlice>,
  ): Promise<PlanReport> {
    const job = this.#job;
    const read = this.#file;
    assert(job !== undefined && read !== undefined, 'a plan comes after reading');
    const { zoneName, mode } = job;
    const rights = Rights.of(asked.rights);
    const apex = parseAbsoluteName(zoneName);
    read.records.sort();
    const diff = this.#newSpool(new ReadableRecords(rights).in(zoneId));
    const settings = isNew ? importedZoneIn(read) : undefined;
    const connection = openReader(this.#databaseFile);
    try {
      const sender = new SliceSender(this.#databaseFile, slices);
      const zone = isNew ? undefined : new ZoneQueries(connection).byId(zoneId);
      // It may have been another one when the file was read.
      read.records.setFirstTtls(read.withoutTtl, zone?.defaultTtl ?? job.defaultTtl);
      const blocks = isNew ? [] : new BlockScan(connection).ascending(zoneId, allOwners);
      const writer = dryRun
        ? undefined
        : new StageWriter(blockCutOf(connection), (slice) => sender.send(slice));
      const scope = scopeOfThread(new ZoneQueries(connection), apex, zoneId, rights);
      // Of a zone that was not there all is of the caller's making.
      const rules =
        zone === undefined
          ? new WarningRules({ ...scope, rights: fullRights })
          : new WarningRules(scope, rolledInThread(connection, zone));
      if (mode === 'replace') rules.wholeZone();
      const file = read.records;
      const reads: KnowsOwner = (...asked) => rights.onRecord('record:read', zoneId, ...asked);
      const input = { apex, mode, current: ownerGroups(blocks), file, firstId, now, guarded: zone };
      const planned = new ImportPlan({ ...input, writer, rules, diff, reads });
      await planned.run();
      // What the domain rules would refuse at the end is reported together with the faults of the records.
      const ofSoa = settings === undefined ? [] : errorsOfSoa(settings, overrides);
      const nodeErrors = [...ofSoa, ...planned.nodeErrors];
      const target = { zoneId, isNew, rights, connection };
      return {
        atSerial: zone?.serial ?? null,
        errors: printNodeErrors(nodeErrors),
        warnings: nodeErrors.length > 0 ? [] : warningsOfImport(rules, job, read, target),
        summary: planned.summary,
        ...(await staged(sender, writer, planned.walk)),
        greatestId: planned.greatestId,
        diffSummary: diff.summary,
      };
    } finally {
      connection.close();
    }
  }

  async rollBack(asked: RollbackJob, slices: Parts<StageSlice>): Promise<RollbackReport> {
    const connection = openReader(this.#databaseFile);
    try {
      const sender = new SliceSender(this.#databaseFile, slices);
      connection.exec('BEGIN');
      const writer = asked.dryRun
        ? undefined
        : new StageWriter(blockCutOf(connection), (slice) => sender.send(slice));
      const diff = asked.dryRun ? this.#newSpool(allRecords) : undefined;
      const { walk, ...planned } = await planRollback(connection, asked, { writer, diff });
      const diffSummary = diff?.summary ?? noChanges;
      return { ...planned, ...(await staged(sender, writer, walk)), diffSummary };
    } finally {
      connection.close();
    }
  }

  compare(asked: CompareJob): CompareReport {
    const { from, file } = asked;
    const { zone } = from;
    const types = { skipUnsupported: true, readsOlder: true };
    const options = { apex: apexOf(zone), defaultTtl: zone.defaultTtl, ...types };
    const read = file === undefined ? undefined : readSource(file, options);
    if (read !== undefined && read.errors.length > 0) {
      return { errors: read.errors, summary: noChanges, next: null };
    }
    const spool = this.#newSpool(allRecords);
    const connection = openReader(this.#databaseFile);
    try {
      return connection.transaction(() => compare(connection, asked, read?.records, spool))();
    } finally {
      connection.close();
    }
  }

  /** For the entries of a new plan, in place of those of the last one. */
  #newSpool(readable: ReadablePart): DiffSpool {
    this.#spool?.close();
    this.#spool = new DiffSpool(this.#folder, readable);
    return this.#spool;
  }

  /** The text of the entries of the last plan. */
  async diff(_: undefined, pieces: Parts<Uint8Array>): Promise<void> {
    // It is the last call, and the import does not count any more among those that are held in memory.
    this.#file = undefined;
    for (let piece = this.#spool?.next(); piece !== undefined; piece = this.#spool?.next()) {
      await pieces.send(piece, [piece.buffer]);
    }
  }

  [Symbol.dispose](): void {
    this.#spool?.close();
  }
}

/** What a stage has come to, all of it on the disk. */
async function staged(
  sender: SliceSender,
  writer: StageWriter | undefined,
  walk: Pick<ZoneWalk, 'counts' | 'hasApexDname' | 'longOwners' | 'deletions'>,
): Promise<StageReport> {
  const { partCount = 0, partsDigest = new Uint8Array(0) } = (await writer?.finish()) ?? {};
  await sender.finish();
  const { counts, hasApexDname, longOwners } = walk;
  const deletions = walk.deletions.value;
  return { ...counts, partCount, partsDigest, hasApexDname, longOwners, deletions };
}

/** Of what the file leads to, in the zone as it will be. */
function warningsOfImport(
  rules: WarningRules,
  { zoneName, mode }: Pick<ReadJob, 'zoneName' | 'mode'>,
  read: ReadFile,
  target: Pick<PlanJob, 'zoneId' | 'isNew'> & { rights: Rights; connection: Connection },
): readonly Warning[] {
  const { zoneId, isNew, rights, connection } = target;
  const apex = parseAbsoluteName(zoneName);
  const isWhole = isNew || mode === 'replace';
  const stored = isWhole ? undefined : new StoredOwners(new BlockScan(connection), zoneId);
  const merge = (owner: NameKey, current: readonly ZoneRecord[], file: readonly FileRecord[]) =>
    importNode(mode, { apex, owner, current, file }, (record) => {
      return { ...record, id: 0, createdAt: 0 };
    }).after;
  const records = mergedRecords(stored, read.records, merge);
  // Who replaces all records knows them, whether or not it may read any.
  const knowsNs = isWhole || rights.onRecord('record:read', zoneId, emptyName, rrtype.NS);
  if (knowsNs && !holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
  return printWarnings(rules.report(records));
}
