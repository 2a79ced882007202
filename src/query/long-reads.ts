/** The reads that may take long, over any connection. Whoever calls keeps one state open meanwhile. */

import type { ResourceRecord } from '../dns/record.ts';
import { printZoneFile } from '../dns/zonefile/print.ts';
import { Rights, type RightsMessage } from '../domain/access/rights.ts';
import type { NodeVersion } from '../domain/command.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { BlockScan } from './block-scan.ts';
import { ExternalDnsQueries } from './external-dns-queries.ts';
import {
  type EventFilter,
  type EventPage,
  EventQueries,
  type SeenEvent,
  type SeenEvents,
} from './event-queries.ts';
import {
  type EverRecord,
  type HistoryEntry,
  type HistoryFilter,
  HistoryQueries,
} from './history-queries.ts';
import { allOwners } from './key-range.ts';
import type { Listed, Page } from '../projection/tables.ts';
import {
  type FoundRecord,
  type RecordFilter,
  RecordQueries,
  type RecordSort,
} from './record-queries.ts';
import { scanSignatures, type SignatureFacts, type SignatureQuestion } from './signature-scan.ts';
import { type ChangedNode, VersionQueries } from './version-queries.ts';
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
  history(
    rights: RightsMessage,
    zone: Zone,
    filter: HistoryFilter,
    page: Page,
  ): Listed<HistoryEntry>;
  events(rights: RightsMessage, filter: EventFilter, page: EventPage): SeenEvents;
  event(rights: RightsMessage, seq: number): SeenEvent | undefined;
  recordEver(rights: RightsMessage, id: number): EverRecord | undefined;
  nodesThen(zone: Zone, serial: number, most: number): NodesThen | undefined;
  signatures(zoneId: number, question: SignatureQuestion): SignatureFacts;
  externalDomains(rights: RightsMessage): readonly string[];
}

/** What a zone was at a serial where it differs from now. */
export interface NodesThen {
  /** The serial of now. */
  readonly atSerial: number;
  /** Undefined when they hold more than `most` records, then or now. */
  readonly nodes: readonly NodeVersion[] | undefined;
}

/** Reads that have many parts, all of one state. */
export interface Streams {
  versionText(zone: Zone, serial: number): Iterable<Uint8Array>;
  changedNodes(zone: Zone, from: number, to: number): Iterable<readonly ChangedNode[]>;
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
  const events = new EventQueries(connection);
  const zones = new ZoneQueries(connection);
  const blocks = new BlockScan(connection);
  const externalDns = new ExternalDnsQueries(connection);
  return {
    records,
    versions,
    externalDns,
    reads: {
      listRecords: (rights, filter, sort, page) =>
        records.list(Rights.of(rights), filter, sort, page),
      history: (rights, zone, filter, page) => history.list(Rights.of(rights), zone, filter, page),
      events: (rights, filter, page) => events.page(Rights.of(rights), filter, page),
      event: (rights, seq) => events.get(Rights.of(rights), seq),
      recordEver: (rights, id) => history.recordEver(Rights.of(rights), id),
      nodesThen(zone, serial, most) {
        const now = zones.byId(zone.id);
        if (now === undefined || versions.get(now, serial) === undefined) return undefined;
        const nodes: NodeVersion[] = [];
        let records = 0;
        for (const { owner, before, after } of versions.changedNodes(now, serial, now.serial)) {
          records += before.length + after.length;
          if (records > most) return { atSerial: now.serial, nodes: undefined };
          nodes.push({ owner, records: before });
        }
        return { atSerial: now.serial, nodes };
      },
      signatures: (zoneId, question) => scanSignatures(connection, zoneId, question),
      externalDomains: (rights) => externalDns.domains(Rights.of(rights)),
    },
    streams: {
      versionText: (zone, serial) => versions.text(zone, serial),
      changedNodes: (zone, from, to) => inParts(versions.changedNodes(zone, from, to)),
      *exportText(zone, serial, signed) {
        const settings = serial === undefined ? zone : versions.get(zone, serial)?.settings;
        if (settings === undefined) return;
        const head = {
          apex: apexOf(zone),
          serial: settings.serial,
          defaultTtl: settings.defaultTtl,
          soa: soaRdata(settings),
        };
        const isNow = serial === undefined || serial === zone.serial;
        const records = isNow ? packed(zone) : then(versions.records(zone, serial));
        if (!signed) yield* printZoneFile(head, records);
        else {
          const derived = isNow ? packed(zone) : then(versions.derivedRecords(zone, serial));
          yield* printZoneFile(head, records, derived);
        }
      },
      externalRecords: (rights) => externalDns.records(Rights.of(rights)),
    },
  };

  function* packed(zone: Zone): Generator<Buffer> {
    for (const block of blocks.ascending(zone.id, allOwners)) yield block.records;
  }

  function* then(batches: Iterable<readonly ResourceRecord[]>): Generator<ResourceRecord> {
    for (const batch of batches) yield* batch;
  }
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
