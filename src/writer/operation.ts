/**
 * What the service writes for itself: stages, identifiers that are reserved, history that retention deletes,
 * repairs, logs. None of it is an event, and no reader sees it before an event makes it count.
 *
 * Each is a plain message, because whoever asks for it may be another thread, and a row of a table below.
 */
import type { NameKey } from '../dns/name.ts';
import type { StateView } from '../domain/decision.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import type { Connection } from '../journal/database.ts';
import { type Dropped, HistoryDrop } from '../journal/history-drop.ts';
import { applyRepair, type RepairPlan } from '../projection/block-repair.ts';
import {
  type EventCounts,
  type NetChangePart,
  NetChangeStore,
  type SerialSpan,
} from '../projection/net-change-store.ts';
import type { Pending } from '../projection/pending.ts';
import { SessionTable, type UsedSession } from '../keystore/session-table.ts';
import { type IndexBatch, SearchIndex, type StaleRows } from '../projection/search-index.ts';
import { type StageSlice, StageStore } from '../projection/stage-store.ts';
import {
  ActivityStore,
  type TransferEntry,
  type UsedToken,
  type WebhookCursor,
} from '../projection/activity-log.ts';

/** A stage that is being prepared, with what was reserved for it. */
export interface OpenStage {
  readonly number: number;
  readonly zoneId: number;
  /** The first id of its new records. */
  readonly firstId: number;
}

interface Dropping {
  readonly zoneId: number;
  readonly upToSeq: number;
  readonly dropped: Extract<Dropped, 'steps' | 'signer-steps'>;
  /** What the call before has returned. */
  readonly begun: number | undefined;
}

/** A net change, or parts of it. */
interface OfSpan {
  readonly zoneId: number;
  readonly span: SerialSpan;
}

/** Stages and what is deleted gradually. `prepared`: numbers of stages that are being prepared. */
function stageOperations(
  connection: Connection,
  { counters }: Pending,
  state: StateView,
  { stages, prepared }: { readonly stages: StageStore; readonly prepared: Set<number> },
) {
  const history = new HistoryDrop(connection);
  const idsAt = (zoneId: number, owner: NameKey): ReadonlySet<number> => {
    const isStored = state.zoneById(zoneId) !== undefined;
    return new Set(isStored ? state.recordsAt(zoneId, owner).map(({ id }) => id) : []);
  };
  return {
    /** Opens a stage of a zone, a new one when `zoneId` is null, with ids reserved for `records` new records. */
    'open-stage'(order: { readonly zoneId: number | null; readonly records: number }): OpenStage {
      const { records } = order;
      const ids = records === 0 ? { first: 0, end: 0 } : counters.reserve('record', records);
      const zoneId = order.zoneId ?? counters.reserve('zone', 1).first;
      const number = stages.open(zoneId, ids.first, ids.end);
      prepared.add(number);
      return { number, zoneId, firstId: ids.first };
    },
    /** Of a stage that has ended meanwhile nothing is written: its row may have been cleared away. */
    'put-slice'(order: { readonly stage: OpenStage; readonly slice: StageSlice }) {
      if (!prepared.has(order.stage.number)) return;
      stages.put(order.stage.number, order.stage.zoneId, order.slice);
    },
    /** Writes nothing; ends when all that was submitted before is on disk. */
    wait() {},
    /** Whether more is left. */
    'clear-stages': () => stages.clear({ isPrepared: (number) => prepared.has(number), idsAt }),
    'reserve-ids': (order: { readonly counter: StoredCounter; readonly count: number }) =>
      counters.reserve(order.counter, order.count),
    /**
     * Deletes some of what the events of a zone hold, up to one of them. `begun` is for the next call: what
     * a stop cuts short is finished after the next start.
     */
    'drop-history'({ zoneId, upToSeq, dropped, begun: before }: Dropping) {
      let begun = before;
      const left = history.drop(zoneId, upToSeq, dropped);
      if (dropped === 'signer-steps') return { left, begun };
      if (left !== 'none') begun ??= stages.forget(zoneId, upToSeq);
      else if (begun !== undefined) stages.forgotten(begun, zoneId);
      return { left, begun };
    },
    /** Blocks that were written; undefined when the zone has changed since it was planned. */
    'repair-blocks': ({ plan }: { readonly plan: RepairPlan }) => applyRepair(connection, plan),
    'reindex-blocks'() {
      connection.exec('REINDEX block_first');
    },
  };
}

