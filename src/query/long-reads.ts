/** The reads that may take long, over any connection. Whoever calls keeps one state open meanwhile. */

import type { ResourceRecord } from '../dns/record.ts';
import { printZoneFile } from '../dns/zonefile/print.ts';
import { Rights, type RightsMessage } from '../domain/access/rights.ts';
import type { NodeVersion } from '../domain/command.ts';
import type { DiffEntry } from '../domain/diff.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { type ActivityBucket, ActivityQueries, type ActivityRange } from './activity-queries.ts';
import { type Blame, type BlameFilter, type BlamePage, BlameQueries } from './blame-queries.ts';
import { BlockScan } from './block-scan.ts';
import { ExternalDnsQueries } from './external-dns-queries.ts';
import { EventDiffs, type EventPart } from './event-diff.ts';
import { type EventPage, EventQueries, type SeenEvents } from './event-queries.ts';
import type { EventFilter, SeenEvent } from './event-reader.ts';
import {
  type EverRecord,
  type HistoryEntry,
  type HistoryFilter,
  HistoryQueries,
} from './history-queries.ts';
import { type Drift, DriftQueries } from './drift-queries.ts';
import { allOwners, type KeyRange } from './key-range.ts';
import { type LintCounts, type LintPage, type LintPosition, LintQueries } from './lint-queries.ts';
import type { Listed, Page } from '../projection/page.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { listThen } from './records-then.ts';
import {
  type FoundRecord,
  type RecordFilter,
  RecordQueries,
  type RecordSort,
} from './record-queries.ts';
import {
  type IndexReach,
  type SearchPage,
  type SearchPosition,
  SearchQueries,
  type SearchQuestion,
} from './search-queries.ts';
import { scanSignatures, type SignatureFacts, type SignatureQuestion } from './signature-scan.ts';
import {
  type ChangedNode,
  type VersionFilter,
  VersionQueries,
  type ZoneVersion,
} from './version-queries.ts';
import { pageOfVersion, type VersionPage, type WantedPart } from './version-page.ts';
import { type RollbackTarget, rollbackNodes } from './rollback-target.ts';
import { type Deletion, deletionOf, ZoneEvents } from './zone-events.ts';
import { ZoneQueries } from './zone-queries.ts';

/** Nodes of one part of a stream. */
const nodesPerPart = 500;

