/**
 * What the service writes for itself: stages, identifiers that are reserved, history that retention lets go of,
 * repairs, logs. None of it is an event, and no reader sees it before an event makes it count.
 *
 * Each is a plain message, because whoever asks for it may be another thread.
 */
import { unreachable } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
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
import type { ProjectedState } from '../query/state.ts';
import {
  TokenUseStore,
  type TransferEntry,
  TransferStore,
  type UsedToken,
  type WebhookCursor,
  WebhookCursorStore,
} from '../projection/activity-log.ts';

export type Operation =
  /** Opens a stage of a zone, a new one when `zoneId` is null, with ids reserved for so many new records. */
  | { readonly kind: 'open-stage'; readonly zoneId: number | null; readonly records: number }
  | { readonly kind: 'put-slice'; readonly stage: OpenStage; readonly slice: StageSlice }
  /** Writes nothing; ends when all that was submitted before is on disk. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'clear-stages' }
  | { readonly kind: 'reserve-ids'; readonly counter: StoredCounter; readonly count: number }
  /** Lets go of some of what the events of a zone hold, up to one of them. */
  | {
      readonly kind: 'drop-history';
      readonly zoneId: number;
      readonly upToSeq: number;
      readonly dropped: Extract<Dropped, 'steps' | 'signer-steps'>;
      /** What the call before has returned. */
      readonly begun: number | undefined;
    }
  | { readonly kind: 'repair-blocks'; readonly plan: RepairPlan }
  /** Parts of a net change, the first of them being number `from`. */
  | {
      readonly kind: 'put-net-parts';
      readonly zoneId: number;
      readonly span: SerialSpan;
      readonly from: number;
      readonly parts: readonly NetChangePart[];
    }
  /** All its parts are written. */
  | {
      readonly kind: 'put-net-change';
      readonly zoneId: number;
      readonly span: SerialSpan;
      readonly counts: EventCounts;
    }
  | { readonly kind: 'forget-net-changes'; readonly zoneId: number }
  | { readonly kind: 'begin-search-index'; readonly followed: number }
  | { readonly kind: 'put-search-index'; readonly batch: IndexBatch }
  /** Deletes 500 owners of a purged zone from the index. */
  | { readonly kind: 'forget-search-index'; readonly zoneId: number }
  | { readonly kind: 'sweep-search-index'; readonly stale: StaleRows }
  | { readonly kind: 'clear-search-index' }
  | { readonly kind: 'reindex-blocks' }
  | { readonly kind: 'log-transfers'; readonly entries: readonly TransferEntry[] }
  | { readonly kind: 'log-token-uses'; readonly uses: readonly UsedToken[] }
  | { readonly kind: 'forget-token-uses' }
  | { readonly kind: 'log-webhook-cursors'; readonly cursors: readonly WebhookCursor[] }
  | { readonly kind: 'log-session-uses'; readonly uses: readonly UsedSession[] };

/** A stage that is being prepared, with what was reserved for it. */
export interface OpenStage {
  readonly number: number;
  readonly zoneId: number;
  /** The first id of its new records. */
  readonly firstId: number;
}

interface Results {
  readonly 'open-stage': OpenStage;
  readonly 'put-slice': undefined;
  readonly wait: undefined;
  /** Whether more is left. */
  readonly 'clear-stages': boolean;
  readonly 'reserve-ids': { readonly first: number; readonly end: number };
  /** `begun` is for the next call: what a stop cuts short is finished after the next start. */
  readonly 'drop-history': {
    readonly left: 'some' | 'none' | 'waits';
    readonly begun: number | undefined;
  };
  /** Blocks that were written; undefined when the zone has changed since it was planned. */
  readonly 'repair-blocks': number | undefined;
  readonly 'put-net-parts': undefined;
  readonly 'put-net-change': undefined;
  readonly 'forget-net-changes': undefined;
  readonly 'begin-search-index': undefined;
  readonly 'put-search-index': undefined;
  /** Whether more is left. */
  readonly 'forget-search-index': boolean;
  readonly 'sweep-search-index': undefined;
  readonly 'clear-search-index': undefined;
  readonly 'reindex-blocks': undefined;
  readonly 'log-transfers': undefined;
  readonly 'log-token-uses': undefined;
  readonly 'forget-token-uses': undefined;
  readonly 'log-webhook-cursors': undefined;
  readonly 'log-session-uses': undefined;
}

