/**
 * All of a zone as a checkpoint writes it down, from one state of the database: settings, the place in the
 * journal, and every record in parts of a delta. Blocks are taken as they are; only where DNSSEC records
 * stand among those of users, they are separated.
 */
import { and, desc, eq, isNotNull, isNull } from 'drizzle-orm';
import { limits } from '../base/limits.ts';
import { packedEndOf } from '../dns/record.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import type { DesiredRrset } from '../domain/desired.ts';
import type { StandIn } from '../domain/event.ts';
import type { ZoneSigning } from '../domain/signing.ts';
import { settingsOf, type ZoneSettings } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { addedSet, type DeltaPart } from '../journal/delta.ts';
import { idAt, identityBytes } from '../journal/identity.ts';
import { event } from '../journal/schema.ts';
import type { BlockRecords } from '../projection/block.ts';
import { BlockScan } from './block-scan.ts';
import { allOwners } from './key-range.ts';
import { DesiredQueries } from '../projection/desired-store.ts';
import { counter } from '../projection/schema.ts';
import { SigningQueries } from '../projection/signing-store.ts';
import { type Tables, tablesOf } from '../projection/tables.ts';
import { ZoneQueries } from './zone-queries.ts';

/** DNSSEC records come after all of users, each with room for 2 GiB. */
const firstDnssecPart = 32_768;

export interface ZoneFacts {
  readonly settings: ZoneSettings;
  readonly standIn: StandIn;
  readonly signing: ZoneSigning | undefined;
  /** The RRsets that teams own. */
  readonly desired: readonly DesiredRrset[];
}

export class CheckpointSource {
  readonly #zones: ZoneQueries;
  readonly #scan: BlockScan;
  readonly #signing: SigningQueries;
  readonly #desired: DesiredQueries;
  readonly #tables: Tables;

  constructor(connection: Connection) {
    this.#zones = new ZoneQueries(connection);
    this.#scan = new BlockScan(connection);
    this.#signing = new SigningQueries(connection);
    this.#desired = new DesiredQueries(connection);
    this.#tables = tablesOf(connection);
  }

  /** Undefined when no such zone is stored. */
  facts(zoneId: number): ZoneFacts | undefined {
    const zone = this.#zones.byId(zoneId);
    if (zone === undefined) return undefined;
    const standIn = {
      upToSeq: this.#lastSeq(zoneId),
      greatestRecordId: this.#greatestId('record'),
      greatestKeyId: this.#greatestId('signing_key'),
    };
    const [signing, desired] = [this.#signing.of(zoneId), this.#desired.of(zoneId)];
    return { settings: settingsOf(zone), standIn, signing, desired };
  }

  /** The last change, or what came after it without being one: a checkpoint. Both are found by their index. */
  #lastSeq(zoneId: number): number {
    const events = () => this.#tables.select({ seq: event.seq }).from(event).$dynamic();
    const ofZone = eq(event.stream, zoneId);
    const change = events()
      .where(and(ofZone, isNotNull(event.serial)))
      .orderBy(desc(event.serial));
    const other = events()
      .where(and(ofZone, isNull(event.serial)))
      .orderBy(desc(event.seq));
    const last = [change, other].map((query) => query.limit(1).get()?.seq ?? 0);
    return Math.max(...last);
  }

  #greatestId(name: StoredCounter): number {
    const counters = this.#tables.select().from(counter);
    return counters.where(eq(counter.name, name)).get()?.value ?? 0;
  }

  /** Parts of at most 64 KiB, unless a block is larger, in the order of their bytes being full. */
  *parts(zoneId: number): Generator<DeltaPart> {
    const user = new PartGathering(0, 0);
    const dnssec = new PartGathering(1, firstDnssecPart);
    for (const block of this.#scan.ascending(zoneId, allOwners)) {
      if (block.userCount === block.count) {
        yield* user.add(block.records, block.ids, block.count);
        continue;
      }
      const parted = partedByLayer(block);
      yield* user.add(parted.userRecords, parted.userIds, block.userCount);
      yield* dnssec.add(parted.dnssecRecords, noIds, block.count - block.userCount);
    }
    yield* user.finish();
    yield* dnssec.finish();
  }
}

const noIds = Buffer.alloc(0);

/** The part of one layer that is being filled. */
class PartGathering {
  readonly #layer: number;
  #part: number;
  #records: Buffer[] = [];
  #ids: Buffer[] = [];
  #bytes = 0;
  #count = 0;

  constructor(layer: number, firstPart: number) {
    this.#layer = layer;
    this.#part = firstPart;
  }

  *add(records: Buffer, ids: Buffer, count: number): Generator<DeltaPart> {
    if (this.#bytes > 0 && this.#bytes + records.length > limits.deltaPartBytes) {
      yield* this.finish();
    }
    this.#records.push(records);
    this.#ids.push(ids);
    this.#bytes += records.length;
    this.#count += count;
  }

  *finish(): Generator<DeltaPart> {
    if (this.#count === 0) return;
    yield {
      part: this.#part++,
      change: addedSet,
      layer: this.#layer,
      count: this.#count,
      records: Buffer.concat(this.#records),
      ids: this.#layer === 0 ? Buffer.concat(this.#ids) : null,
    };
    this.#records = [];
    this.#ids = [];
    this.#bytes = 0;
    this.#count = 0;
  }
}

/** The records of a block by layer; DNSSEC records have the id 0. */
function partedByLayer({ records, ids }: BlockRecords) {
  const user: Buffer[] = [];
  const userIds: Buffer[] = [];
  const dnssec: Buffer[] = [];
  let index = 0;
  for (let at = 0; at < records.length; index++) {
    const end = packedEndOf(records, at);
    const record = records.subarray(at, end);
    if (idAt(ids, index) === 0) {
      dnssec.push(record);
    } else {
      user.push(record);
      userIds.push(ids.subarray(index * identityBytes, (index + 1) * identityBytes));
    }
    at = end;
  }
  return {
    userRecords: Buffer.concat(user),
    userIds: Buffer.concat(userIds),
    dnssecRecords: Buffer.concat(dnssec),
  };
}
