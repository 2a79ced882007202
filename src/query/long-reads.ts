/** The reads that may take long, over any connection. Whoever calls keeps one state open meanwhile. */
import { inLists } from '../base/lists.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printZoneFile } from '../dns/zonefile/print.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { NodeVersion } from '../domain/command.ts';
import type { DiffEntry } from '../domain/diff.ts';
import { apexOf, noVersion, soaRdata, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { ActivityQueries } from './activity-queries.ts';
import { BlameQueries } from './blame-queries.ts';
import { BlockScan } from './block-scan.ts';
import { DriftQueries } from './drift-queries.ts';
import { EventDiffs } from './event-diff.ts';
import { type EventPage, EventQueries } from './event-queries.ts';
import type { EventFilter } from './event-reader.ts';
import { ExternalDnsQueries } from './external-dns-queries.ts';
import { HistoryQueries } from './history-queries.ts';
import { allOwners } from './key-range.ts';
import { LintQueries } from './lint-queries.ts';
import { RecordQueries } from './record-queries.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { listThen } from './records-then.ts';
import { ReplacedAnswers } from './replaced-answers.ts';
import { type RollbackTarget, rollbackNodes } from './rollback-target.ts';
import { SearchQueries } from './search-queries.ts';
import { scanSignatures } from './signature-scan.ts';
import { pageOfVersion, type WantedPart } from './version-page.ts';
import { VersionQueries } from './version-queries.ts';
import { deletionOf, ZoneEvents } from './zone-events.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Nodes of one part of a stream. */
const nodesPerPart = 500;

/** What a zone becomes by a rollback, where that differs from now. */
export interface RollbackNodes {
  /** The serial of now. */
  readonly atSerial: number;
  /** Undefined when they hold more than `max` records, then or now. */
  readonly nodes: readonly NodeVersion[] | undefined;
  readonly conflicts: readonly DiffEntry[];
}

type LongReads = ReturnType<typeof longReads>;

/** Reads that have one answer. */
export type Reads = LongReads['reads'];

/** Reads that have many parts, all of one state. */
export type Streams = LongReads['streams'];

export type PartOf<Name extends keyof Streams> =
  ReturnType<Streams[Name]> extends Iterable<infer Part> ? Part : never;

/** Where the rights of a caller count, they come first. */
export function longReads(connection: Connection) {
  const records = new RecordQueries(connection);
  const versions = new VersionQueries(connection);
  const history = new HistoryQueries(connection);
  const events = new EventQueries(connection, history);
  const eventDiffs = new EventDiffs(connection);
  const blame = new BlameQueries(connection, versions);
  const zones = new ZoneQueries(connection);
  const lint = new LintQueries(connection);
  const drift = new DriftQueries(connection);
  const search = new SearchQueries(connection, versions);
  const zoneEvents = new ZoneEvents(connection);
  const signing = new SigningQueries(connection);
  const activity = new ActivityQueries(connection);
  const blocks = new BlockScan(connection, 'ever');
  const externalDns = new ExternalDnsQueries(connection);
  const replaced = new ReplacedAnswers(connection, versions);
  return {
    records,
    versions,
    externalDns,
    reads: {
      listRecords: records.list.bind(records),
      recordsThen: listThen.bind(null, versions),
      versionList: versions.list.bind(versions),
      versionPage: pageOfVersion.bind(null, versions),
      history: history.list.bind(history),
      blame: blame.page.bind(blame),
      events: (rights: Rights, filter: EventFilter, page: EventPage) =>
        events.page(events.reader(rights, filter), page),
      event: events.get.bind(events),
      eventPart(rights: Rights, seq: number, part: WantedPart) {
        const event = events.get(rights, seq);
        return event && eventDiffs.page(rights, event, part);
      },
      lint: lint.page.bind(lint),
      lintCounts: lint.count.bind(lint),
      drift: drift.of.bind(drift),
      search: search.page.bind(search),
      activity: activity.of.bind(activity),
      replacedAnswers: replaced.since.bind(replaced),
      deletions: (zoneIds: readonly number[]) =>
        zoneIds.map((id) => deletionOf(zoneEvents, id, signing.of(id))),
      recordEver: history.recordEver.bind(history),
      rollbackNodes: readRollbackNodes.bind(null, { zones, versions }),
      signatures: scanSignatures.bind(null, connection),
      externalDomains: externalDns.domains.bind(externalDns),
    },
    streams: {
      versionText: versions.text.bind(versions),
      changedNodes: (...asked: Parameters<VersionQueries['changedNodes']>) =>
        inLists(versions.changedNodes(...asked), nodesPerPart),
      exportText: exportText.bind(null, { blocks, versions, zones }),
      externalRecords: externalDns.records.bind(externalDns),
    },
  };
}

interface Exported {
  readonly blocks: BlockScan;
  readonly versions: VersionQueries;
  readonly zones: ZoneQueries;
}

/** A zone as a master file, now or at a serial. It may have changed since `zone` was read. */
function* exportText(
  { blocks, versions, zones }: Exported,
  zone: Zone,
  serial: number | undefined,
  signed: boolean,
): Generator<string> {
  const current = zones.byId(zone.id);
  const wanted = serial ?? (current ?? zone).serial;
  const isNow = wanted === current?.serial;
  const settings = isNow ? current : versions.get(zone, wanted)?.settings;
  // It was forgotten since it was asked for. An empty file would be taken for the zone.
  if (settings === undefined) throw noVersion(zone, wanted);
  const head = {
    apex: apexOf(zone),
    serial: settings.serial,
    defaultTtl: settings.defaultTtl,
    soa: soaRdata(settings),
  };
  const records = isNow ? packed(blocks, zone) : then(versions.records(zone, wanted));
  if (!signed) yield* printZoneFile(head, records);
  else {
    const dnssec = isNow ? packed(blocks, zone) : then(versions.dnssecRecords(zone, wanted));
    yield* printZoneFile(head, records, dnssec);
  }
}

function* packed(blocks: BlockScan, zone: Zone): Generator<Buffer> {
  for (const block of blocks.ascending(zone.id, allOwners)) yield block.records;
}

function* then(batches: Iterable<readonly ResourceRecord[]>): Generator<ResourceRecord> {
  for (const batch of batches) yield* batch;
}

function readRollbackNodes(
  { zones, versions }: { readonly zones: ZoneQueries; readonly versions: VersionQueries },
  zone: Zone,
  target: RollbackTarget,
  max: number,
): RollbackNodes | undefined {
  const now = zones.byId(zone.id);
  if (now === undefined || versions.get(now, target.serial) === undefined) return undefined;
  const nodes: NodeVersion[] = [];
  const conflicts: DiffEntry[] = [];
  let records = 0;
  for (const { owner, before, after, conflicts: found } of rollbackNodes(versions, now, target)) {
    records += before.length + after.length;
    if (records > max) return { atSerial: now.serial, nodes: undefined, conflicts: [] };
    nodes.push({ owner, records: before });
    conflicts.push(...found);
  }
  return { atSerial: now.serial, nodes, conflicts };
}