/** What follows from the journal and is made again when it is lost. */
function projectionOperations(connection: Connection) {
  const netChanges = new NetChangeStore(connection);
  const searchIndex = new SearchIndex(connection);
  return {
    /** Parts of a net change, the first of them being number `from`. */
    'put-net-parts'(
      order: OfSpan & { readonly from: number; readonly parts: readonly NetChangePart[] },
    ) {
      netChanges.putParts(order.zoneId, order.span, order.from, order.parts);
    },
    /** All its parts are written. */
    'put-net-change'({ zoneId, span, counts }: OfSpan & { readonly counts: EventCounts }) {
      netChanges.putSpan(zoneId, span, counts);
    },
    'forget-net-changes': ({ zoneId }: { readonly zoneId: number }) => netChanges.forget(zoneId),
    'begin-search-index': ({ followed }: { readonly followed: number }) =>
      searchIndex.begin(followed),
    'put-search-index': ({ batch }: { readonly batch: IndexBatch }) => searchIndex.put(batch),
    /** Deletes 500 owners of a purged zone from the index; whether more is left. */
    'forget-search-index': ({ zoneId }: { readonly zoneId: number }) => searchIndex.forget(zoneId),
    'sweep-search-index': ({ stale }: { readonly stale: StaleRows }) => searchIndex.sweep(stale),
    'clear-search-index': () => searchIndex.clear(),
  };
}

/** What is recorded beside the journal. */
function logOperations(connection: Connection) {
  const activity = new ActivityStore(connection);
  const sessions = new SessionTable(connection);
  return {
    'log-transfers': ({ entries }: { readonly entries: readonly TransferEntry[] }) =>
      activity.putTransfers(entries),
    'log-token-uses': ({ uses }: { readonly uses: readonly UsedToken[] }) =>
      activity.putTokenUses(uses),
    'forget-token-uses': () => activity.forgetTokenUses(),
    'log-webhook-cursors': ({ cursors }: { readonly cursors: readonly WebhookCursor[] }) =>
      activity.putCursors(cursors),
    'log-session-uses'({ uses }: { readonly uses: readonly UsedSession[] }) {
      for (const use of uses) sessions.stamp(use);
    },
  };
}

type Table = ReturnType<typeof stageOperations> &
  ReturnType<typeof projectionOperations> &
  ReturnType<typeof logOperations>;

/** A row of the tables above: its name as `kind`, and what it takes. */
export type Operation = {
  [Kind in keyof Table]: { readonly kind: Kind } & (Parameters<Table[Kind]> extends [infer Order]
    ? Order
    : unknown);
}[keyof Table];

export type ResultOf<O extends Operation> = ReturnType<Table[O['kind']]>;

/**
 * Whether its commit may reach the disk later than its caller is answered: it counts only once a later
 * command publishes it, and the commit of any command syncs what was written before it too. What follows from the
 * journal is made again when it is lost.
 */
export function isPreparation({ kind }: Operation): boolean {
  const isOfNetChange = kind === 'put-net-parts' || kind === 'put-net-change';
  const isOfIndex = kind === 'begin-search-index' || kind === 'put-search-index';
  return kind === 'put-slice' || kind === 'wait' || isOfNetChange || isOfIndex;
}

export class Operations {
  readonly #table: Table;
  /** Numbers of stages that are being prepared: what is left of others is cleared away. */
  readonly #prepared = new Set<number>();
  readonly #stages: StageStore;

  constructor(connection: Connection, pending: Pending, state: StateView) {
    this.#stages = new StageStore(connection);
    const staging = { stages: this.#stages, prepared: this.#prepared };
    this.#table = {
      ...stageOperations(connection, pending, state, staging),
      ...projectionOperations(connection),
      ...logOperations(connection),
    };
  }

  /** Runs one in the open transaction. */
  run<O extends Operation>(operation: O): ResultOf<O> {
    const run = this.#table[operation.kind] as (order: Operation) => ResultOf<O>;
    return run(operation);
  }

  /** Nobody prepares a stage any more: what was not published is cleared away. */
  endStage(number: number): void {
    this.#prepared.delete(number);
  }

  /** After a rollback: what was done is to be done again. */
  forget(): void {
    this.#stages.reset();
  }
}