export type ResultOf<O extends Operation> = Results[O['kind']];

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
  readonly #connection: Connection;
  readonly #pending: Pending;
  readonly #state: ProjectedState;
  readonly #stages: StageStore;
  readonly #history: HistoryDrop;
  readonly #transfers: TransferStore;
  readonly #tokenUses: TokenUseStore;
  readonly #webhooks: WebhookCursorStore;
  readonly #sessions: SessionTable;
  readonly #netChanges: NetChangeStore;
  readonly #searchIndex: SearchIndex;
  /** Numbers of stages that are being prepared: what is left of others is cleared away. */
  readonly #prepared = new Set<number>();

  constructor(connection: Connection, pending: Pending, state: ProjectedState) {
    this.#connection = connection;
    this.#pending = pending;
    this.#state = state;
    this.#stages = new StageStore(connection);
    this.#history = new HistoryDrop(connection);
    this.#transfers = new TransferStore(connection);
    this.#tokenUses = new TokenUseStore(connection);
    this.#webhooks = new WebhookCursorStore(connection);
    this.#sessions = new SessionTable(connection);
    this.#netChanges = new NetChangeStore(connection);
    this.#searchIndex = new SearchIndex(connection);
  }

  /** Runs one in the open transaction. */
  run<O extends Operation>(operation: O): ResultOf<O> {
    return this.#run(operation) as ResultOf<O>;
  }

  /** Nobody prepares a stage any more: what was not published is cleared away. */
  endStage(number: number): void {
    this.#prepared.delete(number);
  }

  #run(operation: Operation): Results[Operation['kind']] {
    switch (operation.kind) {
      case 'open-stage':
        return this.#openStage(operation.zoneId, operation.records);
      case 'put-slice':
        this.#stages.put(operation.stage.number, operation.stage.zoneId, operation.slice);
        return undefined;
      case 'wait':
        return undefined;
      case 'clear-stages':
        return this.#stages.clear({
          isPrepared: (number) => this.#prepared.has(number),
          idsAt: (zoneId, owner) => this.#idsAt(zoneId, owner),
        });
      case 'reserve-ids':
        return this.#pending.counters.reserve(operation.counter, operation.count);
      case 'drop-history':
        return this.#dropHistory(operation);
      case 'repair-blocks':
        return applyRepair(this.#connection, operation.plan);
      case 'put-net-parts':
        this.#netChanges.putParts(
          operation.zoneId,
          operation.span,
          operation.from,
          operation.parts,
        );
        return undefined;
      case 'put-net-change':
        this.#netChanges.putSpan(operation.zoneId, operation.span, operation.counts);
        return undefined;
      case 'forget-net-changes':
        this.#netChanges.forget(operation.zoneId);
        return undefined;
      case 'begin-search-index':
        this.#searchIndex.begin(operation.followed);
        return undefined;
      case 'put-search-index':
        this.#searchIndex.put(operation.batch);
        return undefined;
      case 'forget-search-index':
        return this.#searchIndex.forget(operation.zoneId);
      case 'sweep-search-index':
        this.#searchIndex.sweep(operation.stale);
        return undefined;
      case 'clear-search-index':
        this.#searchIndex.clear();
        return undefined;
      case 'reindex-blocks':
        this.#connection.exec('REINDEX block_first');
        return undefined;
      case 'log-transfers':
        this.#transfers.put(operation.entries);
        return undefined;
      case 'log-token-uses':
        this.#tokenUses.put(operation.uses);
        return undefined;
      case 'log-webhook-cursors':
        this.#webhooks.put(operation.cursors);
        return undefined;
      case 'log-session-uses':
        for (const use of operation.uses) this.#sessions.stamp(use);
        return undefined;
      case 'forget-token-uses':
        this.#tokenUses.forgetDeleted();
        return undefined;
      default:
        return unreachable(operation);
    }
  }

  #idsAt(zoneId: number, owner: NameKey): ReadonlySet<number> {
    const isStored = this.#state.zoneById(zoneId) !== undefined;
    return new Set(isStored ? this.#state.recordsAt(zoneId, owner).map(({ id }) => id) : []);
  }

  #openStage(zone: number | null, records: number): OpenStage {
    const { counters } = this.#pending;
    const ids = records === 0 ? { first: 0, end: 0 } : counters.reserve('record', records);
    const zoneId = zone ?? counters.reserve('zone', 1).first;
    const number = this.#stages.open(zoneId, ids.first, ids.end);
    this.#prepared.add(number);
    return { number, zoneId, firstId: ids.first };
  }

  #dropHistory(operation: Extract<Operation, { kind: 'drop-history' }>): Results['drop-history'] {
    const { zoneId, upToSeq, dropped } = operation;
    let { begun } = operation;
    const left = this.#history.drop(zoneId, upToSeq, dropped);
    if (dropped === 'signer-steps') return { left, begun };
    if (left !== 'none') begun ??= this.#stages.forget(zoneId, upToSeq);
    else if (begun !== undefined) this.#stages.forgotten(begun);
    return { left, begun };
  }
}
