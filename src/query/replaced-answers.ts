/**
 * What changes of a zone replaced that caches may still hold: answers with records that were removed, that something
 * was missing, that a wildcard gave for a name that stands by itself now, and with names that a delegation hides now.
 *
 * Costs the changes that are looked at, of which there are at most a few thousand. What is known of those before them
 * is that no cache keeps anything longer than a week.
 */
import { limits } from '../base/limits.ts';
import { emptyName, type NameKey, parentOf, wildcardBelow } from '../dns/name.ts';
import { rdataKey, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { beginsHistory } from '../domain/event.ts';
import type { Zone, ZoneSettings } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { rangeOfDelta } from '../journal/delta.ts';
import { changeName, PartCheck, PartQuery } from '../journal/delta-row.ts';
import { decodeSettings, payloadOf, type ServedPayload } from '../journal/event-row.ts';
import { JoinedBlockQuery } from '../projection/block-row.ts';
import { changesByOwner, type OwnerChange } from '../projection/owner-changes.ts';
import { rangeOfPattern } from './key-range.ts';
import { NodesNow } from './version-records.ts';
import type { VersionQueries } from './version-queries.ts';
import { signerKind, ZoneEvents } from './zone-events.ts';
import { ZoneQueries } from './zone-queries.ts';

/** What a change replaced. */
export interface Replaced {
  /** That it led to. */
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** That caches keep it at most, from when nobody serves it any more. */
  readonly seconds: number;
}

/** Seconds that caches keep anything at most (RFC 8767 4). */
const longestKept = 7 * 86_400;

type Row = ServedPayload & { readonly serial: number; readonly at: number; readonly kind: string };

type Records = readonly ResourceRecord[];

interface Change extends Pick<Replaced, 'serial' | 'at'> {
  readonly before: ZoneSettings;
  readonly after: ZoneSettings;
  readonly owners: readonly OwnerChange<ResourceRecord>[];
}

/** How many records an RRset has at a moment, and its TTL. */
interface Rrset {
  count: number;
  readonly ttl: number;
}

type Rrsets = Map<number, Rrset>;

/** The RRsets of now at an owner and below it; undefined when there are too many. */
type Below = (owner: NameKey) => ReadonlyMap<NameKey, Rrsets> | undefined;

export class ReplacedAnswers {
  readonly #connection: Connection;
  readonly #versions: Pick<VersionQueries, 'records'>;
  readonly #zones: ZoneQueries;
  readonly #events: ZoneEvents;
  readonly #check: PartCheck;
  readonly #blocks: JoinedBlockQuery;
  readonly #parts: PartQuery;
  readonly #rows: Statement;

  constructor(connection: Connection, versions: Pick<VersionQueries, 'records'>) {
    this.#connection = connection;
    this.#versions = versions;
    this.#zones = new ZoneQueries(connection);
    this.#events = new ZoneEvents(connection);
    this.#check = new PartCheck(connection);
    this.#blocks = new JoinedBlockQuery(connection, 'whole', 'ever');
    const ofUsers = 'WHERE place BETWEEN ? AND ? AND layer = 0 ORDER BY place';
    this.#parts = new PartQuery(connection, 'packed', ofUsers);
    this.#rows = connection.prepare(
      `SELECT serial, at, kind, payload, delta, parts AS partCount,
         payload_checksum AS payloadChecksum
       FROM event WHERE stream = ? AND serial > (? + 0) ORDER BY serial DESC`,
    );
  }

  /**
   * What the change that led to the latest serial replaced, and those of a week before a moment: newest first, without
   * what caches drop before what a newer one replaced. Undefined when the serial is not the latest any more.
   */
  since({ id, serial }: Pick<Zone, 'id' | 'serial'>, moment: number): Replaced[] | undefined {
    const zone = this.#zones.byId(id);
    if (zone?.serial !== serial) return undefined;
    const isTooOld = ({ at }: { readonly at: number }) => at < moment - longestKept * 1000;
    const tooOld = this.#events.lastPassing(id, serial - 1, isTooOld)?.serial ?? -1;
    const { changes, rest } = this.#read(id, tooOld);
    this.#check.requireChanges(id, (changes.at(-1)?.serial ?? serial) - 1, serial);
    const looking = new Looking(this.#stateNow(zone, changes), this.#readerBelow(zone));
    const all = changes.map((change): Replaced => {
      return { serial: change.serial, at: change.at, seconds: looking.back(change) };
    });
    if (rest !== undefined) all.push({ serial: rest.serial, at: rest.at, seconds: longestKept });
    let longest = -1;
    return all.filter(({ seconds }) => {
      const counts = seconds > longest;
      longest = Math.max(longest, seconds);
      return counts;
    });
  }

  /** The changes that are looked at, newest first; `rest` is the newest of the others, where there are any. */
  #read(zoneId: number, afterSerial: number): { changes: Change[]; rest: Row | undefined } {
    const changes: Change[] = [];
    let records = 0;
    let count = 0;
    for (const row of this.#rows.iterate(zoneId, afterSerial) as Iterable<Row>) {
      // Of what others served under the name nothing is known.
      if (beginsHistory(row.kind)) return { changes, rest: row };
      if (++count > limits.replacedChanges) return { changes, rest: row };
      if (row.kind === signerKind) continue;
      const payload = payloadOf(this.#connection, row);
      if (payload === null) return { changes, rest: row };
      const { before, after } = decodeSettings(payload);
      // What made the zone replaced nothing of it.
      if (before === null || after === null) break;
      const { removed, added } = JSON.parse(payload) as { removed: number; added: number };
      records += removed + added;
      if (records > limits.replacedRecords) return { changes, rest: row };
      const owners = removed + added === 0 ? [] : this.#ownersOf(row);
      changes.push({ serial: row.serial, at: row.at, before, after, owners });
    }
    return { changes, rest: undefined };
  }

  #ownersOf({ delta }: Row): OwnerChange<ResourceRecord>[] {
    const removed: ResourceRecord[] = [];
    const added: ResourceRecord[] = [];
    for (const { change, records } of this.#parts.all(...rangeOfDelta(delta))) {
      (changeName(change) === 'removed' ? removed : added).push(...unpackRecords(records));
    }
    return [...changesByOwner(removed, added)];
  }

  /** The RRsets of now at the owners that changes touched, and at the wildcards above those they added to. */
  #stateNow({ id, recordCount, dnssecCount }: Zone, changes: readonly Change[]) {
    const wanted = new Set<NameKey>();
    // Those whose wildcards above are wanted as well. A wildcard that was only changed is none of them.
    const climbed = new Set<NameKey>();
    for (const { owners } of changes) {
      for (const { owner, added } of owners) {
        wanted.add(owner);
        for (const wildcard of added.length > 0 ? wildcardsAbove(owner) : []) {
          if (climbed.has(wildcard)) break;
          climbed.add(wildcard);
          wanted.add(wildcard);
        }
      }
    }
    const nodes = new NodesNow(this.#blocks, id, wanted.size, recordCount + dnssecCount);
    const state = new Map<NameKey, Rrsets>();
    for (const owner of [...wanted].sort()) state.set(owner, rrsetsOf(nodes.at(owner)));
    return state;
  }

  #readerBelow(zone: Zone): Below {
    let left = limits.replacedRecords;
    return (name) => {
      const found = new Map<NameKey, ResourceRecord[]>();
      const range = rangeOfPattern({ kind: 'subtree', name });
      for (const batch of this.#versions.records(zone, zone.serial, range)) {
        left -= batch.length;
        if (left < 0) return undefined;
        for (const record of batch) {
          const others = found.get(record.owner);
          if (others === undefined) found.set(record.owner, [record]);
          else others.push(record);
        }
      }
      return new Map([...found].map(([owner, records]) => [owner, rrsetsOf(records)]));
    };
  }
}