/** Reads that have one answer. */
export interface Reads {
  listRecords(
    rights: RightsMessage,
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<FoundRecord>;
  recordsThen(
    rights: RightsMessage,
    then: { readonly zone: Zone; readonly serial: number },
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<ZoneRecord>;
  versionList(zone: Zone, filter: VersionFilter, page: Page): Listed<ZoneVersion>;
  versionPage(zone: Zone, serial: number, part: WantedPart): VersionPage;
  history(
    rights: RightsMessage,
    zone: Zone,
    filter: HistoryFilter,
    page: Page,
  ): Listed<HistoryEntry>;
  blame(
    rights: RightsMessage,
    then: { readonly zone: Zone; readonly serial: number },
    filter: BlameFilter,
    page: BlamePage,
  ): Blame;
  events(rights: RightsMessage, filter: EventFilter, page: EventPage): SeenEvents;
  event(rights: RightsMessage, seq: number): SeenEvent | undefined;
  eventPart(rights: RightsMessage, seq: number, part: WantedPart): EventPart | undefined;
  lint(rights: RightsMessage, zone: Zone, after: LintPosition | null, limit: number): LintPage;
  lintCounts(from: LintCounts['next']): LintCounts;
  drift(rights: RightsMessage, zone: Zone, team: string): Drift;
  search(
    rights: RightsMessage,
    question: SearchQuestion,
    limit: number,
    after: SearchPosition | null,
  ): SearchPage & IndexReach;
  activity(zoneId: number, range: ActivityRange): readonly ActivityBucket[];
  deletions(zoneIds: readonly number[]): readonly Deletion[];
  recordEver(rights: RightsMessage, id: number): EverRecord | undefined;
  rollbackNodes(zone: Zone, target: RollbackTarget, most: number): RollbackNodes | undefined;
  signatures(zoneId: number, question: SignatureQuestion): SignatureFacts;
  externalDomains(rights: RightsMessage): readonly string[];
}

/** What a zone becomes by a rollback, where that differs from now. */
export interface RollbackNodes {
  /** The serial of now. */
  readonly atSerial: number;
  /** Undefined when they hold more than `most` records, then or now. */
  readonly nodes: readonly NodeVersion[] | undefined;
  readonly conflicts: readonly DiffEntry[];
}

/** Reads that have many parts, all of one state. */
export interface Streams {
  versionText(zone: Zone, serial: number): Iterable<Uint8Array>;
  changedNodes(
    zone: Zone,
    from: number,
    to: number,
    within: KeyRange,
  ): Iterable<readonly ChangedNode[]>;
  rollbackNodes(zone: Zone, target: RollbackTarget): Iterable<readonly ChangedNode[]>;
  exportText(zone: Zone, serial: number | undefined, signed: boolean): Iterable<string>;
  externalRecords(rights: RightsMessage): Iterable<readonly StoredExternalRecord[]>;
}

export type PartOf<Name extends keyof Streams> =
  ReturnType<Streams[Name]> extends Iterable<infer Part> ? Part : never;

export interface LongReads {
  readonly records: RecordQueries;
  readonly versions: VersionQueries;
  readonly externalDns: ExternalDnsQueries;
  readonly reads: Reads;
  readonly streams: Streams;
}

export function longReads(connection: Connection): LongReads {
  const records = new RecordQueries(connection);
  const versions = new VersionQueries(connection);
  const history = new HistoryQueries(connection);
  const events = new EventQueries(connection, history);
  const eventDiffs = new EventDiffs(connection, versions);
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
  return {
    records,
    versions,
    externalDns,
    reads: {
      listRecords: (rights, filter, sort, page) =>
        records.list(Rights.of(rights), filter, sort, page),
      recordsThen: (rights, ...asked) => listThen(versions, Rights.of(rights), ...asked),
      versionList: (...asked) => versions.list(...asked),
      versionPage: (...asked) => pageOfVersion(versions, ...asked),
      history: (rights, zone, filter, page) => history.list(Rights.of(rights), zone, filter, page),
      blame: (rights, then, filter, page) => blame.page(Rights.of(rights), then, filter, page),
      events: (rights, filter, page) => events.page(events.reader(Rights.of(rights), filter), page),
      event: (rights, seq) => events.get(Rights.of(rights), seq),
      eventPart: (message, seq, part) => {
        const rights = Rights.of(message);
        const event = events.get(rights, seq);
        return event && eventDiffs.page(rights, event, part);
      },
      lint: (rights, zone, after, limit) => lint.page(Rights.of(rights), zone, after, limit),
      lintCounts: (from) => lint.count(from),
      drift: (rights, zone, team) => drift.of(Rights.of(rights), zone, team),
      search: (rights, ...asked) => search.page(Rights.of(rights), ...asked),
      activity: (zoneId, range) => activity.of(zoneId, range),
      deletions: (zoneIds) => zoneIds.map((id) => deletionOf(zoneEvents, id, signing.of(id))),
      recordEver: (rights, id) => history.recordEver(Rights.of(rights), id),
      rollbackNodes: (zone, target, most) =>
        readRollbackNodes({ zones, versions }, zone, target, most),
      signatures: (zoneId, question) => scanSignatures(connection, zoneId, question),
      externalDomains: (rights) => externalDns.domains(Rights.of(rights)),
    },
    streams: {
      versionText: (zone, serial) => versions.text(zone, serial),
      changedNodes: (...asked) => inParts(versions.changedNodes(...asked)),
      rollbackNodes: (zone, target) => inParts(rollbackNodes(versions, zone, target)),
      exportText: (...asked) => exportText({ blocks, versions }, ...asked),
      externalRecords: (rights) => externalDns.records(Rights.of(rights)),
    },
  };
}

interface Exported {
  readonly blocks: BlockScan;
  readonly versions: VersionQueries;
}

/** A zone as a master file, now or at a serial. */
function* exportText(
  { blocks, versions }: Exported,
  zone: Zone,
  serial: number | undefined,
  signed: boolean,
): Generator<string> {
  const settings = serial === undefined ? zone : versions.get(zone, serial)?.settings;
  if (settings === undefined) return;
  const head = {
    apex: apexOf(zone),
    serial: settings.serial,
    defaultTtl: settings.defaultTtl,
    soa: soaRdata(settings),
  };
  const isNow = serial === undefined || serial === zone.serial;
  const records = isNow ? packed(blocks, zone) : then(versions.records(zone, serial));
  if (!signed) yield* printZoneFile(head, records);
  else {
    const derived = isNow ? packed(blocks, zone) : then(versions.derivedRecords(zone, serial));
    yield* printZoneFile(head, records, derived);
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
  most: number,
): RollbackNodes | undefined {
  const now = zones.byId(zone.id);
  if (now === undefined || versions.get(now, target.serial) === undefined) return undefined;
  const nodes: NodeVersion[] = [];
  const conflicts: DiffEntry[] = [];
  let records = 0;
  for (const { owner, before, after, conflicts: found } of rollbackNodes(versions, now, target)) {
    records += before.length + after.length;
    if (records > most) return { atSerial: now.serial, nodes: undefined, conflicts: [] };
    nodes.push({ owner, records: before });
    conflicts.push(...found);
  }
  return { atSerial: now.serial, nodes, conflicts };
}

function* inParts(nodes: Iterable<ChangedNode>): Generator<readonly ChangedNode[]> {
  let part: ChangedNode[] = [];
  for (const node of nodes) {
    part.push(node);
    if (part.length < nodesPerPart) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