/** Nearest first. */
function* wildcardsAbove(owner: NameKey): Generator<NameKey> {
  for (let name = parentOf(owner); name !== undefined; name = parentOf(name)) {
    yield wildcardBelow(name);
  }
}

function rrsetsOf(records: Records): Rrsets {
  const rrsets: Rrsets = new Map();
  for (const { type, ttl } of records) {
    rrsets.set(type, { count: (rrsets.get(type)?.count ?? 0) + 1, ttl });
  }
  return rrsets;
}

/** Goes back from now, change by change. */
class Looking {
  /** What is there after the change that comes next. */
  readonly #state: ReadonlyMap<NameKey, Rrsets>;
  readonly #below: Below;

  constructor(now: ReadonlyMap<NameKey, Rrsets>, below: Below) {
    this.#state = now;
    this.#below = below;
  }

  /** Seconds that caches keep what a change replaced. Afterwards the state is the one before it. */
  back({ before, after, owners }: Change): number {
    for (const { owner, removed, added } of owners) {
      const rrsets = this.#state.get(owner)!;
      for (const { type } of added) rrsets.get(type)!.count--;
      for (const { type, ttl } of removed) {
        rrsets.set(type, { count: (rrsets.get(type)?.count ?? 0) + 1, ttl });
      }
    }
    const missing = negativeTtl(before);
    let seconds = missing > negativeTtl(after) ? missing : 0;
    for (const change of owners) seconds = Math.max(seconds, this.#replacedAt(change, missing));
    return Math.min(seconds, longestKept);
  }

  #replacedAt({ owner, removed, added }: OwnerChange<ResourceRecord>, missing: number): number {
    const were = this.#state.get(owner)!;
    const comes = differing(added, removed);
    const kept = differing(removed, added).map(({ ttl }) => ttl);
    for (const { type } of comes) kept.push(ttlNow(were.get(type)) ?? missing);
    if (comes.length > 0 && ttlsOf(were).length === 0) kept.push(...this.#lentTo(owner));
    const isCut = ({ type }: ResourceRecord) => type === rrtype.NS && !ttlNow(were.get(type));
    if (owner !== emptyName && comes.find(isCut) !== undefined) kept.push(...this.#hiddenBy(owner));
    return kept.reduce((longest, ttl) => Math.max(longest, ttl), 0);
  }

  /** The TTLs of what wildcards gave for a name where nothing stood. */
  #lentTo(owner: NameKey): number[] {
    return [...wildcardsAbove(owner)].flatMap((name) => ttlsOf(this.#state.get(name)!));
  }

  #hiddenBy(cut: NameKey): number[] {
    const below = this.#below(cut);
    if (below === undefined) return [longestKept];
    return [...below].flatMap(([owner, now]) => ttlsOf(this.#state.get(owner) ?? now));
  }
}

/** What does not exist is kept as missing (RFC 2308 5). */
function negativeTtl({ minimumTtl, defaultTtl }: ZoneSettings): number {
  return Math.min(minimumTtl, defaultTtl);
}

/** Those of a set that another does not have. */
function differing(records: Records, others: Records): Records {
  const same = new Set(others.map(keyOf));
  return records.filter((record) => !same.has(keyOf(record)));
}

function keyOf({ type, ttl, rdata }: ResourceRecord): string {
  return `${ttl} ${rdataKey(type, rdata)}`;
}

/** The TTL of an RRset that has records. */
function ttlNow(rrset: Rrset | undefined): number | undefined {
  return rrset !== undefined && rrset.count > 0 ? rrset.ttl : undefined;
}

function ttlsOf(rrsets: Rrsets): number[] {
  return [...rrsets.values()].flatMap((rrset) => ttlNow(rrset) ?? []);
}
